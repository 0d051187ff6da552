"""What a person wrote: an address in any of Slack's forms, a number, or neither."""

import pytest

from bot.sources.job_address import JobAddress, addresses, job_address

URL = "https://github.com/org/repo/actions/runs/12/job/34"


@pytest.mark.parametrize("written", [URL, f"<{URL}>", f"<{URL}|the job (lint)>", f"see {URL}.", f"`{URL}`", f" {URL} "])
def test_an_address_is_found_in_every_form(written: str) -> None:
    assert job_address(written) == JobAddress(URL)


@pytest.mark.parametrize("written", ["34", "#34", " 34 "])
def test_a_number_is_told_apart(written: str) -> None:
    assert job_address(written) == JobAddress("34", number=True)


@pytest.mark.parametrize("written", ["", "my job", "ftp://github.com/x", "1" * 21, "javascript:alert(1)"])
def test_anything_else_is_nothing(written: str) -> None:
    assert job_address(written) is None


def test_a_message_may_hold_several() -> None:
    assert addresses(f"<{URL}|a> and {URL}?pr=5, {URL}") == (URL, f"{URL}?pr=5")
