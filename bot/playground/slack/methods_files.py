"""The three steps of a file upload: ask for an address, send the bytes there, share the file."""

from bot.playground.slack.rules import thread_of
from bot.playground.slack.settings import Context
from bot.playground.slack.wire import Json, SlackError, rows, text, whole
from bot.playground.slack.workspace import Upload


def get_upload_url(slack: Context, args: Json) -> Json:
    """`files.getUploadURLExternal`: a length of 0 counts as a missing argument."""
    name, length = text(args, "filename"), whole(args, "length", 0)
    if not name or length <= 0:
        raise SlackError("missing_argument")
    upload = Upload(slack.workspace.next_id("F"), name, length)
    slack.workspace.uploads[upload.id] = upload
    return {"upload_url": f"{slack.base_url}/upload/{upload.id}", "file_id": upload.id}


def receive(slack: Context, file_id: str, content: bytes) -> int:
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


def complete_upload(slack: Context, args: Json) -> Json:
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
            "mimetype": "text/plain",
            "url_private": f"{slack.base_url}/upload/{upload.id}",
        }
        for upload, item in zip(uploads, rows(args, "files"), strict=True)
    ]
    if text(args, "channel_id"):
        _share(slack, args, files)
    for upload in uploads:
        upload.shared = True
    return {"files": files}


def _arrived(slack: Context, file_id: str) -> Upload:
    upload = slack.workspace.uploads.get(file_id)
    if upload is None or not upload.arrived:
        raise SlackError("file_not_found")
    return upload


def _share(slack: Context, args: Json, files: list[Json]) -> None:
    channel = slack.workspace.channel(text(args, "channel_id"))
    if channel.is_archived:
        raise SlackError("is_archived")
    if slack.workspace.bot.user_id not in channel.members:
        raise SlackError("not_in_channel")
    message = slack.workspace.bot_message(text(args, "initial_comment"), None)
    message["files"] = files
    slack.workspace.write(channel, message, thread_of(args))
