"""Provides the widgets that this folder extends, with types that ipywidgets lacks, and lists the widgets in a box.

Their behaviour at run time is left to ipywidgets and anywidget.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from traitlets import HasTraits

    class _Widget(HasTraits):
        """A widget whose attributes are all Any."""

        def __init__(self, **traits: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...
        def close(self) -> None: ...

    class AnyWidget(_Widget):
        """A widget with JavaScript of its own."""

    class Button(_Widget):
        """A button."""

    class VBox(_Widget):
        """A column of widgets."""

else:
    from anywidget import AnyWidget
    from ipywidgets import Button, VBox

__all__ = ["AnyWidget", "Button", "VBox", "widgets_in"]


def widgets_in(box: Any) -> Iterator[Any]:
    """Yield all widgets in a box, at any depth."""
    for child in getattr(box, "children", ()):
        yield from widgets_in(child)
        yield child
