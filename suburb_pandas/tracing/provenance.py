"""Returns the responses behind a frame. Comparing the frame with them is left to trace."""

from typing import Final

import pandas as pd
from msgspec.structs import asdict

from suburb_pandas.client.client import Client
from suburb_pandas.client.session import request_context
from suburb_pandas.frames.schema import AREA_NAME, Rows
from suburb_pandas.loaders.frames import UTC_TIME, table
from suburb_pandas.tracing.trace import trace

_DTYPES: Final = {
    "endpoint": "str",
    "retrieved_at": UTC_TIME,
    "source": "str",
    "cents": "int64",
    "sha256": "str",
    "request_id": "str",
}


def provenance(frame: Rows, *, client: Client | None = None) -> pd.DataFrame:
    """Check a frame value by value, and return the responses behind it. No call is made.

    Every value of rents, of drivers, of a summary or of a scorecard is compared with the responses that it could have
    come from: those of its loader, those that this process has used, and those in the store or on the cassette in use.
    It makes no difference if rows or columns are missing, if their order, dtype or layout has changed, or if the frame
    was saved to a file and read back. A rent that is NaN where the response has a number is refused in a long frame or
    a panel; in a wide or tidy one, it is no value. The column of suburbs is found as ``df.suburb`` finds it. Columns
    that no response has are not compared.

    If the attrs of a frame name operations, such as ``resample``, the frame is computed again from the responses, which
    are cut before each operation to the dates of its input. What ``df.suburb.join_rent``, ``join_impacts`` and
    ``join_scorecard`` added is joined again. Numbers are compared with a tolerance of 1e-9. They may be rounded to the
    decimals that their column shows, from 0 to 6, unless that leaves nothing but zeros. What cannot be computed again
    is refused, such as values that were changed before or after an operation, or an index with your own weights.

    Files such as CSV keep no attrs. Rents, drivers, summaries and scorecards that were read from one are compared all
    the same; what was computed from rents is refused, so save it as Parquet.

    Parameters
    ----------
    frame
        A frame or a Series that a loader returned or that this package computed, or a part of one; or a frame of your
        own with joined columns.
    client
        The client to use instead of the default one; its store is searched.

    Returns
    -------
    pandas.DataFrame
        One row for each response, index ``area_name``: ``endpoint``, ``retrieved_at`` (datetime64, in UTC without a
        time zone), ``source``, ``cents`` (int64, the price of the response when it was bought), ``sha256`` (of its
        body), ``request_id``. A scorecard has two rows for each suburb.

    Raises
    ------
    ProvenanceError
        A value of the frame is in no response, the frame cannot be computed again, or nothing says which responses are
        behind it.
    TypeError
        ``frame`` is neither a frame nor a Series.

    See Also
    --------
    cite : Cite the data in a frame.
    vintages : Return the stored responses of a suburb.

    Examples
    --------
    >>> sp.provenance(sp.rent(["Lantern Bay (NSW)", "Quokka Bay"]))["cents"].to_list()
    [0, 0]
    """
    behind = trace(frame, request_context(client)).behind
    pairs = [(item, response) for item, responses in behind.items() for response in responses]
    result = table([{"endpoint": item.endpoint, **asdict(response)} for item, response in pairs], _DTYPES)
    return result.set_index(pd.Index([item.area_name for item, _ in pairs], dtype="str", name=AREA_NAME))
