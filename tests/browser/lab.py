"""Runs JupyterLab on loopback, isolated from the user's own settings, and names missing dependencies.

Notebook 7 and Voila are extensions of the same server. Their differences are left to hosts.py.
"""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import requests

from tests.browser.hosts import HOSTS
from tests.support.common import child_environment, wait_for

PROJECT = Path(__file__).parents[2]

_FOREIGN = ("SUBURB_", "JUPYTER", "IPYTHON", "MPLBACKEND")
"""The prefixes of environment variables that would change the behaviour of a kernel."""

_SETTINGS = {
    # Without these, JupyterLab asks for permission to fetch news, and looks for updates.
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    # By default JupyterLab leaves cells and outputs out of the page while they are out of view. (A number of 0 would
    # remove all outputs.)
    "notebook-extension/tracker": {"windowingMode": "none", "maxNumberOutputs": 1000},
}

_STARTUP = """
import os

os.environ["XDG_DATA_HOME"] = os.path.abspath("data")
del os
"""
"""Every kernel runs this first. A notebook has a folder of its own, and so a data folder of its own."""


def chromium_path():
    """Return the path of Chromium: the one in SUBURB_CHROMIUM if that is set, otherwise one on the PATH, or None."""
    named = os.environ.get("SUBURB_CHROMIUM")
    names = [named] if named else ["chromium", "chromium-browser", "google-chrome"]
    return next(filter(None, map(shutil.which, names)), None)


def missing():
    """Return the dependency that is missing for opening notebooks; None if nothing is missing."""
    for package in ("playwright", *(host.package for host in HOSTS)):
        if not find_spec(package):
            return f'no {package}: python -m pip install -e ".[test,browser]"'
    if not chromium_path():
        return "no Chromium: apt-get install chromium, or have SUBURB_CHROMIUM name one"
    return None


@dataclass
class Lab:
    """A running JupyterLab. Its notebooks are in `folder` or below it, and its settings in `home`."""

    folder: Path
    home: Path
    url: str
    token: str

    def set_theme(self, *, dark):
        """Set the theme of the pages that are opened from now on; a page that changes its theme changes this too."""
        _write_settings(self.home, "apputils-extension/themes", {"theme": theme_name(dark=dark)})

    def kernels(self):
        """Return the identifiers of the running kernels."""
        return [kernel["id"] for kernel in self._ask("get", "").json()]

    def stop_kernels(self):
        """Stop all kernels and wait for their end."""
        for kernel in self.kernels():
            self._ask("delete", f"/{kernel}")

    def _ask(self, method, path):
        with requests.Session() as session:
            session.trust_env = False  # requests would use a proxy of the environment for loopback too
            session.headers["Authorization"] = f"token {self.token}"
            response = session.request(method, f"{self.url}api/kernels{path}", timeout=30)
        response.raise_for_status()
        return response


def theme_name(*, dark):
    """Return JupyterLab's name of its dark or its light theme."""
    return "JupyterLab Dark" if dark else "JupyterLab Light"


@contextmanager
def jupyterlab(folder):
    """Run JupyterLab in a folder, and stop it and its kernels afterwards."""
    with TemporaryDirectory(prefix="lab-", ignore_cleanup_errors=True) as name:
        home = Path(name)
        for what, settings in _SETTINGS.items():
            _write_settings(home, what, settings)
        _write(home / "ipython/profile_default/startup/data.py", _STARTUP)
        server = _start(folder, home)
        try:
            lab = Lab(folder, home, *_address(server, home))
            yield lab
            lab.stop_kernels()
        finally:
            _stop(server)


def _write_settings(home, name, settings):
    _write(home / f"settings/@jupyterlab/{name}.jupyterlab-settings", json.dumps(settings))


def _write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _start(folder, home):
    """Start the server in its own process group, so that Ctrl-C reaches only the tests, which then stop the server."""
    options = [
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        f"--port={free_port()}",  # if another process takes it first, the server tries others
        f"--IdentityProvider.token={secrets.token_hex()}",
        f"--ServerApp.root_dir={folder}",
        "--LabApp.expose_app_in_browser=True",  # as window.jupyterapp, so that tests need no menus
        "--LabApp.extension_manager=readonly",
        "--JupyterNotebookApp.expose_app_in_browser=True",
        "--VoilaConfiguration.show_tracebacks=True",
        # Voila loads the extensions of JupyterLab too, and cannot load the one of Notebook 7.
        "--VoilaConfiguration.extension_denylist=['@jupyter-notebook/lab-extension']",
        # If the tests are killed, the server and its kernels end by themselves after 600 s.
        "--MappingKernelManager.cull_idle_timeout=600",
        "--ServerApp.shutdown_no_activity_timeout=600",
    ]
    with (home / "log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options],
            cwd=folder,
            env=_environment(home),
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _environment(home):
    """Return the environment of the server and its kernels: this Python, this project, no key, no CI."""
    folders = {
        "IPYTHONDIR": "ipython",
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "jupyter",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "XDG_DATA_HOME": "data",
    }
    own = {name: str(home / folder) for name, folder in folders.items()}
    return child_environment((*_FOREIGN, "CI"), JUPYTER_PREFER_ENV_PATH="1", PYTHONPATH=str(PROJECT), **own)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _address(server, home):
    """Wait until the server has written its URL and its token to a file, and return both."""
    path = home / f"runtime/jpserver-{server.pid}.json"

    def connection():
        assert server.poll() is None, (home / "log").read_text(encoding="utf-8")
        with suppress(FileNotFoundError, json.JSONDecodeError):
            return json.loads(path.read_text(encoding="utf-8"))

    found = wait_for(connection, 110)
    return found["url"], found["token"]


def _stop(server):
    """Stop the server, which stops its kernels; a kernel ends by itself if the server had to be killed."""
    server.terminate()
    try:
        server.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
