"""Opens and runs notebooks in a browser and collects their errors. Playwright is imported only where it is used."""

import ast
import re
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import nbformat

from tests.browser.hosts import LAB, Host
from tests.browser.lab import theme_name

HEIGHT = 1300
"""The height of a page in pixels."""

_OUTSIDE = re.compile(r"^(https?|wss?)://(?!(127\.0\.0\.1|localhost)[:/])")

_TROUBLE = "[data-mime-type='application/vnd.jupyter.stderr'], [data-mime-type='application/vnd.jupyter.error']"

# Keeps what the kernel reports, because no cell shows the errors of widget callbacks.
_CONNECT = """async () => {
    await ({ready})();
    window.kernel = {kernel};
    await kernel.info;
    window.reported = [];
    kernel.iopubMessage.connect((_, {header, content}) => {
        if (header.msg_type === 'error') reported.push(`${content.ename}: ${content.evalue}`);
        const asks = /^No such comm/.test(content.text); // JupyterLab asks for widgets of an earlier kernel
        if (header.msg_type === 'stream' && content.name === 'stderr' && !asks) reported.push(content.text);
    });
}"""

_EVALUATE = """async expression => {
    const request = {code: '', silent: true, store_history: false, user_expressions: {asked: expression}};
    const reply = await kernel.requestExecute(request).done;
    return reply.content.user_expressions.asked;
}"""

_SET_THEME = """async theme => {
    await jupyterapp.commands.execute('apputils:change-theme', {theme});
    while (document.body.dataset.jpThemeName !== theme) await new Promise(done => setTimeout(done, 10));
}"""


def expect(locator):
    """Return Playwright's assertions on a locator, with a timeout of 30 s for busy machines."""
    playwright = import_module("playwright.sync_api")
    playwright.expect.set_options(timeout=30_000)
    return playwright.expect(locator)


def press(page, *keys):
    """Press keys in turn."""
    for key in keys:
        page.keyboard.press(key)


@contextmanager
def chromium(path):
    """Run a headless browser with an empty profile."""
    with import_module("playwright.sync_api").sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


@dataclass
class Notebook:
    """A notebook in a page of its own."""

    page: object
    host: Host
    path: Path

    def connect(self):
        """Wait for the kernel."""
        self.page.wait_for_function(self.host.loaded)
        self._do(_CONNECT.replace("{ready}", self.host.ready).replace("{kernel}", self.host.kernel))

    def run(self):
        """Run all cells, and assert that all succeed. Voila has run them before, so that this only asserts."""
        assert self._do(self.host.run), f"a cell failed: {self.troubles()}"

    def value(self, expression):
        """Return the value of an expression in the kernel; the notebook does not show it."""
        # IPython abbreviates the repr of long containers, but not of a string.
        reply = self._do(_EVALUATE, f"repr(({expression}))")
        assert reply["status"] == "ok", f"{reply['ename']}: {reply['evalue']}"
        return ast.literal_eval(ast.literal_eval(reply["data"]["text/plain"]))

    def set_theme(self, *, dark):
        """Change the theme of the open page. Voila cannot: it takes the theme with which the page is opened."""
        self._do(_SET_THEME, theme_name(dark=dark))

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
        self._hosts = set()
        self._context = browser.new_context(service_workers="block")
        self._context.route(_OUTSIDE, self._block)
        self._context.route_web_socket(_OUTSIDE, self._block_socket)
        self._context.on("console", self._hear)
        self._context.on("weberror", lambda error: self.errors.append(str(error.error)))

    def open(self, *cells, host=LAB, width=1100, dark=False):
        """Write a notebook of code cells, then open and run it in its own page and kernel.

        The page has a width in pixels, and the host's light or dark theme.
        """
        folder = self._lab.folder / str(len(list(self._lab.folder.iterdir())))
        folder.mkdir()
        code = [nbformat.v4.new_code_cell(dedent(cell).strip()) for cell in cells]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(nbformat.v4.new_notebook(cells=code, metadata={"kernelspec": kernel}), folder / "test.ipynb")
        notebook = self._page_of(folder / "test.ipynb", host, width=width, dark=dark)
        notebook.connect()
        self.notebooks.append(notebook)
        notebook.run()
        return notebook

    def troubles(self):
        """Return all errors so far: blocked requests, errors in the pages, and errors in the kernels.

        Those that the hosts' own pages make, whatever they show, are left out.
        """
        of_notebooks = [trouble for notebook in self.notebooks for trouble in notebook.troubles()]
        blocked = [f"blocked: {url}" for url in self.outside if not self._is_of_a_host(url)]
        own = {error for host in self._hosts for error in host.errors}
        return blocked + [error for error in self.errors if error not in own] + of_notebooks

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

    def _page_of(self, path, host, *, width, dark):
        """Open a notebook below the folder of the server in a page of its own."""
        self._hosts.add(host)
        self._lab.set_theme(dark=dark)
        notebook = Notebook(self._context.new_page(), host, path)
        notebook.page.set_viewport_size({"width": width, "height": HEIGHT})
        address = host.address.format(path=f"{path.parent.name}/{path.name}", theme="dark" if dark else "light")
        notebook.page.goto(f"{self._lab.url}{address}&token={self._lab.token}")
        return notebook

    def _is_of_a_host(self, url):
        """Return True if the pages of a host make this request themselves."""
        return url.startswith(tuple(own for host in self._hosts for own in host.requests))

    def _hear(self, said):
        if said.type == "error" and not self._is_of_a_host(said.location["url"]):
            self.errors.append(said.text)

    def _block(self, route):
        self.outside.append(route.request.url)
        route.abort()

    def _block_socket(self, route):
        self.outside.append(route.url)
        route.close()
