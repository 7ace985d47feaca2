"""Fixtures for the tests of the store."""

import shutil
import subprocess

import pytest


@pytest.fixture
def small_disk(tmp_path):
    """Yield a folder on a disk of 24 MiB, and a function that makes the disk read-only."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    made = mount and subprocess.run([mount, "-t", "tmpfs", "-o", "size=24m", "none", folder], check=False)
    if not made or made.returncode:
        pytest.skip("no small disk can be mounted here")
    yield folder, lambda: subprocess.run([mount, "-o", "remount,ro", folder], check=True)
    subprocess.run([shutil.which("umount"), "-l", folder], check=True)
