"""Serves notebooks: the suburb picker, the ``%%cassette`` magic, and the check whether a notebook reruns.

`picker.SuburbPicker` is the widget, with its script and style for the browser; `check.check` runs a notebook.
Leaves loading to loaders, names to geocoding, charts to plotting. Only the package's own ``__init__`` and ``__main__``
import it; accessor may not.
Never buy on anything but the press of a button, or for more than the price that it shows.
"""
