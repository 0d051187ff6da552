"""`.env` beside the configuration file: what it may contain, and that variables of the environment win."""

import subprocess

import pytest

from handlers.machine import entries
from tests.handlers.terminal import Terminal

LINES = """\
# a comment
PLAIN=xoxb-1#2 # a remark
export EXPORTED=a b

EMPTY=
SINGLE='$HOME "x" # y'
DOUBLE="one \\"two\\" \\$three
four"
"""
VALUES = {
    "PLAIN": "xoxb-1#2",
    "EXPORTED": "a b",
    "EMPTY": "",
    "SINGLE": '$HOME "x" # y',
    "DOUBLE": 'one "two" $three\nfour',
}


def test_an_environment_file_is_read_as_a_shell_reads_it() -> None:
    """But for a value with spaces, which may stand without quotes as in Docker's files."""
    assert dict(entries(LINES)) == VALUES
    sourced = LINES.replace("=a b", "='a b'")
    output = subprocess.run(["sh", "-c", f"set -a\n{sourced}env -0"], capture_output=True, text=True, check=True).stdout
    assert VALUES.items() <= dict(line.split("=", 1) for line in output.split("\0") if line).items()


@pytest.mark.parametrize("line", ["no variable", "A-B=1", 'OPEN="never closed', "TWO='a' b", "NUL=a\0b", 'NUL="\0"'])
def test_another_line_is_named_with_its_number(line: str) -> None:
    """Nothing of it is shown: it may be half a secret."""
    with pytest.raises(ValueError, match=r"^line 3: it is no variable$"):
        dict(entries(f"A=1\n\n{line}\n"))


def test_a_command_reads_the_file_beside_its_configuration(terminal: Terminal) -> None:
    """What is set in the environment wins; a file that cannot be read is one line."""
    (terminal.folder / ".env").write_text("\ufeffPORT=1\nTAILBACK_WEBHOOK_TOKEN=0123456789abcdef0123456789abcdef\n")
    assert "Nobody listens at http://127.0.0.1:1;" in terminal.run("send", "--example").complaint
    assert "Nobody listens at http://127.0.0.1:2;" in terminal.run("send", "--example", PORT="2").complaint
    elsewhere = terminal.run("send", "--example", TAILBACK_CONFIG="/nowhere/tailback.toml")
    assert "TAILBACK_WEBHOOK_TOKEN is not set" in elsewhere.complaint
    folder = terminal.run("run", TAILBACK_CONFIG=".").err.splitlines()[0]
    assert folder.startswith("tailback: .: cannot be read (Is a directory); name a file")
    (terminal.folder / ".env").write_text("PORT 1\n")
    assert ".env, line 1: it is no variable; write NAME=value" in terminal.run("check").complaint
