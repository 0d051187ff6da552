"""Submitting and closing modals: the client's own checks, and the handling of the app's response."""

from dataclasses import dataclass, field

from bot.playground.slack.delivery.delivery import SlackDelivery
from bot.playground.slack.methods.views import checked, replace
from bot.playground.slack.page_api.acts import CannotError, ClickOutcome, outcome_of, person_of
from bot.playground.slack.page_api.interactions import Payloads
from bot.playground.slack.page_api.modals import OpenView, merged, state_key
from bot.playground.slack.settings import AppContext
from bot.playground.slack.wire import Json, SlackError, rows, table, text


@dataclass(frozen=True, slots=True)
class Submitted:
    """The result of a submit; `errors` by block id keep the modal open."""

    outcome: ClickOutcome
    errors: dict[str, str] = field(default_factory=dict)


def missing_or_wrong(view: OpenView) -> dict[str, str]:
    """The client's own errors before it sends anything, by block id."""
    errors: dict[str, str] = {}
    for block in rows(view.content, "blocks"):
        if block.get("type") != "input":
            continue
        block_id, element = text(block, "block_id"), table(block, "element")
        held = table(table(view.values, block_id), text(element, "action_id"))
        problem = _problem(block, element, held.get(state_key(text(element, "type"))))
        if problem:
            errors[block_id] = problem
    return errors


def _problem(block: Json, element: Json, value: object) -> str | None:
    if value in (None, "", []):
        return None if block.get("optional") else "Please complete this required field."
    if element.get("type") == "number_input":
        return None if _is_whole(value) else "Please enter a whole number."
    most = element.get("max_length")
    if isinstance(most, int) and len(str(value)) > most:
        return f"Please enter at most {most} characters."
    return None


def _is_whole(value: object) -> bool:
    try:
        return float(str(value)).is_integer()
    except ValueError:
        return False


class Submissions:
    """Modals as a person uses them."""

    def __init__(self, slack: AppContext, delivery: SlackDelivery, payloads: Payloads) -> None:
        self._slack = slack
        self._delivery = delivery
        self._payloads = payloads

    async def submit(self, request: Json) -> Submitted:
        """Fills the values in and submits.

        Raises CannotError: the modal is gone, or the app answers with something Slack would not accept.
        """
        user = person_of(self._slack, request)
        view = self._mine(user, request)
        view.values = merged(view.values, table(request, "values"))
        errors = missing_or_wrong(view)
        if errors:
            return self._stays(view, errors, ClickOutcome(True))
        payload = self._payloads.submission(user, view)
        answer = await self._delivery.interaction("interactive", payload)
        outcome = outcome_of(answer, "Submitting", self._slack.settings.answer_within_seconds)
        if not outcome.ok:
            return Submitted(outcome)
        content = answer.content
        try:
            errors = self._follow(view, content if isinstance(content, dict) else {})
        except SlackError as refused:
            raise CannotError(f"The app answered with a view that Slack refuses: {_why(refused)}.") from None
        return self._stays(view, errors, outcome)

    def _mine(self, user: str, request: Json) -> OpenView:
        view = self._slack.workspace.views.modals.get(text(request, "view_id"))
        if view is None or view.user != user:
            raise CannotError("This modal is no longer open.")
        return view

    def _stays(self, view: OpenView, errors: dict[str, str], outcome: ClickOutcome) -> Submitted:
        view.errors = errors
        self._slack.workspace.touch()
        return Submitted(outcome, errors)

    def _follow(self, view: OpenView, response: Json) -> dict[str, str]:
        """Does what `response_action` says; none closes the modal. Gives the errors to show."""
        views = self._slack.workspace.views
        action = text(response, "response_action")
        if action == "errors":
            return self._errors(view, table(response, "errors"))
        if action == "update":
            replace(self._slack, view, checked(self._slack, table(response, "view")))
        else:
            views.close(view.id)
        return {}

    def _errors(self, view: OpenView, given: Json) -> dict[str, str]:
        inputs = {block.get("block_id") for block in rows(view.content, "blocks") if block.get("type") == "input"}
        strange = sorted(given.keys() - inputs)
        if strange or not given:
            raise CannotError(
                f"The app's errors name no input block of this modal: {', '.join(strange) or 'none given'}."
            )
        return {block_id: str(sentence) for block_id, sentence in given.items()}

    async def close(self, request: Json) -> ClickOutcome:
        """Closes a modal; Tailback never asks to be told."""
        user = person_of(self._slack, request)
        view = self._mine(user, request)
        self._slack.workspace.views.close(view.id)
        self._slack.workspace.touch()
        return ClickOutcome(True, 200)


def _why(refused: SlackError) -> str:
    metadata = refused.extra.get("response_metadata")
    messages = metadata.get("messages") if isinstance(metadata, dict) else None
    return f"{refused.code} {messages[0]}" if isinstance(messages, list) and messages else refused.code
