"""Returns the responses behind a frame. Comparing the frame with them is left to trace."""

from typing import Final

import pandas as pd
from msgspec.structs import asdict

from suburb_pandas.client.client import Client
from suburb_pandas.client.session import request_context
from suburb_pandas.frames.schema import AREA_NAME
from suburb_pandas.loaders.frames import UTC_TIME, table
from suburb_pandas.tracebacks import short_traceback
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
    """Return the responses behind a frame of this package, from a store or a cassette. No call is made.

    Every value of a frame of rents, of drivers, of a summary or of a scorecard is compared with the responses that it
    can have come from: those of its loader, those that this process has used, and those in the store. Missing rows and
    columns, another order and another dtype make no difference, nor does a file in between. A rent that is NaN where
    the response has a number is refused in a long or tidy frame; in a wide one it only says that another suburb has a
    value on that date. Columns with other names, such as those that were joined with a ``prefix``, are not compared.

    A frame whose attrs name the operations that computed it is computed again from the responses, and compared to 1e-9.
    If it was cut or changed before, this cannot succeed; the responses that it was made from are then returned without
    that proof, and :func:`cite` says so.

    Parameters
    ----------
    frame
        A frame that a loader returned or that this package computed, or a part of one.
    client
        The client whose store is searched, instead of the default one.

    Returns
    -------
    pandas.DataFrame
        One row for each response, index ``area_name``: ``endpoint``, ``retrieved_at`` (datetime64, in UTC without a
        time zone), ``source``, ``cents`` (int64, the price of the response when it was bought), ``sha256`` (of its
        body), ``request_id``. A scorecard has two rows for each suburb. The frame is shown with times to the second
        and the first 12 digits of ``sha256``; its values are whole.

    Raises
    ------
    ProvenanceError
        A value of the frame is in no response, or nothing says which responses are behind the frame.
    TypeError
        ``frame`` is not a frame.

    See Also
    --------
    cite : Cite the data in a frame in a sentence.
    vintages : Return the stored responses of a suburb.

    Examples
    --------
    >>> sp.provenance(sp.rent(["Lantern Bay (NSW)", "Quokka Bay"]))["cents"].to_list()
    [0, 0]
    """
    with short_traceback:
        behind = trace(frame, request_context(client)).behind
        pairs = [(item, vintage) for item, vintages in behind.items() for vintage in vintages]
        result = table([{"endpoint": item.endpoint, **asdict(vintage)} for item, vintage in pairs], _DTYPES)
        return result.set_index(pd.Index([item.area_name for item, _ in pairs], dtype="str", name=AREA_NAME))
