"""Reads the Dockerfile, with the files that reach the builder, and the systemd unit for the tests."""

import fnmatch
import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from tests.architecture.tree import ROOT

UNIT = ROOT / "deploy/systemd/tailback.service"


@dataclass(frozen=True)
class Instruction:
    """One instruction: its name and what follows, without line breaks."""

    name: str
    value: str

    @property
    def words(self) -> list[str]:
        """The arguments of the exec form; raises ValueError for the shell form."""
        return [str(word) for word in json.loads(self.value)]


def stages() -> list[list[Instruction]]:
    """The instructions of each stage, from its FROM on; what stands before the first FROM comes with the first."""
    text = re.sub(r"^\s*#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.M).replace("\\\n", " ")
    found: list[list[Instruction]] = [[]]
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, value = line.partition(" ")
        if name == "FROM" and any(one.name == "FROM" for one in found[-1]):
            found.append([])
        found[-1].append(Instruction(name, re.sub(r"\s+", " ", value.strip())))
    return found


BUILD, FINAL = stages()


def final(name: str) -> str:
    """The only instruction of that name in the final stage."""
    (found,) = [each.value for each in FINAL if each.name == name]
    return found


def variables() -> dict[str, str]:
    """What the final stage sets."""
    return dict(part.split("=", 1) for part in final("ENV").split())


def copied() -> list[tuple[str, str]]:
    """(source in the project, target) of every COPY that takes from the project, over all stages."""
    pairs = []
    for one in (one for one in (*BUILD, *FINAL) if one.name == "COPY"):
        words = [word for word in shlex.split(one.value) if not word.startswith("--")]
        if "--from=" not in one.value:
            pairs += [(source, words[-1]) for source in words[:-1]]
    return pairs


def reaches_the_builder(path: str) -> bool:
    """Whether .dockerignore lets a path through: the last rule that fits it or a folder above it wins."""
    allowed = True
    for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            rule = line.removeprefix("!").removeprefix("**/")
            parts = Path(path).parts
            above = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
            names = parts if "**/" in line else above
            if any(fnmatch.fnmatchcase(name, rule) for name in names):
                allowed = line.startswith("!")
    return allowed


def unit_settings() -> dict[str, list[str]]:
    """The settings of the unit, each with all its values."""
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", UNIT.read_text("utf-8"), re.M):
        found.setdefault(name, []).append(value)
    return found
