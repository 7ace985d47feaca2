"""Provides the widgets that this folder extends, with types: ipywidgets has none, so checkers know nothing of them.

What the widgets do at run time is left to ipywidgets and anywidget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from traitlets import HasTraits

    class _Widget(HasTraits):
        """A widget, of which any attribute is Any."""

        def __init__(self, **traits: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

    class AnyWidget(_Widget):
        """A widget with JavaScript of its own."""

    class Button(_Widget):
        """A button."""

    class VBox(_Widget):
        """A column of widgets."""

else:
    from anywidget import AnyWidget
    from ipywidgets import Button, VBox

__all__ = ["AnyWidget", "Button", "VBox"]
