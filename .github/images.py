"""Pins the base images of Dockerfile and compose.yaml by digest: `images.py renew` looks each tag up and writes it.

Docker itself is asked, so that a mirror or a login of the pipeline counts. Ends with 1 when a tag cannot be looked up;
nothing is written then.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = ("Dockerfile", "compose.yaml")
IMAGE = re.compile(r"^(\s*image: |ARG \w+_IMAGE=)([\w./-]+:[\w.-]+)(@sha256:[0-9a-f]{64})?$", re.MULTILINE)
"""One with a tag; what is built here has none."""
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def digest(image: str) -> str:
    """The digest of a tag, for all of its platforms. Raises ValueError."""
    asked = ["docker", "buildx", "imagetools", "inspect", image, "--format", "{{.Manifest.Digest}}"]
    ran = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=120)
    if not (found := DIGEST.fullmatch(ran.stdout.strip())):
        raise ValueError(f"{image}: no digest: {ran.stdout.strip()} {ran.stderr.strip()}".strip())
    return found[0]


def renew() -> int:
    """Write the digest of today behind every tag."""
    files = {name: (ROOT / name).read_text("utf-8") for name in FILES}
    images = sorted({found[2] for text in files.values() for found in IMAGE.finditer(text)})
    try:
        known = {image: digest(image) for image in images}
    except (ValueError, OSError, subprocess.TimeoutExpired) as error:
        print(error, file=sys.stderr)
        return 1
    for name, text in files.items():
        (ROOT / name).write_text(IMAGE.sub(lambda found: f"{found[1]}{found[2]}@{known[found[2]]}", text), "utf-8")
    for image, by in known.items():
        print(f"{image}@{by}")
    return 0


if __name__ == "__main__":
    if sys.argv[1:] != ["renew"]:
        sys.exit(__doc__)
    sys.exit(renew())
