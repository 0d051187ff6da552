"""The one way to call AWS: failures have their meaning, nothing is repeated, one client serves a region."""

import asyncio
import socket
from contextlib import suppress
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response

from bot.adapters.aws import Aws, AwsRegion, aws_of
from bot.ports import Failure, Refused, Unreachable
from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.aws_api import MADE_UP, AwsApi, patient_aws
from tests.answering import Listeners, answering, answering_with

GROUP = {"AutoScalingGroupNames": ["ci-linux"]}
SIZE = {"AutoScalingGroupName": "ci-linux", "DesiredCapacity": 24}


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        ("500", Failure.UNKNOWN),
        ("503", Failure.UNKNOWN),
        ("Throttling", Failure.LATER),
        ("ScalingActivityInProgress", Failure.LATER),
        ("ResourceContention", Failure.LATER),
        ("ExpiredToken", Failure.CREDENTIALS),
    ],
)
async def test_each_error_has_its_meaning_and_is_not_repeated(code: str, failure: Failure) -> None:
    """botocore would try four times more, longer than a worker's lease."""
    api = AwsApi(faults={"SetDesiredCapacity": code})
    async with answering(api.endpoint) as url:
        with pytest.raises(Unreachable) as caught:
            await patient_aws(url).tell("Scaler", "autoscaling", "set_desired_capacity", SIZE)
    assert (caught.value.failure, api.desired) == (failure, 10)
    assert [action for action, _ in api.requests] == ["SetDesiredCapacity"]


async def test_a_read_without_a_whole_answer_may_be_asked_again() -> None:
    async with answering(AwsApi(faults={"DescribeAutoScalingGroups": "silent"}).endpoint) as url:
        with pytest.raises(Unreachable) as caught:
            await patient_aws(url).read("Scaler", "autoscaling", "describe_auto_scaling_groups", GROUP)
    assert caught.value.failure is Failure.LATER


async def test_no_answer_ends_within_the_limit_and_is_doubt() -> None:
    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        await asyncio.Event().wait()

    async with Listeners() as listeners:
        aws = Aws("us-east-1", f"http://127.0.0.1:{await listeners.listen(hold)}", total_seconds=1.0)
        with pytest.raises(Unreachable, match="did not answer set_desired_capacity within 1 s") as caught:
            await aws.tell("Scaler", "autoscaling", "set_desired_capacity", SIZE)
    assert caught.value.failure is Failure.UNKNOWN


async def test_nobody_there_is_not_done() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(Unreachable, match="cannot be reached") as caught:
            await patient_aws(f"http://127.0.0.1:{taken.getsockname()[1]}").tell(
                "Scaler", "autoscaling", "set_desired_capacity", SIZE
            )
    assert caught.value.failure is Failure.UNCONNECTED


@pytest.mark.parametrize(
    ("profile", "why"), [("", r"no AWS credentials.*give this process a role"), ("nobody", "nobody")]
)
async def test_missing_credentials_are_told_with_the_remedy(
    profile: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None at all, or a profile that is not there."""
    for name in () if profile else ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    if profile:
        monkeypatch.setenv("AWS_PROFILE", profile)
    with pytest.raises(Unreachable, match=why) as caught:
        await patient_aws("http://127.0.0.1:1").read("Scaler", "autoscaling", "describe_auto_scaling_groups", GROUP)
    assert caught.value.failure is Failure.CREDENTIALS


async def test_a_pool_may_have_a_profile_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Groups in several accounts: the profile's credentials sign, whatever the environment holds."""
    (tmp_path / "config").write_text(
        "[profile other]\naws_access_key_id = AKIAOTHER\naws_secret_access_key = made-up\n", "utf-8"
    )
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    signed: list[str] = []

    async def endpoint(request: Request) -> Response:
        signed.append(request.headers["authorization"].partition("Credential=")[2].partition("/")[0])
        return Response("<ErrorResponse/>", 400)

    async with answering(endpoint) as url, patient_pool() as wire:
        parts = parts_with(wire)
        for profile in ("", "other"):
            with suppress(Refused):
                aws = aws_of(parts, AwsRegion(region="us-east-1", endpoint_url=url, profile=profile))
                await aws.read("Scaler", "autoscaling", "describe_auto_scaling_groups", GROUP)
    assert signed == [MADE_UP["AWS_ACCESS_KEY_ID"], "AKIAOTHER"]


async def test_a_role_that_cannot_be_taken_is_not_taken_for_a_missing_right(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As with IRSA whose trust policy names another service account: no right of that role would help."""
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    (tmp_path / "token").write_text("web-identity")
    message = "Not authorized to perform sts:AssumeRoleWithWebIdentity"

    error = f"<Error><Type>Sender</Type><Code>AccessDenied</Code><Message>{message}</Message></Error>"
    async with answering_with(f"<ErrorResponse>{error}</ErrorResponse>", 403, content_type="text/xml") as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL_STS", url)
        monkeypatch.setenv("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/tailback")
        monkeypatch.setenv("AWS_WEB_IDENTITY_TOKEN_FILE", str(tmp_path / "token"))
        with pytest.raises(Unreachable, match=r"does not give this process the role \(AccessDenied\)") as caught:
            await patient_aws(url).tell("Scaler", "autoscaling", "set_desired_capacity", SIZE)
    assert caught.value.failure is Failure.CREDENTIALS
    remedy = "; correct the trust policy of the role that this process takes, or allow it sts:AssumeRoleWithWebIdentity"
    assert caught.value.reason.endswith(remedy)


async def test_one_client_serves_a_region_of_this_process() -> None:
    """Each would load its own models and look for its own credentials."""
    async with patient_pool() as wire:
        parts, here = parts_with(wire), AwsRegion(region="us-east-1")
        assert aws_of(parts, here) is aws_of(parts, AwsRegion(region="us-east-1"))
        for other in (AwsRegion(region="eu-west-1"), AwsRegion(region="us-east-1", profile="other")):
            assert aws_of(parts, here) is not aws_of(parts, other)
        assert aws_of(parts, here) is not aws_of(parts_with(wire), here)
