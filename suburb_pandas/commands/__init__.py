"""The commands of ``python -m suburb_pandas`` that are more than a call of one function.

Owns the demo, and the recording of the cassettes that the package's own tests replay.
Reading the command line is left to ``__main__.py``, running notebooks to notebook, serving made-up suburbs to sandbox.
Only ``__main__.py`` may import it.
"""
