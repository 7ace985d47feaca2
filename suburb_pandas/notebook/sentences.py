"""Writes errors and warnings as sentences for the page: what happened, what it cost, and what to press next.

The sentences are built from the class and the fields of an error, never from its message, which is for programmers. A
warning keeps its message, unless that names an argument, because the picker has no arguments.
Advice before any request is left to advice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil
from typing import Any, Final, NamedTuple

from suburb_pandas import errors
from suburb_pandas.errors import SuburbError
from suburb_pandas.messages import counted, joined
from suburb_pandas.purchasing.explanations import LOST
from suburb_pandas.redaction import redacted
from suburb_pandas.settings import Key

_MOST_NAMED: Final = 5
_MOST_SUGGESTED: Final = 3
_UNNAMED: Final = "this request"
_UNREAD_PRICE: Final = "X-Cost-Cents"
_STALE: Final = (
    "Some of these data were retrieved more than 30 days ago. The picker does not buy stored data again. To buy newer "
    'data, at the price of a first load, load these suburbs in a cell with max_age="30D".'
)

_REFUSALS: Final = (errors.UnknownSuburb, errors.Forbidden, errors.Rejected)

Failed = Mapping[str, Any]
"""The errors of one class, by the name of their suburb or the query of their look-up."""


class _Words(NamedTuple):
    """The words for a class of errors.

    ``what`` is the sentence that says what happened. ``short`` says the same in brackets after a suburb. ``then`` says
    which button to press, or what else to do. ``short`` and ``then`` are parts of a sentence. ``is_certain`` is False
    if it is not certain that the cents of an error were charged.
    """

    what: Callable[[Failed], str]
    short: Callable[[Any], str]
    then: Callable[[Any, str], str]
    is_certain: bool = True


def in_sentences(problem: BaseException, secret: Key | None = None) -> str:
    """Return an error in at most three sentences: what happened, what it cost or may have cost, and what to do.

    The code in them is the line that raises a limit, or one that shows the ledger. ``secret`` is never shown.
    """
    if not isinstance(problem, SuburbError):
        text = redacted(str(problem), secret).rstrip(". ")
        happened = f"Something unexpected happened{f': {text}' if text else ''}."
        return f"{happened} Look at sp.ledger() for charges, then try again."
    failed = _failures_of(problem)
    then = _then(failed, "the button" if problem.frame is None else "Load")
    if problem.frame is not None and len(problem.frame):
        stored = "" if isinstance(problem, errors.StoreError) else " stored and"
        then += f"; the data that arrived are{stored} shown below"
    return f"{_what(failed)} {_cost(failed)} {then[0].upper()}{then[1:]}."


def noted(warning: errors.SuburbWarning) -> str:
    """Return a warning in sentences."""
    return _STALE if isinstance(warning, errors.StaleDataWarning) else str(warning)


def _failures_of(problem: SuburbError) -> Failed:
    """Return the failures of a request for many suburbs; if one error stopped the request, that error."""
    if problem.failures and isinstance(problem, errors.BatchIncomplete | errors.UnknownSuburb):
        return problem.failures
    return {problem.area_name or _UNNAMED: problem}


def _words(problem: SuburbError) -> _Words:
    return next((_WORDS[kind] for kind in type(problem).__mro__ if kind in _WORDS), _OTHER)


def _what(failed: Failed) -> str:
    groups: dict[str, dict[str, SuburbError]] = {}
    for name, problem in failed.items():
        groups.setdefault(_words(problem).short(problem), {})[name] = problem
    if len(groups) == 1:
        return _words(next(iter(failed.values()))).what(failed)
    listed = ", ".join(f"{_named(group)} ({short})" for short, group in groups.items())
    return f"{counted(len(failed), 'suburb')} could not be loaded: {listed}."


def _cost(failed: Failed) -> str:
    cents = sum(problem.cents for problem in failed.values())
    if not cents and _was_lost(failed):
        return "The call of the other request may have been charged; sp.ledger() shows what it may have cost."
    if not cents:
        return "Nothing was charged for that."
    cost = f"{'may have cost up to' if _is_uncertain(failed) else 'cost'} {counted(cents, 'cent')}"
    if len(failed) > 1:
        return f"Those calls {cost}."
    # The error that stops a request has a quote, and the cents of all its calls.
    return f"That call {cost}." if _first(failed).quote is None else f"The request {cost} in all."


def _was_lost(failed: Failed) -> bool:
    """Return True if another request made one of the calls, and its outcome is unknown."""
    return any(problem.why == LOST for problem in failed.values())


def _is_uncertain(failed: Failed) -> bool:
    """Return True if one of the calls may not have been charged."""
    return any(one.cents and not (_words(one).is_certain and _price_was_read(one)) for one in failed.values())


def _price_was_read(problem: SuburbError) -> bool:
    return getattr(problem, "path", "") != _UNREAD_PRICE


def _then(failed: Failed, button: str) -> str:
    if len({type(problem) for problem in failed.values()}) == 1:
        return _words(_first(failed)).then(failed, button) + _asks_again(failed)
    if any(problem.retryable for problem in failed.values()):
        return f"press {button} again for the rest{_twice(failed)}"
    return f"remove them, and press {button} again"


def _asks_again(failed: Failed) -> str:
    """Return how to ask again after refusals that are stored; a key that covers more is refused by them, too."""
    refused = [name for name, one in failed.items() if one.is_stored and isinstance(one, _REFUSALS)]
    return (
        f"; the refusal is stored, so to ask again, load {joined(refused)} in a cell with refresh=True"
        if refused
        else ""
    )


def _twice(failed: Failed) -> str:
    return ", which may charge a second time" if _is_uncertain(failed) else ""


def _named(names: Mapping[str, Any], conjunction: str = "and") -> str:
    return joined(names, conjunction, most=_MOST_NAMED)


def _first(failed: Failed) -> Any:
    return next(iter(failed.values()))


def _quoting(failed: Failed) -> str:
    """Return the request id that the service's support asks for, if there is one."""
    request_id = _first(failed).request_id
    return f", and quote the request id {request_id}" if request_id else ""


def _no_such(failed: Failed) -> str:
    near = dict.fromkeys(name for problem in failed.values() for name in problem.suggestions[:_MOST_SUGGESTED])
    end = f"; did you mean {joined([*near][:_MOST_SUGGESTED], 'or')}?" if near else "."
    problem, names = _first(failed), _named(failed, "or")
    if _UNNAMED in failed:
        return f"No suburb known here has that name{end}"
    if problem.why:
        return f"There is no {names} here, because {problem.why}{end}"
    by = "The service knows no suburb" if problem.status_code else "No suburb known here is"
    return f"{by} called {names}{end}"


def _after_no_such(failed: Failed, _button: str) -> str:
    return "choose a name from the suggestions" + (", or connect with a key" if _first(failed).why else "")


def _ambiguous(failed: Failed) -> str:
    candidates = _first(failed).candidates[:_MOST_SUGGESTED]
    return f"Several suburbs match{f', such as {joined(candidates)}' if candidates else ''}."


def _not_covered(failed: Failed) -> str:
    known = _first(failed).known
    covered = f"; it covers only {joined(known)}" if known else ""
    return f"The key does not cover {_named(failed, 'or')}{covered}."


def _wait(failed: Failed, button: str) -> str:
    seconds = _first(failed).retry_after
    wait = "a little" if not seconds else counted(ceil(seconds), "second")
    return f"wait {wait}, and press {button} again"


def _service_failed(failed: Failed) -> str:
    problem = _first(failed)
    names = _named(failed)
    how = f"redirected the request for {names}" if _is_redirect(problem) else f"failed on {names}"
    return f"The service {how}{_status(problem)}."


def _is_redirect(problem: SuburbError) -> bool:
    return problem.status_code is not None and problem.status_code // 100 == 3  # noqa: PLR2004 - 3xx


def _status(problem: SuburbError) -> str:
    return f" (status {problem.status_code})" if problem.status_code else ""


def _after_service_failed(failed: Failed, button: str) -> str:
    if _is_redirect(_first(failed)):
        return "check the address of the service"
    ask = f"; if it fails again, tell the service{_quoting(failed)}" if _quoting(failed) else ""
    return f"press {button} again later{_twice(failed)}{ask}"


def _unreached(failed: Failed) -> str:
    why = _first(failed).why or "no complete response came back"
    return f"The data for {_named(failed)} did not arrive: {why}."


def _after_unreached(failed: Failed, button: str) -> str:
    if _was_lost(failed):
        return f"press {button} again, which may charge a second time"
    again = f"press {button} again{_twice(failed)}"
    return again if _is_uncertain(failed) else f"check the network, and {again}"


def _unreadable(failed: Failed) -> str:
    if not _price_was_read(_first(failed)):
        return "The service sent a price that cannot be read, so the request was stopped."
    return f"The response for {_named(failed)} does not follow the service's specification."


def _after_unreadable(failed: Failed, button: str) -> str:
    if not _price_was_read(_first(failed)):
        return f"look at the price before you press {button} again"
    return f"tell the service{_quoting(failed)}; the response is stored, and {button} does not buy it again"


def _over_cap(failed: Failed) -> str:
    problem = _first(failed)
    if problem.cents:
        return "A call cost more than the price that was shown, so the request was stopped."
    if problem.quote is None or problem.quote.cents <= problem.quote.limits.cap:
        return "The price has risen since it was shown."
    cents, cap = counted(problem.quote.cents, "cent"), problem.quote.limits.cap
    return f"This costs {cents}, and the limit for one request is {cap}."


def _over_budget(failed: Failed) -> str:
    if _first(failed).quote is None:
        return "This costs more than the budget of the month allows."
    limits = _first(failed).quote.limits
    return (
        f"This costs {counted(limits.cents, 'cent')}, but the month's budget is {limits.budget} cents, of which "
        f"{limits.used}."
    )


def _raise_limits(failed: Failed, button: str) -> str:
    problem = _first(failed)
    if problem.quote is None or problem.quote.limits.allow or problem.cents:
        return f"look at the price before you press {button} again"
    return f"to allow it, run {problem.quote.line} in a cell, and press {button} again"


def _not_stored(failed: Failed) -> str:
    quote = _first(failed).quote
    names = _named(dict.fromkeys(item.area_name for item in quote.to_buy)) if quote is not None else _named(failed)
    is_replayed = quote is not None and quote.limits.is_replayed
    return f"{'The cassette' if is_replayed else 'The store'} has no data for {names}, and nothing can be bought here."


def _store(failed: Failed) -> str:
    return f"The store cannot be used{_because(_first(failed))}."


def _after_store(failed: Failed, button: str) -> str:
    kept = " in this session, which keeps the response" if _first(failed).cents else ""
    return f"fix this, and press {button} again{kept}"


def _because(problem: SuburbError) -> str:
    return f": {problem.why}" if problem.why else ""


def _settings(failed: Failed) -> str:
    problem = _first(failed)
    if problem.quote is not None:
        cost = f"This costs {counted(problem.quote.cents, 'cent')}"
        return f"{cost}, and the environment variable CI is set, so nothing can be bought until you set a limit."
    return f"The settings of this session do not allow this request{_because(problem)}."


def _after_settings(failed: Failed, button: str) -> str:
    if _first(failed).quote is not None:
        return _raise_limits(failed, button)
    return f"connect again with the right settings, and press {button} again"


def _always(text: str) -> Callable[..., str]:
    """Return a function that returns a text, in which ``{names}`` and ``{button}`` are replaced."""

    def filled(failed: Any, button: str = "") -> str:
        return text.format(names=_named(failed) if isinstance(failed, Mapping) else "", button=button)

    return filled


_WORDS: Final[dict[type[SuburbError], _Words]] = {
    errors.UnknownSuburb: _Words(_no_such, _always("no such suburb"), _after_no_such),
    errors.AmbiguousSuburb: _Words(_ambiguous, _always("several match"), _always("choose one of them")),
    errors.InvalidName: _Words(
        _always("This text cannot be the name of a suburb."),
        _always("not a name"),
        _always("choose a name from the suggestions"),
    ),
    errors.NoData: _Words(
        _always("The service has no data for {names}."),
        _always("no data"),
        _always("choose another suburb: asking for this one again is free, but returns the same stored response"),
    ),
    errors.Unauthorized: _Words(
        _always("The service did not accept the key."),
        _always("the key was not accepted"),
        _always("check the key in the environment, connect again, and press {button} again"),
    ),
    errors.PaymentRequired: _Words(
        _always("The prepaid wallet of the key cannot pay for {names}."),
        _always("the wallet cannot pay"),
        _always("top it up with the service, and press {button} again"),
    ),
    errors.Forbidden: _Words(
        _not_covered,
        _always("not covered by the key"),
        _always("choose another suburb, or use a key that covers it"),
    ),
    errors.Rejected: _Words(
        lambda failed: f"The service refused the request for {_named(failed)}{_status(_first(failed))}.",
        _always("refused by the service"),
        lambda failed, _: f"check the spelling, or ask the service{_quoting(failed)}",
    ),
    errors.RateLimited: _Words(
        _always("The service received too many requests, and refused {names} for now."),
        _always("refused for now"),
        _wait,
    ),
    errors.ServiceError: _Words(
        _service_failed,
        lambda problem: "redirected" if _is_redirect(problem) else "the service failed",
        _after_service_failed,
        is_certain=False,
    ),
    errors.Unreachable: _Words(
        _unreached, lambda problem: problem.why or "no complete response", _after_unreached, is_certain=False
    ),
    errors.ContractViolation: _Words(_unreadable, _always("the response cannot be read"), _after_unreadable),
    errors.CapExceeded: _Words(_over_cap, _always("over the limit"), _raise_limits),
    errors.BudgetExceeded: _Words(_over_budget, _always("over the budget"), _raise_limits),
    errors.NotStored: _Words(
        _not_stored,
        _always("not stored"),
        _always("choose other suburbs, or run the picker outside the block of the cassette"),
    ),
    errors.StoreError: _Words(_store, _always("the store cannot be used"), _after_store, is_certain=False),
    errors.CassetteError: _Words(
        lambda failed: f"The cassette cannot be read or written{_because(_first(failed))}.",
        _always("the cassette cannot be used"),
        _always("fix this, and press {button} again"),
    ),
    errors.SettingsError: _Words(_settings, _always("not allowed by the settings"), _after_settings, is_certain=False),
}

_OTHER: Final = _Words(
    _always("The request failed."), _always("it failed"), _always("press {button} again"), is_certain=False
)
