"""The three steps of a file upload (address, bytes, completion), and whether a message may show a file."""

import re
from collections.abc import Mapping, Sequence

from bot.playground.slack.rules.messages import thread_of
from bot.playground.slack.rules.shapes import Problems, say
from bot.playground.slack.settings import AppContext
from bot.playground.slack.wire import Json, SlackError, rows, table, text, whole
from bot.playground.slack.workspace import Upload

PICTURES: Mapping[bytes, str] = {b"\x89PNG\r\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}
"""How a file begins that an image block may show (docs.slack.dev, Slack file object)."""
_FILE_ID = re.compile(r"F[A-Z0-9]{8,}")


def get_upload_url(slack: AppContext, args: Json) -> Json:
    """`files.getUploadURLExternal`: a length of 0 counts as a missing argument."""
    name, length = text(args, "filename"), whole(args, "length", 0)
    if not name or length <= 0:
        raise SlackError("missing_argument")
    upload = Upload(slack.workspace.next_id("F0"), name, length)
    slack.workspace.uploads[upload.id] = upload
    return {"upload_url": f"{slack.base_url}/upload/{upload.id}", "file_id": upload.id}


def receive(slack: AppContext, file_id: str, content: bytes) -> int:
    """The bytes of an upload; gives their number.

    Raises:
        SlackError: `not_found`, or `invalid_length` when it is not the length that was announced.
    """
    upload = slack.workspace.uploads.get(file_id)
    if upload is None:
        raise SlackError("not_found")
    if len(content) != upload.length:
        raise SlackError("invalid_length")
    upload.content, upload.arrived = content, True
    return len(content)


def complete_upload(slack: AppContext, args: Json) -> Json:
    """`files.completeUploadExternal`: shares the files in a channel the bot is a member of, or nowhere yet."""
    uploads = [_arrived(slack, text(item, "id")) for item in rows(args, "files")]
    if not uploads:
        raise SlackError("invalid_arguments")
    files: list[Json] = [
        {
            "id": upload.id,
            "name": upload.name,
            "title": text(item, "title") or upload.name,
            "size": upload.length,
            "mimetype": kind_of(upload.content),
            "url_private": f"{slack.base_url}/upload/{upload.id}",
        }
        for upload, item in zip(uploads, rows(args, "files"), strict=True)
    ]
    if text(args, "channel_id"):
        _share(slack, args, files)
    for upload in uploads:
        upload.shared, upload.completed_at = True, slack.workspace.clock()
    return {"files": files}


def _arrived(slack: AppContext, file_id: str) -> Upload:
    upload = slack.workspace.uploads.get(file_id)
    if upload is None or not upload.arrived:
        raise SlackError("file_not_found")
    return upload


def _share(slack: AppContext, args: Json, files: list[Json]) -> None:
    channel = slack.workspace.channel(text(args, "channel_id"))
    if channel.is_archived:
        raise SlackError("is_archived")
    if slack.workspace.bot.user_id not in channel.members:
        raise SlackError("not_in_channel")
    message = slack.workspace.bot_message(text(args, "initial_comment"), None)
    message["files"] = files
    slack.workspace.write(channel, message, thread_of(args))


def kind_of(content: bytes) -> str:
    """The media type, by how the content begins."""
    return next((kind for begins, kind in PICTURES.items() if content.startswith(begins)), "text/plain")


def check_pictures(slack: AppContext, blocks: Sequence[Json] | None) -> None:
    """Image blocks with a file: it must be a complete image that Slack has processed.

    Raises:
        SlackError: `invalid_blocks`, also for a file that is too new (slackapi/python-slack-sdk#1521).
    """
    problems: Problems = []
    for index, block in enumerate(blocks or []):
        if block.get("type") != "image" or "slack_file" not in block:
            continue
        pointer, file = f"/blocks/{index}/slack_file", table(block, "slack_file")
        if len(file) != 1 or not (text(file, "id") or text(file, "url")):
            say(problems, pointer, "must provide either id or url")
        elif "id" in file and not _FILE_ID.fullmatch(text(file, "id")):
            say(problems, f"{pointer}/id", "input must match regex pattern: ^[F][A-Z0-9]{8,}$")
        elif not _showable(slack, text(file, "id") or text(file, "url").rpartition("/")[2]):
            say(problems, pointer, "invalid slack file")
    if problems:
        raise SlackError("invalid_blocks", response_metadata={"messages": problems}, errors=problems)


def _showable(slack: AppContext, file_id: str) -> bool:
    upload = slack.workspace.uploads.get(file_id)
    if upload is None or not upload.shared or kind_of(upload.content) == "text/plain":
        return False
    return slack.workspace.clock() >= upload.completed_at + slack.settings.file_looking_seconds
