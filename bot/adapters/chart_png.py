"""Drawings as PNG pictures, with Pillow and the font that it brings: one at a time, beside the event loop."""

import asyncio
import io

from PIL import Image, ImageDraw, ImageFont

from bot.core.charts.drawing import XY, Area, Drawing, Stroke, dashes

SHARP = 2
"""Pixels of the picture per unit: it is shown 400 wide, and as sharp on a good screen."""
FINE = 2
"""It is drawn this many times larger and scaled down, which smooths every line."""


class PngArtist:
    """Draws one picture at a time, so that many incidents never need the memory of many pictures."""

    def __init__(self) -> None:
        self._one = asyncio.Semaphore(1)

    async def png(self, drawing: Drawing) -> bytes:
        """The picture as a file; it never fails for what a drawing says."""
        async with self._one:
            return await asyncio.to_thread(drawn, drawing)


def drawn(drawing: Drawing) -> bytes:
    """The picture as a file, in about 50 ms; pure but for the clock that a picture does not have."""
    scale = SHARP * FINE
    size = (round(drawing.width) * scale, round(drawing.height) * scale)
    image = Image.new("RGB", size, drawing.background)
    pen = ImageDraw.Draw(image)
    fonts: dict[float, ImageFont.FreeTypeFont | ImageFont.ImageFont] = {}
    for shape in drawing.shapes:
        if isinstance(shape, Area) and len(shape.points) < 2:
            continue
        if isinstance(shape, Area):
            pen.polygon(_scaled(shape.points, scale), fill=shape.colour)
        elif isinstance(shape, Stroke):
            _line(pen, shape, scale)
        else:
            font = fonts.setdefault(shape.size, ImageFont.load_default(shape.size * scale))
            place = _scaled((shape.at,), scale)[0]
            pen.text(place, shape.text, font=font, fill=shape.colour, anchor=shape.anchor)
    made = io.BytesIO()
    image.reduce(FINE).save(made, "PNG", compress_level=6)
    return made.getvalue()


def _line(pen: ImageDraw.ImageDraw, shape: Stroke, scale: int) -> None:
    for piece in dashes(shape.points, shape.dash):
        pen.line(_scaled(piece, scale), fill=shape.colour, width=round(shape.width * scale), joint="curve")


def _scaled(points: tuple[XY, ...], scale: int) -> list[XY]:
    return [(x * scale, y * scale) for x, y in points]
