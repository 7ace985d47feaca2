"""Defines the base of the accessor's classes, which holds the frame."""

import pandas as pd


class FrameAccessor:
    """Holds a frame and no other state, because pandas makes a new accessor at each access.

    Parameters
    ----------
    frame
        The frame with the suburbs.
    """

    __slots__ = ("_frame",)

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame
