"""A client: when it opens its parts, and what is left after it is closed."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

import suburb_pandas as sp
from tests.support.common import LIVE_KEY

NOBODY = 2**31 - 7
"""The number of a user that the system does not know."""


def test_a_temporary_store_is_private_and_is_gone_after_the_end(service):
    """Clients with ``store=":memory:"`` do not share responses, and each file is removed with its client."""
    first, second = (sp.Client(api_key=LIVE_KEY, base_url=service.url, store=":memory:") for _ in range(2))
    for client in (first, second):
        sp.rent("Quokka Bay", client=client)
    assert service.total_cents == 60
    folders = [client.store.path.parent for client in (first, second)]
    first.close()
    del second, client
    gc.collect()
    assert not any(folder.exists() for folder in folders)


@pytest.fixture
def homeless(monkeypatch, tmp_path):
    """Make this process one without a home folder, and return the working folder, which has to stay empty."""
    if not hasattr(os, "getuid"):
        pytest.skip("only POSIX has users without a home folder")
    for variable in ("HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: NOBODY)
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("platformdirs_raises", [True, False])
def test_without_a_home_folder_the_user_says_where_the_store_is(
    service, connect, homeless, monkeypatch, platformdirs_raises
):
    """Without a home folder there is no default store, so nothing is sent, and no folder called ~ is made."""
    if not platformdirs_raises:
        monkeypatch.setattr(platformdirs, "user_data_path", lambda name, **_: Path("~", ".local", "share", name))
    with connect() as client:
        assert "at most 2000 cents" in repr(client)
        with pytest.raises(sp.errors.SettingsError, match=r"no home folder.*Nothing was sent; pass store="):
            sp.rent("Quokka Bay")
    with connect(store="here.sqlite"):
        assert len(sp.rent("Quokka Bay")) > 100
    assert len(service.requests) == 1
    assert [path.name for path in homeless.iterdir()] == ["here.sqlite"]


def test_a_path_in_no_home_folder_is_refused(homeless, monkeypatch):
    """A path below ~ is refused where there is no home folder, before a folder called ~ is made.

    Another one can be used afterwards.
    """
    for store in ("~/x.sqlite", "~nobody-of-that-name/x.sqlite"):
        with pytest.raises(sp.errors.SettingsError, match=rf"^store must .*needs a home folder.*{store}"):
            sp.connect(api_key="test", store=store)
    with monkeypatch.context() as patch:
        patch.setenv("SUBURB_STORE", "~")
        with pytest.raises(sp.errors.SettingsError, match="needs a home folder"):
            sp.connect(api_key="test")
    for record in ("none", "all"):
        with pytest.raises(sp.errors.CassetteError, match=r"~/x.yaml .*no such home"), sp.cassette("~/x.yaml", record):
            pass
    for append_pins in (True, False):
        with pytest.raises(FileNotFoundError, match=r"no home folder for ~/x.csv\. Nothing was sent; write the path"):
            sp.resolve("quokka bay", pins="~/x.csv", append_pins=append_pins)
    with pytest.raises(FileNotFoundError, match=r"no home folder for ~/x\.csv"):
        sp.load_gazetteer(Path("~/x.csv"))
    assert not list(homeless.iterdir())
    with sp.connect(api_key="embedded"), sp.cassette("x.yaml"):
        sp.rent("Quokka Bay")
    assert [file.name for file in homeless.iterdir()] == ["x.yaml"]


IN_THE_FIRST_REQUEST = """
import faulthandler, os, queue, sys, threading, time
import suburb_pandas as sp

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name in sys.argv[1:]:
            begun.put(name)
            time.sleep(0.5)

begun, children = queue.SimpleQueue(), []
sys.meta_path.insert(0, Slow())
sp.connect(api_key="embedded")
thread = threading.Thread(target=sp.rent, args=(["Quokka Bay"],))
thread.start()
for _ in sys.argv[1:]:
    begun.get()
    children.append(os.fork())
    if not children[-1]:
        faulthandler.dump_traceback_later(30, exit=True)
        os._exit(0 if len(sp.rent(["Bilby Heights"])) else 1)
thread.join()
sys.exit(any([os.waitpid(child, 0)[1] for child in children]))
"""


def test_a_process_that_is_forked_off_in_the_first_request_is_not_held_up():
    """A child that is forked while another thread imports a module does not wait for that import for ever."""
    slow = ["requests", "werkzeug.serving"]
    subprocess.run([sys.executable, "-W", "ignore", "-c", IN_THE_FIRST_REQUEST, *slow], check=True, timeout=100)


def test_a_forked_process_that_ends_leaves_its_parents_sandbox_and_store_alone(embedded):
    """Closing a client in a forked child does not close the parent's sandbox or store."""
    sp.rent("Quokka Bay")
    child = os.fork()
    if child == 0:
        embedded.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert len(sp.rent(["Quokka Bay", "Bilby Heights"]))
