"""The service itself: from a request to its answer, through key, wallet and the faults asked for.

Owns the order of checks: path, method, fault, key, what the key may see, what exists, the wallet. What is
answered comes from `series`, `premiums` and `geocode`; who pays is `accounts`; how bytes reach the client is
`delivery`.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from suburb_pandas.sandbox import accounts, geocode, oddities, premiums, routes, series
from suburb_pandas.sandbox.accounts import Accounts, Charge, Seen
from suburb_pandas.sandbox.adversary import faults
from suburb_pandas.sandbox.adversary.faults import INSTEAD, Fault
from suburb_pandas.sandbox.adversary.script import CannedAnswer, FaultCue, Script
from suburb_pandas.sandbox.answers import Answer, answer, common_headers, error, request_id
from suburb_pandas.sandbox.country import BY_NAME
from suburb_pandas.sandbox.routes import Request

_QUERY_MISSING = [{"type": "missing", "loc": ["query", "q"], "msg": "Field required", "input": None}]


@dataclass(frozen=True)
class Outcome:
    """An answer, and the fault that it is to be delivered with."""

    answer: Answer
    fault: Fault | None = None
    seconds: float = 0.0


class App:
    """The service.

    Parameters
    ----------
    accounts
        Keys, wallets and counts.
    script
        What is to go wrong.
    latency_ms
        How long every answer takes at the least.
    """

    def __init__(self, accounts: Accounts, script: Script, latency_ms: float = 0) -> None:
        self.accounts = accounts
        self.script = script
        self._latency = latency_ms / 1000

    def respond(self, environ: Mapping[str, Any]) -> Outcome:
        """Answer the request in a WSGI environment, and count it."""
        request = routes.read(environ)
        if request.target.partition("?")[0] == routes.TALLY_PATH:
            return Outcome(answer(request.target, 200, self.accounts.tally()))
        with self.accounts.in_hand():
            outcome = self._outcome(request)
            authorization = "HTTP_AUTHORIZATION" in environ
            seen = Seen(request.method, request.target, outcome.answer.status, authorization, outcome.fault)
            self.accounts.remember(seen)
        return outcome

    def _outcome(self, request: Request) -> Outcome:
        if not request.endpoint:
            return Outcome(error(request.target, 404, "Not Found"))
        if request.method != "GET":
            return Outcome(error(request.target, 405, "Method Not Allowed", {"Allow": "GET"}))
        time.sleep(self._latency)
        cue = self.script.fault(request)
        if cue is None:
            return Outcome(self._answer(request))
        return self._faulty(request, cue)

    def _faulty(self, request: Request, cue: FaultCue) -> Outcome:
        """An answer that something goes wrong with."""
        if cue.fault == Fault.LATENCY:
            self.script.wait(cue.seconds)
        if cue.fault in INSTEAD:
            spoilt = faults.instead(cue.fault, request.target)
        else:
            spoilt = faults.spoil(cue.fault, self._answer(request), request.target)
        return Outcome(spoilt, cue.fault, cue.seconds)

    def _answer(self, request: Request) -> Answer:
        """The right answer, after the checks."""
        if not accounts.is_known(request.key):
            return error(request.target, 401, "Missing or unknown API key")
        canned = self.script.canned(request)
        if canned:
            return self._canned(request, canned)
        return _refusal(request) or self._metered(request, answer(request.target, 200, _payload(request)))

    def _canned(self, request: Request, canned: CannedAnswer) -> Answer:
        """What a test wants answered, word for word."""
        given = Answer(canned.status, common_headers(request.target), canned.body)
        return (self._metered(request, given) if canned.billed else given).with_headers(canned.headers)

    def _metered(self, request: Request, free: Answer) -> Answer:
        """The answer with its metering, once the wallet has paid for it."""
        charge = self.accounts.charge(request.key, request.endpoint, request.name)
        if charge is None:
            return error(request.target, 402, "Wallet empty")
        return free.with_headers(_metering(request.target, charge))


def _refusal(request: Request) -> Answer | None:
    """Why there is no answer for this name under this key; None if there is one."""
    if request.endpoint == "geocode":
        return None if request.name else error(request.target, 422, _QUERY_MISSING)
    if not accounts.may_read(request.key, request.name):
        return error(request.target, 403, "This key is not good for that suburb")
    if request.name not in BY_NAME:
        return error(request.target, 404, "No suburb has exactly this name")
    return None


def _payload(request: Request) -> dict[str, Any]:
    """The body of a 200."""
    if request.endpoint == "geocode":
        return {"data": geocode.candidates(request.name, request.state)}
    reason = oddities.reason_for_none(request.endpoint, request.name)
    if reason:
        return {"data": None, "available": False, "reason": reason, "message": oddities.MESSAGES[reason]}
    suburb = BY_NAME[request.name]
    return {"data": series.rents(suburb) if request.endpoint == "rent" else premiums.impacts(suburb)}


def _metering(target: str, charge: Charge) -> dict[str, str]:
    """The headers that say what a call cost; the id of a call that costs money is its own."""
    return {
        "X-Cost-Cents": str(charge.cents),
        "X-Spent-Cents": str(charge.spent),
        "X-Remaining-Cents": str(charge.remaining),
        "X-Balance-Cents": str(charge.remaining),
        "X-Rate-Card-Version": "1",
        "X-Period-End": "2026-04-30T23:59:59Z",
        "X-Request-Id": request_id(target, charge.number),
    }
