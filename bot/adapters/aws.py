"""Calls AWS with boto3 in a thread: one client per service and region, classified failures."""

import asyncio
import threading
from collections.abc import Mapping
from typing import Annotated, Any, cast

import boto3
from botocore import exceptions as errors  # type: ignore[import-untyped]  # ships no types
from botocore.config import Config  # type: ignore[import-untyped]  # ships no types
from botocore.parsers import ResponseParserError  # type: ignore[import-untyped]  # ships no types
from pydantic import AfterValidator, Field

from bot.adapters.build_context import AWS_SECONDS, BuildContext
from bot.adapters.http.address import base_url
from bot.adapters.http.client import reason
from bot.adapters.http.json_answer import one_line
from bot.adapters.outages import Outages
from bot.config import Table
from bot.ports import Failure, Refused, Unreachable

CONNECT_SECONDS, READ_SECONDS = 2.0, 4.0
"""Time limit of one call, finding credentials included; two calls fit into a worker's lease of 10 s."""

NO_CREDENTIALS = (
    errors.NoCredentialsError,
    errors.PartialCredentialsError,
    errors.CredentialRetrievalError,
    errors.MetadataRetrievalError,
    errors.TokenRetrievalError,
    errors.UnknownCredentialError,
    errors.ProfileNotFound,
    errors.ConfigNotFound,
    errors.InvalidConfigError,
    errors.SSOError,
)
BAD_CREDENTIALS = frozenset(
    {
        *("InvalidClientTokenId", "UnrecognizedClientException", "InvalidAccessKeyId", "AuthFailure"),
        *("SignatureDoesNotMatch", "InvalidSignatureException", "IncompleteSignature", "MissingAuthenticationToken"),
        *("ExpiredToken", "ExpiredTokenException", "RequestExpired", "RequestTimeTooSkewed", "OptInRequired"),
    }
)
FORBIDDEN = frozenset(
    {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "NotAuthorized", "KMS.AccessDeniedException"}
)
BUSY = frozenset(
    {
        *("Throttling", "ThrottlingException", "ThrottledException", "RequestThrottled", "RequestThrottledException"),
        *("RequestLimitExceeded", "TooManyRequestsException", "BandwidthLimitExceeded", "SlowDown"),
        *(
            "ScalingActivityInProgress",
            "ScalingActivityInProgressFault",
            "ResourceContention",
            "ResourceContentionFault",
        ),
    }
)
"""Not accepted, but may be tried again: throttled, or another change of the group is in progress."""

OWN_REQUEST = "The Canonical String"
"""After this text, the error of a refused signature repeats our request, session token included."""


Arguments = Mapping[str, object]


class Aws:
    """One region, with boto3's usual credentials. A call is one request and is never retried automatically."""

    def __init__(
        self, region: str, endpoint_url: str = "", profile: str = "", total_seconds: float = AWS_SECONDS
    ) -> None:
        """Contacts nothing and looks up no credentials before the first call.

        `profile` is a profile of AWS's configuration files, such as a role in another account; empty for the default
        chain.
        """
        self._region, self._endpoint_url, self._total_seconds = region, endpoint_url or None, total_seconds
        self._profile = profile or None
        self._clients: dict[str, object] = {}
        self._lock = threading.Lock()
        self._session: object = None
        self._outages = Outages()

    async def read(
        self, system: str, service: str, operation: str, arguments: Arguments, unsure: Failure = Failure.LATER
    ) -> Any:
        """Read. Raises Unreachable, or Refused with AWS's words and the missing permission."""
        return await self._outages.log_outages(system, self._run(system, service, operation, arguments, unsure))

    async def _run(self, system: str, service: str, operation: str, arguments: Arguments, unsure: Failure) -> Any:
        try:
            async with asyncio.timeout(self._total_seconds):
                return await asyncio.to_thread(self._call, service, operation, arguments)
        except TimeoutError:
            what = f"AWS did not answer {operation} within {self._total_seconds:g} s"
            raise Unreachable(system, what, failure=unsure) from None
        except errors.ClientError as error:
            raise _answered(system, service, operation, error, unsure) from None
        except NO_CREDENTIALS as error:
            remedy = "give this process a role, or set AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
            none = f"no AWS credentials ({one_line(str(error))})"
            raise Unreachable(system, none, remedy=remedy, failure=Failure.CREDENTIALS) from None
        except errors.ParamValidationError as error:
            what = f"AWS does not accept this request: {one_line(str(error))}"
            raise Unreachable(system, what, failure=Failure.SHAPE) from None
        except errors.ConnectionError as error:
            what = f"AWS cannot be reached ({one_line(reason(error))})"
            raise Unreachable(system, what, failure=Failure.UNCONNECTED) from None
        except (errors.BotoCoreError, ResponseParserError, ValueError, TypeError, AttributeError, LookupError) as error:
            what = f"AWS did not send a complete answer to {operation} ({one_line(reason(error))})"
            raise Unreachable(system, what, failure=unsure) from None

    async def tell(self, system: str, service: str, operation: str, arguments: Arguments) -> Any:
        """Write; no clear answer is Unreachable(UNKNOWN). Raises as `read` does."""
        return await self.read(system, service, operation, arguments, Failure.UNKNOWN)

    def _call(self, service: str, operation: str, arguments: Arguments) -> Any:
        """Call in a thread; the client is made on first use, because it reads many files."""
        with self._lock:
            if service not in self._clients:
                self._session = self._session or boto3.Session(region_name=self._region, profile_name=self._profile)
                self._clients[service] = _opened(self._session, service, self._endpoint_url, self._total_seconds)
        return getattr(self._clients[service], operation)(**arguments)


class AwsRegion(Table):
    region: str = Field(min_length=1)
    profile: str = ""
    """Profile of AWS's configuration files, such as a role in another account; empty: the default credentials."""
    endpoint_url: Annotated[str, AfterValidator(lambda text: base_url(text) if text else "")] = ""
    """Another address than AWS's own."""


def aws_of(context: BuildContext, table: AwsRegion) -> Aws:
    named = table.region, table.endpoint_url, table.profile
    return context.shared(Aws, " ".join(named), lambda: Aws(*named, context.limits.aws))


def _opened(session: object, service: str, endpoint_url: str | None, total_seconds: float) -> object:
    config = Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=max(READ_SECONDS, total_seconds - 0.5),
        retries={"total_max_attempts": 1, "mode": "standard"},
        proxies={},
    )
    client = boto3.Session.client(session, service, endpoint_url=endpoint_url, config=config)
    return cast("object", client)


def _answered(system: str, service: str, operation: str, error: errors.ClientError, unsure: Failure) -> Exception:
    facts = error.response.get("Error", {})
    code, words = str(facts.get("Code", "")), one_line(str(facts.get("Message", "")).partition(OWN_REQUEST)[0])
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if (taking := str(error.operation_name)).startswith("AssumeRole"):
        remedy = f"correct the trust policy of the role that this process takes, or allow it sts:{taking}"
        what = f"AWS does not give this process the role ({code}): {words}"
        return Unreachable(system, what, remedy=remedy, failure=Failure.CREDENTIALS)
    name = "".join(word.capitalize() for word in operation.split("_"))
    right = f"{service}:{name.removesuffix('Batch')}"
    if code in BUSY or status == 429:
        return Unreachable(system, f"AWS asks to wait ({code}): {words}", failure=Failure.LATER)
    if code in FORBIDDEN:
        what = f"{system}: AWS does not allow {name}: {words}"
        return Refused(what, remedy=f"allow {right} to Tailback's role")
    if code in BAD_CREDENTIALS or status == 401:
        return Unreachable(system, f"AWS refused the credentials ({code}): {words}", failure=Failure.CREDENTIALS)
    if status >= 500:
        return Unreachable(system, f"AWS failed (HTTP {status} {code}): {words}", failure=unsure)
    return Refused(f"{system}: AWS refused {name} ({code}): {words}")


def launch_stopped(found: Any) -> str:
    """Why an Auto Scaling group, as AWS describes it, starts no instances; empty if it does."""
    if found.get("Status"):
        return f"it is being deleted ({found['Status']})"
    for process in found.get("SuspendedProcesses", []):
        if process.get("ProcessName") == "Launch":
            return f"its process Launch is suspended ({one_line(str(process.get('SuspensionReason', '')))})"
    return ""


def other_unit(found: Any) -> str:
    """What the sizes of an Auto Scaling group count; empty for instances.

    An empty group shows only in its policy that an instance may count more than once.
    """
    template = found.get("MixedInstancesPolicy", {}).get("LaunchTemplate", {})
    rows = [*found.get("Instances", []), *template.get("Overrides", [])]
    if any(str(one.get("WeightedCapacity", "1")) != "1" for one in rows):
        return "weights"
    kind = str(found.get("DesiredCapacityType") or "units")
    return "" if kind == "units" else kind
