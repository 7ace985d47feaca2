"""Returns the responses behind a frame. Comparing the frame with them is left to trace."""

from typing import Final

import pandas as pd
from msgspec.structs import asdict

from suburb_pandas.client.client import Client
from suburb_pandas.client.session import request_context
from suburb_pandas.frames.schema import AREA_NAME
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


def provenance(frame: pd.DataFrame, *, client: Client | None = None) -> pd.DataFrame:
    """Check a frame value by value, and return the responses behind it. No call is made.

    Every value of a frame of rents, of drivers, of a summary or of a scorecard is compared with the responses that it
    could have come from: those of its loader, those that this process has used, and those in the store or on the
    cassette in use. It makes no difference if rows or columns are missing, if their order or dtype has changed, or if
    the frame was saved to a file and read back. A rent that is NaN where the response has a number is refused in a long
    or tidy frame; in a wide one, it only means that another suburb has a value on that date. Columns with other names,
    such as those that were joined with a ``prefix``, are not compared.

    If the attrs of a frame name the operations that computed it, the frame is computed again from the responses, and
    compared with a tolerance of 1e-9. If the two differ, the responses are cut at the first date of the frame, and it
    is computed again from these. If its values were cut in another way or changed before these operations, or changed
    or rounded after them, the two still differ. The responses are then returned although the frame was not reproduced,
    and :func:`cite` says so. If the rents came from a file that keeps no attrs, such as CSV, an error is raised
    instead.

    Parameters
    ----------
    frame
        A frame that a loader returned or that this package computed, or a part of one.
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
        A value of the frame is in no response, or nothing says which responses are behind the frame. Or the steps of an
        index of rents differ from those that the responses give; another base and rounding make no difference.
    TypeError
        ``frame`` is not a frame.

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
