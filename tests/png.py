"""Screenshots made small: 256 colours are enough for a page, in plain Python."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Iterator

SIGNATURE = b"\x89PNG\r\n\x1a\n"
SURFACES = 96
Pixel = bytes


def with_palette(png: bytes) -> bytes:
    """The same picture in at most 256 colours; the rarest take the nearest of the others.

    Takes what Chromium writes: 8 bits a channel, RGB or RGBA without transparency, not interlaced.
    """
    width, height, pixels = _read(png)
    counted = Counter(pixels)
    palette = _palette(counted)
    index = {colour: at for at, colour in enumerate(palette)}
    for colour in counted:
        if colour not in index:
            index[colour] = min(range(len(palette)), key=lambda at: _distance(palette[at], colour))
    lines = bytearray()
    for row in range(height):
        lines.append(0)
        lines.extend(index[pixel] for pixel in pixels[row * width : (row + 1) * width])
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = (
        _chunk(b"IHDR", header),
        _chunk(b"PLTE", b"".join(palette)),
        _chunk(b"IDAT", zlib.compress(bytes(lines), 9)),
        _chunk(b"IEND", b""),
    )
    return SIGNATURE + b"".join(parts)


def _palette(counted: Counter[Pixel]) -> list[Pixel]:
    """The most used as they are, since surfaces differ by little; then one for each corner of the colours.

    Without those, greys at the edges of letters would take all places, and a small green dot would be grey.
    """
    surfaces = [colour for colour, _ in counted.most_common(SURFACES)]
    corners: dict[tuple[int, ...], Pixel] = {}
    for colour, _ in counted.most_common():
        corners.setdefault(tuple(part >> 4 for part in colour), colour)
    return list(dict.fromkeys([*surfaces, *corners.values()]))[:256]


def _distance(one: Pixel, other: Pixel) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(SIGNATURE)
    while at < len(png):
        (size,) = struct.unpack_from(">I", png, at)
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        at += size + 12


def _read(png: bytes) -> tuple[int, int, list[Pixel]]:
    """Width, height and the RGB of every pixel, row by row."""
    parts = list(_chunks(png))
    width, height, depth, colour, *_, interlaced = struct.unpack(">IIBBBBB", dict(parts)[b"IHDR"])
    if depth != 8 or colour not in (2, 6) or interlaced:
        raise ValueError("not a screenshot of Chromium")
    size = 3 if colour == 2 else 4
    raw = zlib.decompress(b"".join(body for kind, body in parts if kind == b"IDAT"))
    pixels: list[Pixel] = []
    before = bytearray(width * size)
    for row in range(height):
        start = row * (width * size + 1)
        line = bytearray(raw[start + 1 : start + 1 + width * size])
        _unfilter(raw[start], line, before, size)
        pixels.extend(bytes(line[at : at + 3]) for at in range(0, len(line), size))
        before = line
    return width, height, pixels


def _unfilter(kind: int, line: bytearray, above: bytearray, size: int) -> None:
    for at in range(len(line)):
        left = line[at - size] if at >= size else 0
        corner = above[at - size] if at >= size else 0
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = above[at]
        elif kind == 3:
            guess = (left + above[at]) // 2
        elif kind == 4:
            guess = _paeth(left, above[at], corner)
        else:
            return
        line[at] = (line[at] + guess) & 0xFF


def _paeth(left: int, above: int, corner: int) -> int:
    middle = left + above - corner
    far = abs(middle - left), abs(middle - above), abs(middle - corner)
    if far[0] <= far[1] and far[0] <= far[2]:
        return left
    return above if far[1] <= far[2] else corner
