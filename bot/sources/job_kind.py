"""Which jobs are alike: the kind of a job by its workflow and name, as CI systems write them."""

import re
from collections.abc import Iterable

MOST_NAME = 120
PARENTHESIS = re.compile(r"\(([^()]*)\)\s*$|:?\s*\[([^\[\]]*)\]\s*$")
"""The last one: of a matrix of GitHub, or of GitLab, `test: [linux, 1.2]`."""
PART = re.compile(r"\s#\d+(?=\s*(?:\(|$))|(?<=\S)[\s:]+\d+\s*[/:]\s*\d+\s*$")
"""The number of a build of Jenkins, `app #12`; or of one of several parallel jobs of GitLab, `test 1/5`."""
NUMBER = re.compile(r"\d+(?:\.\d+)*")
MACHINE = re.compile(r"(?:lf\.|c\.)*(?:linux|windows|macos|ubuntu)[.-][\w.-]+")
"""What looks like the label of a machine type."""


def kind_of(workflow: str, name: str, labels: Iterable[str] = ()) -> str:
    """`test (default, 1, 5, linux.2xlarge)` → `test (default)`: numbers and labels go from the last parenthesis.

    So do the number of a build, and that of one of several parallel jobs.
    """
    name = PART.sub("", name)
    found = PARENTHESIS.search(name)
    if found:
        gone = {label.strip().lower() for label in labels}
        parts = [part.strip() for part in (found[1] if found[1] is not None else found[2]).split(",")]
        kept = [part for part in parts if part and not NUMBER.fullmatch(part) and not _label(part, gone)]
        name = name[: found.start()].rstrip() + (f" ({', '.join(kept)})" if kept else "")
    return (f"{workflow} / {name}" if workflow else name)[:MOST_NAME] or "unnamed job"


def _label(part: str, labels: set[str]) -> bool:
    """Whether a part names a runner label: one of the job's, or what looks like a machine type."""
    low = part.lower()
    return low in labels or MACHINE.fullmatch(low) is not None
