"""A client: when it opens its parts, and what is left after it is closed."""

import gc
import os
import subprocess
import sys
import threading
from multiprocessing import get_context
from pathlib import Path

import platformdirs
import pytest

import suburb_pandas as sp
from suburb_pandas.client import session
from tests.support.common import LIVE_KEY, RENTED, wait_for


def test_connect_makes_the_default_client():
    """`connect` returns the client that every function uses by default until it is closed."""
    client = sp.connect(api_key="test")
    assert session.request_context().client is client
    client.close()
    assert session.request_context().client is not client


def test_an_older_client_goes_on_after_another_connect(live, service):
    """A second `connect` does not close the earlier client, which can still be passed to a function."""
    sp.connect(api_key="test", base_url=service.url, store=":memory:")
    assert len(sp.rent("Quokka Bay", client=live))


def test_a_closed_client_says_so_and_sends_nothing(live, service):
    """A closed client raises SettingsError; a request does not reopen it."""
    live.close()
    live.close()
    with pytest.raises(sp.errors.SettingsError, match="closed"):
        sp.rent("Quokka Bay", client=live)
    assert service.requests == ()
    assert "closed" in repr(live)


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


def test_the_embedded_sandbox_keeps_nothing_unless_a_store_is_given(embedded, tmp_path):
    """Made-up responses go to a temporary store unless the user names another one."""
    sp.rent("Quokka Bay")
    assert not (tmp_path / "data").exists()
    with sp.Client(api_key="embedded", store=tmp_path / "s") as client:
        sp.rent("Quokka Bay", client=client)
    assert (tmp_path / "s").exists()


def test_the_default_store_is_in_the_users_data_folder(service, tmp_path):
    """Without ``store=``, responses go to a file in the user's data folder, where later sessions find them."""
    with sp.Client(api_key=LIVE_KEY, base_url=service.url) as client:
        sp.rent("Quokka Bay", client=client)
        assert client.store.path == tmp_path / "data" / "suburb_pandas" / "store.sqlite"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="only POSIX has users without a home folder")
@pytest.mark.parametrize("platformdirs_raises", [True, False], ids=["newer platformdirs", "older platformdirs"])
def test_without_a_home_folder_the_user_says_where_the_store_is(service, tmp_path, monkeypatch, platformdirs_raises):
    """Without a home folder there is no default store, so nothing is sent, and no folder called ~ is made."""
    for variable in ("HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 7)  # a user that the system does not know
    monkeypatch.chdir(tmp_path)
    if not platformdirs_raises:
        monkeypatch.setattr(platformdirs, "user_data_path", lambda name, **_: Path("~", ".local", "share", name))
    with sp.Client(api_key=LIVE_KEY, base_url=service.url) as client:
        assert "at most 2000 cents" in repr(client)
        with pytest.raises(sp.errors.SettingsError, match=r"no home folder.*Nothing was sent; pass store="):
            sp.rent("Quokka Bay", client=client)
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store="here.sqlite") as client:
        assert len(sp.rent("Quokka Bay", client=client)) > 100
    assert len(service.requests) == 1
    assert not (tmp_path / "~").exists()


def test_a_call_under_way_is_kept_although_the_client_is_closed(live, service):
    """A response that was paid for is stored, even if the client is closed during the call."""
    service.fail("latency", seconds=0.5)
    call = threading.Thread(target=sp.rent, args=("Quokka Bay",))
    call.start()
    wait_for(lambda: service.most_at_once)
    live.close()
    call.join()
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=live.settings.store) as second:
        assert sp.ledger(client=second)["outcome"].to_list() == ["billed"]
        sp.rent("Quokka Bay", client=second)
    assert service.total_cents == 30


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files as Linux shows them")
def test_many_requests_do_not_pile_up_open_files_or_threads(live):
    """The threads of a request end with it and leave no files open."""
    sp.rent(RENTED[0])
    before, threads = len(list(Path("/proc/self/fd").iterdir())), threading.active_count()
    for name in RENTED[1:31]:
        sp.rent(name)
    assert len(list(Path("/proc/self/fd").iterdir())) < before + 10
    assert threading.active_count() < threads + 15


def _rent_in_child(name):
    assert len(sp.rent(name)) > 100


def test_a_forked_process_uses_the_default_client_on_connections_of_its_own(live, service):
    """A parent and its forked children can buy at the same time. They share a store, so nothing is bought twice."""
    sp.rent(RENTED[0])
    children = [get_context("fork").Process(target=_rent_in_child, args=(name,)) for name in RENTED[:4]]
    for child in children:
        child.start()
    sp.rent(RENTED[4])
    for child in children:
        child.join(30)
    assert [child.exitcode for child in children] == [0] * 4
    assert set(service.served.values()) == {1}
    assert len(sp.ledger()) == 5


IN_THE_FIRST_REQUEST = """
import faulthandler, os, sys, threading, time
import suburb_pandas as sp

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            begun.set()
            time.sleep(0.5)

begun = threading.Event()
sys.meta_path.insert(0, Slow())
sp.connect(api_key="embedded")
thread = threading.Thread(target=sp.rent, args=(["Quokka Bay"],))
thread.start()
begun.wait()
child = os.fork()
if not child:
    faulthandler.dump_traceback_later(30, exit=True)
    os._exit(0 if len(sp.rent(["Bilby Heights"])) else 1)
thread.join()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize("module", ["requests", "urllib3.util.ssl_", "werkzeug", "werkzeug.serving"])
def test_a_process_that_is_forked_off_in_the_first_request_is_not_held_up(module):
    """A child that is forked while another thread imports a module does not wait for that import for ever."""
    subprocess.run([sys.executable, "-W", "ignore", "-c", IN_THE_FIRST_REQUEST, module], check=True, timeout=100)


def test_a_forked_process_that_ends_leaves_its_parents_sandbox_and_store_alone(embedded):
    """Closing a client in a forked child does not close the parent's sandbox or store."""
    sp.rent("Quokka Bay")
    child = os.fork()
    if child == 0:
        embedded.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert len(sp.rent(["Quokka Bay", "Bilby Heights"]))
