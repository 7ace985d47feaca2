"""Opens and runs notebooks in a browser and collects their errors. Playwright is imported only where it is used."""

import ast
import re
from contextlib import contextmanager
from importlib import import_module
from textwrap import dedent

import nbformat

_OUTSIDE = re.compile(r"^(https?|wss?)://(?!(127\.0\.0\.1|localhost)[:/])")

_TROUBLE = "[data-mime-type='application/vnd.jupyter.stderr'], [data-mime-type='application/vnd.jupyter.error']"

# JupyterLab shows its menus before the kernel is ready, so the script waits for the session itself. It keeps what the
# kernel reports, because no cell shows the errors of widget callbacks.
_CONNECT = """async () => {
    await jupyterapp.restored;
    const panel = jupyterapp.shell.currentWidget;
    await panel.context.ready;
    await panel.sessionContext.ready;
    await panel.sessionContext.session.kernel.info;
    window.reported = [];
    panel.sessionContext.iopubMessage.connect((_, {header, content}) => {
        if (header.msg_type === 'error') reported.push(`${content.ename}: ${content.evalue}`);
        const asks = /^No such comm/.test(content.text); // JupyterLab asks for widgets of an earlier kernel
        if (header.msg_type === 'stream' && content.name === 'stderr' && !asks) reported.push(content.text);
    });
}"""

_RUN_ALL = "() => jupyterapp.commands.execute('notebook:run-all-cells')"

_EVALUATE = """async expression => {
    const {kernel} = jupyterapp.shell.currentWidget.sessionContext.session;
    const request = {code: '', silent: true, store_history: false, user_expressions: {asked: expression}};
    const reply = await kernel.requestExecute(request).done;
    return reply.content.user_expressions.asked;
}"""


def expect(locator):
    """Return Playwright's assertions on a locator, with a timeout of 30 s for busy machines."""
    playwright = import_module("playwright.sync_api")
    playwright.expect.set_options(timeout=30_000)
    return playwright.expect(locator)


@contextmanager
def chromium(path):
    """Run a headless browser with an empty profile."""
    with import_module("playwright.sync_api").sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


class Notebook:
    """A notebook in a page of its own."""

    def __init__(self, page):
        self.page = page

    def run(self):
        """Run all cells, and assert that all succeed."""
        assert self._do(_RUN_ALL), f"a cell failed: {self.troubles()}"

    def value(self, expression):
        """Return the value of an expression in the kernel; the notebook does not show it."""
        # IPython abbreviates the repr of long containers, but not of a string.
        reply = self._do(_EVALUATE, f"repr(({expression}))")
        assert reply["status"] == "ok", f"{reply['ename']}: {reply['evalue']}"
        return ast.literal_eval(ast.literal_eval(reply["data"]["text/plain"]))

    def connect(self, data):
        """Wait for the kernel, and give it a data folder of its own."""
        self.page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.context")
        self._do(_CONNECT)
        self.value(f"__import__('os').environ.update(XDG_DATA_HOME={str(data)!r})")

    def troubles(self):
        """Return the errors and the lines on stderr that the kernel reported or the notebook shows."""
        self.value("None")  # once the kernel has replied, its earlier reports have arrived
        return self.page.evaluate("reported") + self.page.locator(_TROUBLE).all_inner_texts()

    def _do(self, script, argument=None, seconds=60):
        """Run a script in the page with a timeout, which Playwright does not have here."""
        late = f"new Promise((_, fail) => setTimeout(() => fail(Error('not within {seconds} s')), {seconds * 1000}))"
        return self.page.evaluate(f"argument => Promise.race([({script})(argument), {late}])", argument)


class Visit:
    """Pages that share no state with other visits, and whose requests to other hosts than loopback are blocked."""

    def __init__(self, lab, browser):
        self.outside = []
        self.errors = []
        self._lab = lab
        self.notebooks = []
        self._context = browser.new_context(viewport={"width": 1100, "height": 1300}, service_workers="block")
        self._context.route(_OUTSIDE, self._block)
        self._context.route_web_socket(_OUTSIDE, self._block_socket)
        self._context.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        self._context.on("weberror", lambda error: self.errors.append(str(error.error)))

    def open(self, *cells):
        """Write a notebook of code cells, then open and run it in its own page and kernel."""
        folder = self._lab.folder / str(len(list(self._lab.folder.iterdir())))
        folder.mkdir()
        code = [nbformat.v4.new_code_cell(dedent(cell).strip()) for cell in cells]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(nbformat.v4.new_notebook(cells=code, metadata={"kernelspec": kernel}), folder / "test.ipynb")
        page = self._context.new_page()
        page.goto(f"{self._lab.url}lab/tree/{folder.name}/test.ipynb?reset&token={self._lab.token}")
        notebook = Notebook(page)
        notebook.connect(folder / "data")
        self.notebooks.append(notebook)
        notebook.run()
        return notebook

    def troubles(self):
        """Return all errors so far: blocked requests, errors in the pages, and errors in the kernels."""
        of_notebooks = [trouble for notebook in self.notebooks for trouble in notebook.troubles()]
        return [f"blocked: {url}" for url in self.outside] + self.errors + of_notebooks

    def photograph(self, folder):
        """Save a screenshot of each page in a folder, and return the paths."""
        paths = [folder / f"page_{number}.png" for number in range(len(self._context.pages))]
        for page, path in zip(self._context.pages, paths, strict=True):
            page.screenshot(path=path)
        return paths

    def end(self):
        """Close the pages and stop the kernels."""
        self._context.close()
        self._lab.stop_kernels()

    def _block(self, route):
        self.outside.append(route.request.url)
        route.abort()

    def _block_socket(self, route):
        self.outside.append(route.url)
        route.close()
