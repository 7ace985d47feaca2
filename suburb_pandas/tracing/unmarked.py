"""Explains why a frame that does not say how it was computed cannot be traced: one from a file, or a pivot.

Comparing values is left to series.
"""

from typing import Final

import pandas as pd

from suburb_pandas.errors import ProvenanceError
from suburb_pandas.frames.schema import AREA_NAME, PROPERTY_TYPE, RENT, marks_of
from suburb_pandas.messages import counted
from suburb_pandas.timeseries.layouts import KINDS, READ_HEADERS, has_unread_header
from suburb_pandas.tracing.checked import WAYS_ON, Checked

_RESAMPLED: Final = 'sp.resample(rents, "QE")'


def raise_if_unmarked_result(frame: pd.DataFrame, check: Checked) -> None:
    """Raise `ProvenanceError` if a frame without attrs has values that are probably results."""
    if check.looks_computed and not check.unknown and not marks_of(frame):
        raise ProvenanceError(
            f"This frame has no attrs, and {check.n_wrong} of its {counted(check.n_values, 'value')} "
            f"{'is' if check.n_wrong == 1 else 'are'} in no response, such as: "
            f"{check.differences[0]}; so the frame was probably computed, and then read from a file or rebuilt. "
            f"{_ways_to_keep(_RESAMPLED)} {WAYS_ON}"
        )


def raise_if_unmarked_index(frame: pd.DataFrame) -> None:
    """Raise `ProvenanceError` if a frame without attrs has the columns of an index of rents."""
    if not marks_of(frame) and any({f"{level}_n", f"{level}_share"} <= set(frame.columns) for level in KINDS):
        raise ProvenanceError(
            "This frame has the columns of sp.rent_index, but no attrs that say from which rents it was made. "
            f"{_ways_to_keep(f'sp.rent_index({_RESAMPLED})')} {WAYS_ON}"
        )


def raise_if_unread_header(frame: pd.DataFrame) -> None:
    """Raise `ProvenanceError` if a wide frame was read from a file without its second header row or its index."""
    if has_unread_header(frame):
        raise ProvenanceError(f"This frame does not say which suburbs its values are about. {READ_HEADERS}")


def raise_if_pivoted(frame: pd.DataFrame) -> None:
    """Raise `ProvenanceError` if the columns of a frame without dates are values of a column, as those of a pivot."""
    names = {name for name in frame.columns.names if name is not None}
    is_of_suburbs = names == {AREA_NAME} and (
        frame.index.name is not None or marks_of(frame).get("endpoint", RENT) != RENT
    )
    if is_of_suburbs or not names <= {AREA_NAME, PROPERTY_TYPE}:
        raise ProvenanceError(
            "The columns of this frame are the values of a column, as in a pivot, and such a table cannot be traced. "
            "Cite the frame that it was made from, as in sp.cite(drivers)"
        )


def _ways_to_keep(line: str) -> str:
    """Say how a result is saved so that it can be cited; ``line`` computes it from rents."""
    return (
        "A file such as CSV or Excel does not keep how a frame was computed: save results as Parquet, "
        'frame.to_parquet("frame.parquet"), or save the rents as they were loaded and compute after reading, '
        f'as in rents = pd.read_csv("rents.csv"); {line}.'
    )
