"""Numbers inside JSON documents: their paths, and quantities as Kubernetes writes them."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator

from bot.config import WrongSetting

Path = tuple[str, ...]
"""The keys that lead to a value."""
WRITTEN = re.compile(r"(?=.{0,100}$)([^\s.\\]+((\.|\\\.)[^\s.\\]+)*)?")
QUANTITY = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)(m|k|M|G|Ki|Mi|Gi)?")
SIZES = {"k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, None: 1}
FACTORS = {"m": Decimal("0.001"), **{suffix: Decimal(size) for suffix, size in SIZES.items()}}


def _written(text: str) -> str:
    if not WRITTEN.fullmatch(text):
        raise WrongSetting("must be keys with dots between them", "write for example spec.minReplicas")
    return text


Dotted = Annotated[str, AfterValidator(_written)]
"""A path in the configuration, or empty; a dot inside a key is written `\\.`."""


def path_of(text: str) -> Path:
    """`spec.limits.nvidia\\.com/gpu` as keys; empty for an empty text."""
    return tuple(key.replace("\\.", ".") for key in re.split(r"(?<!\\)\.", text)) if text else ()


def dotted(path: Path) -> str:
    return ".".join(key.replace(".", "\\.") for key in path)


def at(body: object, path: Path) -> object:
    """The value at a path; None if missing."""
    for key in path:
        body = body.get(key) if isinstance(body, Mapping) else None
    return body


def nested(path: Path, value: object) -> Mapping[str, object]:
    head, *rest = path
    return {head: nested(tuple(rest), value) if rest else value}


def amount(body: object, path: Path) -> Decimal | None:
    """The number or quantity at a path, zero or more; None for anything else."""
    value = at(body, path) if path else None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    found = QUANTITY.fullmatch(str(value))
    return Decimal(found[1]) * FACTORS[found[2]] if found else None
