"""What a stroke, a pack and the equipment may vary in, in words and in the units in which people read them."""

import math

_DEGREES = math.degrees(1.0)

WORDS: dict[str, tuple[str, float, str]] = {
    "x": ("place x", 1e3, "mm"),
    "angle": ("direction", _DEGREES, "deg"),
    "speed": ("speed", 1.0, "m/s"),
    "spin": ("spin", 1.0, "rad/s"),
    "rotation": ("turn of the pack", _DEGREES, "deg"),
    "gap": ("gap", 1e3, "mm"),
    "mu_surface": ("surface friction", 1.0, ""),
    "e_disc": ("restitution of discs", 1.0, ""),
    "e_cushion": ("restitution of the frame", 1.0, ""),
    "mu_disc": ("friction of discs", 1.0, ""),
    "v_c_disc": ("v_c of discs", 1.0, "m/s"),
    "v_c_cushion": ("v_c of the frame", 1.0, "m/s"),
    "t_contact": ("time in touch", 1e6, "us"),
}
"""Words, what to multiply the value with, and the unit, by field."""
