"""Exact keyed noise: discrete Gaussian and discrete Laplace integers from HMAC-SHA256.

Floating-point noise leaks the number it hides through its low-order bits, and a seeded generator
ties the secret to a library's version. Here every draw is a function of a secret key and of named
fields, and every step is integer arithmetic, so the same question has the same answer on any
machine, in any process, for ever.

Source: Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy" (2020),
algorithms 1 to 3.
"""

from __future__ import annotations

import hmac
import math
from fractions import Fraction

VERSION = "holdout-noise-1"
"""First field of every message. A change of the sampler or of the message needs a new tag."""

KEY_BYTES = 32

Field = bytes | str | int


def message(fields: tuple[Field, ...]) -> bytes:
    """Join fields so that no two different tuples give the same bytes.

    Each field is its kind, its length in 8 bytes and its content; integers are written in decimal.
    """
    parts = []
    for field in fields:
        if isinstance(field, bool):
            raise TypeError("a field of the noise message is bytes, text or an integer")
        if isinstance(field, bytes):
            kind, content = b"b", field
        elif isinstance(field, str):
            kind, content = b"s", field.encode()
        elif isinstance(field, int):
            kind, content = b"i", str(field).encode()
        else:
            raise TypeError("a field of the noise message is bytes, text or an integer")
        parts += [kind, len(content).to_bytes(8, "big"), content]
    return b"".join(parts)


def draw(key: bytes, fields: tuple[Field, ...], kind: str, scale: Fraction | int) -> int:
    """Draw the one integer that belongs to these fields.

    `kind` is "gaussian" (P(x) proportional to exp(-x^2 / (2 scale^2))) or "laplace" (P(x)
    proportional to exp(-|x| / scale)). A scale of 0 gives 0. The key has 32 bytes. The version tag
    is put in front of the fields.
    """
    if len(key) != KEY_BYTES:
        raise ValueError(f"the noise key has {KEY_BYTES} bytes")
    if not isinstance(scale, (Fraction, int)) or isinstance(scale, bool):
        raise TypeError("the scale of noise is a fraction: a float would not be exact")
    if scale < 0:
        raise ValueError("the scale of noise is not negative")
    if kind not in SAMPLERS:
        raise ValueError(f"noise is gaussian or laplace, not {kind}")
    if scale == 0:
        return 0
    return SAMPLERS[kind](Bits(key, message((VERSION, *fields))), Fraction(scale))


class Bits:
    """An endless stream of bits: HMAC(key, message then an 8-byte counter), block after block."""

    def __init__(self, key: bytes, text: bytes):
        self._key = key
        self._text = text
        self._block = 0
        self._pool = 0
        self._held = 0

    def take(self, count: int) -> int:
        """The next `count` bits as an integer."""
        while self._held < count:
            block = hmac.digest(self._key, self._text + self._block.to_bytes(8, "big"), "sha256")
            self._pool = self._pool << 256 | int.from_bytes(block, "big")
            self._held += 256
            self._block += 1
        self._held -= count
        taken = self._pool >> self._held
        self._pool &= (1 << self._held) - 1
        return taken

    def below(self, bound: int) -> int:
        """A uniform integer from 0 to bound - 1, by rejection."""
        size = (bound - 1).bit_length()
        while True:
            number = self.take(size)
            if number < bound:
                return number


def _happens(bits: Bits, exponent: Fraction) -> bool:
    """True with probability exp(-exponent), for any exponent of 0 or more."""
    while exponent > 1:
        if not _happens_small(bits, 1, 1):
            return False
        exponent -= 1
    return _happens_small(bits, exponent.numerator, exponent.denominator)


def _happens_small(bits: Bits, numerator: int, denominator: int) -> bool:
    """True with probability exp(-numerator/denominator), for a quotient of at most 1.

    The first failure of a row of trials with chances x, x/2, x/3, ... comes at an odd place with
    probability exp(-x): the alternating series of the exponential.
    """
    place = 1
    while bits.below(denominator * place) < numerator:
        place += 1
    return place % 2 == 1


def _laplace(bits: Bits, scale: Fraction) -> int:
    """P(x) proportional to exp(-|x| / scale)."""
    top, bottom = scale.numerator, scale.denominator
    while True:
        rest = bits.below(top)
        if not _happens_small(bits, rest, top):
            continue
        whole = 0
        while _happens_small(bits, 1, 1):
            whole += 1
        size = (rest + top * whole) // bottom
        negative = bits.take(1)
        if negative and size == 0:
            continue  # otherwise 0 would come twice as often as it should
        return -size if negative else size


def _gaussian(bits: Bits, scale: Fraction) -> int:
    """P(x) proportional to exp(-x^2 / (2 scale^2)): Laplace proposals, some of them rejected."""
    variance = scale * scale
    width = math.floor(scale) + 1
    while True:
        proposal = _laplace(bits, Fraction(width))
        distance = abs(proposal) - variance / width
        if _happens(bits, distance * distance / (2 * variance)):
            return proposal


SAMPLERS = {"gaussian": _gaussian, "laplace": _laplace}
