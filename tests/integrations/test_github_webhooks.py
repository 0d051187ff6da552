"""The configuration of docs/integrations/github-webhooks.md through the doctor."""

from pathlib import Path

from handlers.tools.doctor.findings import Level
from tests.integrations.checking import checked, said


async def test_before_the_first_start_the_missing_webhooks_are_a_warning(tmp_path: Path) -> None:
    """Nothing of the installation is wrong then."""
    (found,) = [one for one in await checked("github-webhooks", tmp_path, {}, {}) if one.area == "metrics"]
    assert found.state is Level.WARNING
    assert "the stored webhooks cannot be read here; start Tailback, then check again" in said(found)
