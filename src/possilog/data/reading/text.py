"""From the bytes of a file to text, and to pieces of it small enough to take apart quickly."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterator

from possilog.errors import EncodingError, FormatError
from possilog.files import wide_encoding

__all__ = ["decode", "pieces", "require_modest", "unpack"]

_PIECE = 1 << 16  # characters; small pieces stay in the processor's cache, and keep few strings alive at a time


_CHUNK = 1 << 20
_UNPACKED = 64 << 20
_PACKED_AT_MOST = 100
"""A packed file may unpack to 64 MB, or to 100 times its size. Facts shrink to a tenth, zeros to a thousandth."""


def unpack(content: bytes, source: str) -> bytes:
    """The content of a gzip file."""
    parts, size = [], 0
    try:
        with gzip.open(io.BytesIO(content)) as file:
            while part := file.read(_CHUNK):
                parts.append(part)
                size += len(part)
                require_modest(size, len(content), source)
        return b"".join(parts)
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"{source}: the gzip file is broken ({error}); make or fetch it again") from None


def require_modest(unpacked: int, packed: int, source: str) -> None:
    """Refuse what grows beyond all measure when it is unpacked."""
    most = max(_UNPACKED, _PACKED_AT_MOST * packed)
    if unpacked > most:
        raise FormatError(
            f"{source}: the packed file grows to more than {most // packed:,} times its size; "
            "unpack it, and read the file that comes out, if it is meant so"
        )


def decode(content: bytes, source: str, encoding: str) -> str:
    """The text of some bytes, without a byte order mark."""
    _refuse_wide(content, source, encoding)
    try:
        text = content.decode(encoding)
    except LookupError:
        raise EncodingError(f"there is no text encoding {encoding!r}; use one like 'utf-8' or 'latin-1'") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise EncodingError(
            f"{source}:{line}: the byte 0x{content[error.start]:02x} is not {encoding}; "
            "name the right one with encoding=..., for example 'latin-1'"
        ) from None
    except UnicodeError as error:
        raise EncodingError(f"{source}: not {encoding} ({error}); name the right one with encoding=...") from None
    return text.removeprefix("\ufeff")


def _refuse_wide(content: bytes, source: str, encoding: str) -> None:
    """UTF-16 and UTF-32, read as anything else, would pass for very strange names."""
    found = wide_encoding(content)
    named = re.match(r"u(?:tf[-_ ]?)?(16|32)", encoding, re.IGNORECASE)
    if found and not (named and named[1] in found):
        raise EncodingError(
            f"{source}:1: the file is in {found.upper()}, not {encoding}; read it with encoding={found!r}"
        )


def pieces(text: str) -> Iterator[tuple[int, str]]:
    """Cut a text into pieces of whole lines, each with the number of its first line; every line ends with a newline."""
    start, line = 0, 1
    while start < len(text):
        end = text.find("\n", start + _PIECE) + 1 or len(text)
        piece = text[start:end].replace("\r\n", "\n")
        piece += "" if piece.endswith("\n") else "\n"
        yield line, piece
        start, line = end, line + piece.count("\n")
