"""Describes the programs that show notebooks to users. One server runs all of them, JupyterLab's; see lab.py."""

from dataclasses import dataclass

_LIVE = "jupyterapp.shell.currentWidget"

# JupyterLab and Notebook 7 show their menus before the kernel is ready, so the script waits for the session itself.
_LIVE_READY = f"""async () => {{
    await jupyterapp.restored;
    await {_LIVE}.context.ready;
    await {_LIVE}.sessionContext.ready;
}}"""


@dataclass(frozen=True)
class Host:
    """A program that shows notebooks, and how a script in its pages reaches the kernel.

    Attributes
    ----------
    name, package : str
        Its name, and the Python package that installs it.
    address : str
        The address of a notebook on the server. ``{path}`` is that of the notebook, ``{theme}`` is light or dark.
    loaded : str
        An expression that becomes true when its page is ready for ``ready``.
    ready : str
        A function that waits for the kernel.
    kernel : str
        The connection to the kernel.
    run : str
        A function that runs all cells, and returns whether all succeeded.
    requests : tuple of str
        The beginnings of the addresses outside loopback that its own pages request, with and without a picker.
    errors : tuple of str
        The errors that its own pages raise, with and without a picker.
    """

    name: str
    package: str
    address: str
    loaded: str = "window.jupyterapp?.shell.currentWidget?.context"
    ready: str = _LIVE_READY
    kernel: str = f"{_LIVE}.sessionContext.session.kernel"
    run: str = "() => jupyterapp.commands.execute('notebook:run-all-cells')"
    requests: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()

    def __str__(self):
        return self.name


LAB = Host("JupyterLab", "jupyterlab", "lab/tree/{path}?reset")

NOTEBOOK = Host(
    "Notebook 7",
    "notebook",
    "notebooks/{path}?",
    errors=(
        "Command 'filebrowser:open-path' not registered.",  # if the notebook is in a folder
        "Cannot read properties of undefined (reading 'schema')",  # if settings come late: in 2 of 11 pages
    ),
)

VOILA = Host(
    "Voila",
    "voila",
    "voila/render/{path}?theme={theme}",
    loaded="window.jupyterapp?._widgetManager",
    ready="() => jupyterapp.widgetManagerPromise",
    kernel="jupyterapp._widgetManager.kernel",
    # It has run the cells before it sends the page, up to the first error, which it shows in place of an output.
    run="() => !/Traceback \\(most recent call last\\)/.test(document.body.innerText)",
    requests=(
        "https://cdn.jsdelivr.net/npm/@fortawesome/fontawesome-free@%5E5/css/all.min.css",
        "https://cdn.jsdelivr.net/npm/@fortawesome/fontawesome-free@%5E5/css/v4-shims.min.css",
        "https://cdnjs.cloudflare.com/ajax/libs/mathjax/3.2.2/es5/latest.min.js",
    ),
)

HOSTS = (LAB, NOTEBOOK, VOILA)
