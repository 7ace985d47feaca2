"""Owns the commands of ``python -m suburb_pandas`` that are more than a call of one function.

`demo.demo` shows the main job to a newcomer, and `record.record` records the cassettes that the package's tests replay.
Leaves the command line to ``__main__.py``, which alone may import it, notebooks to notebook, and serving to sandbox.
Never call anything but a sandbox, or the service under its free key.
"""
