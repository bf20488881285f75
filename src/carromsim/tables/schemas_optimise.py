"""Every column of the table of a search for a break: one row per break that was evaluated."""

from carromsim.tables.schemas import Column, Scalar, TableSchema

__all__ = ["EVALUATIONS", "STAGES"]

STAGES = ("scout", "search", "finalist", "verdict", "map", "robustness")


def _whole(name: str, doc: str, *, dtype: Scalar = "int32", none: bool = False, codes: tuple[str, ...] = ()) -> Column:
    return Column(name=name, dtype=dtype, unit="1", doc=doc, nullable=none, repetitive=True, codes=codes)


def _real(name: str, unit: str, doc: str, *, none: bool = False) -> Column:
    return Column(name=name, dtype="float64", unit=unit, doc=doc, nullable=none)


def _words(name: str, doc: str, *, none: bool = False) -> Column:
    return Column(name=name, dtype="string", unit="1", doc=doc, nullable=none, repetitive=True)


EVALUATIONS = TableSchema(
    name="evaluations",
    version=1,
    columns=(
        Column(name="row", dtype="int64", unit="1", doc="Number of the evaluation in its study."),
        _whole("stage", "What it was evaluated for.", dtype="int8", codes=STAGES),
        _whole("restart", "The start of the search that found it, from 0; missing if none did.", none=True),
        _whole("generation", "Generation of that search, from 0; missing outside the search.", none=True),
        _whole("candidate", "Number of the break within its generation or stage, from 0."),
        _words(
            "origin",
            'Where the break comes from: "scout", "search", "mean" of a search at its end, "straight", "winner".',
        ),
        Column(
            name="source",
            dtype="int64",
            unit="1",
            doc="Row of this table in which the break was evaluated before; missing if there is none.",
            nullable=True,
        ),
        _words(
            "varied", "What differs from the winner or its conditions: a field of a break or of a study.", none=True
        ),
        _real("value", "its own", "The value of that, in its own unit.", none=True),
        _real("x", "m", "Intended centre of the striker along the base line, from its middle."),
        _real("aim", "m", "How far from the centre its line passes, positive if the direction is turned to the left."),
        _real("angle", "rad", "Intended direction, counter-clockwise from +x; pi/2 is straight ahead."),
        _real("speed", "m/s", "Intended speed."),
        _real("spin", "rad/s", "Intended spin, counter-clockwise positive."),
        _real("rotation", "rad", "Turn of the opening pack, counter-clockwise."),
        _real("gap", "m", "Distance between the rims of neighbours in the opening pack."),
        _real("mu_surface", "1", "Coulomb friction of discs on the playing surface."),
        _real("e_disc", "1", "Normal restitution, disc on disc, at high speed."),
        _real("e_cushion", "1", "Normal restitution, disc on frame, at high speed."),
        Column(
            name="first_stroke",
            dtype="int64",
            unit="1",
            doc="Number of its first stroke: with the seed it fixes their luck. Equal numbers mean equal luck.",
        ),
        _whole("strokes", "Strokes that were played."),
        _whole("n", "Strokes that count: those of which every term of the objective is known."),
        _real("objective", "its own", "Mean of the objective over them; missing if none counts.", none=True),
        _real("sd", "its own", "Standard deviation of the objective from stroke to stroke.", none=True),
        _real(
            "straight", "its own", "The same mean of the straight break with the same luck; not everywhere.", none=True
        ),
        _real("gain", "its own", "Mean of the difference, this break minus the straight one; likewise.", none=True),
        _real("gain_sd", "its own", "Standard deviation of the difference from stroke to stroke; likewise.", none=True),
        _words(
            "terms", "Mean, sd, and as far as known straight, gain and gain_sd of each term of the objective, as JSON."
        ),
    ),
)
"""One row per evaluated break."""
