"""Checks the accessibility of a part of a page with axe-core, which npm installs; see CONTRIBUTING.md."""

import os
from pathlib import Path

SCRIPT = os.environ.get("SUBURB_AXE")
"""The path of axe.min.js, if it is named."""

_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

# Without `iframes: false`, axe would wait for an answer from frames, into which no script was put.
_RUN = """async (part, tags) => {
    const options = {runOnly: {type: 'tag', values: tags}, resultTypes: ['violations'], iframes: false};
    const {violations} = await axe.run(part, options);
    return violations.flatMap(({id, impact, nodes}) =>
        nodes.map(({target, failureSummary}) => [id, impact, target.join(' '), failureSummary]));
}"""


def violations(part):
    """Return the violations of WCAG 2.2 A and AA and of good practice inside a locator, one line for each element.

    A line is the rule, its impact, the element, and what to fix. Rules about the page as a whole do not run. The
    locator must not be empty. A policy of the page cannot stop axe-core. If no script is named, nothing is checked.
    """
    if not SCRIPT:
        return []
    if not part.page.evaluate("typeof window.axe === 'object'"):
        part.page.evaluate(Path(SCRIPT).read_text(encoding="utf-8"))
    elements = part.all()
    assert elements, "there is nothing to check"
    return [_line(*node) for element in elements for node in element.evaluate(_RUN, _TAGS)]


def _line(rule, impact, target, summary):
    return f"{rule} ({impact}) at {target}: {' '.join(summary.split())}"
