"""The routes of the API beside those for senders."""

from starlette.convertors import Convertor, register_url_convertor
from starlette.routing import Route

from bot.context.context import Context
from handlers.api.http import Api
from handlers.api.openapi import PREFIX
from handlers.http.front_door import FrontDoor


class AnyTextConvertor(Convertor[str]):
    """The rest of a path, whatever it holds: Starlette's own ends at a line break."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("anything", AnyTextConvertor())


def api_routes(context: Context, door: FrontDoor) -> tuple[Route, ...]:
    """What `handlers/run.py` adds to the endpoints of a web process."""
    return (Route(PREFIX + "/{path:anything}", Api(context, door)),)
