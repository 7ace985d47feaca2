"""The base of the accessor's classes: the frame that the methods are about."""

import pandas as pd


class FrameAccessor:
    """Holds a frame. It has no other state: pandas makes a new accessor at each access.

    Parameters
    ----------
    frame
        The frame with the suburbs.
    """

    __slots__ = ("_frame",)

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame
