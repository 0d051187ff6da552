"""A setting of a scaler's page that is written wrongly is named with its place, before anything is asked."""

from pathlib import Path

import pytest

from tests.integrations.checking import checked, said


@pytest.mark.parametrize(
    ("page", "text", "instead", "told"),
    [
        ("arc", 'lever = "max"', 'lever = "cap"', '[pool."linux-2xlarge".scaler]: lever: '),
        ("aws", 'group = "ci-linux"', 'gruop = "ci-linux"', '[pool."linux".scaler]: gruop: there is no such setting'),
        ("aws", 'group = "ci-linux"', 'gruop = "ci-linux"', '[pool."linux".scaler]: group: is required'),
        ("command", '"{target}"', '"--to={target}"', "scaler]: set: {target}, {pool} and {act} stand alone"),
        ("github-file", r"(\d+)$", r"\d+$", '[pool."linux".scaler]: pattern: needs exactly one group'),
        ("kubernetes", 'name = "runners"\nmax', 'nmae = "runners"\nmax', "scaler]: nmae: there is no such setting"),
        ("github-aws-runners", 'cooldown = "5m"\n', 'cooldown = "5m"\nlease = "2h"\n',
         "lease: these runners end by themselves and cannot be returned; leave it out"),
    ],
)  # fmt: skip
async def test_a_setting_that_cannot_be_meant_is_named_with_its_place(
    page: str, text: str, instead: str, told: str, tmp_path: Path
) -> None:
    found = await checked(page, tmp_path, {text: instead})
    assert any(told in said(one) for one in found if one.area == "configuration")
