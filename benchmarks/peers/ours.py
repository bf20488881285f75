"""Carrom strokes in carromsim: one call for all of a request, in one thread."""

from importlib.metadata import version

import numpy as np
from conversation import Clock, Reply, Request, serve

import carromsim as cs


def play(request: Request) -> Reply:
    """Play strokes in one batch."""
    clock, men = Clock(), request["men"]
    equipment = cs.Equipment(**request["board"])
    places = np.full((20, 2), np.nan)
    places[1 : 1 + len(men)] = np.reshape(men, (-1, 2))
    layout = cs.Layout(places)
    strokes = cs.Strokes(**{name: [one[name] for one in request["strokes"]] for name in ("x", "angle", "speed")})
    with clock:
        out = cs.simulate(layout, strokes, equipment=equipment, threads=1)
    if out.status.any():
        raise RuntimeError(f"{np.count_nonzero(out.status)} strokes without an outcome")
    rests = np.isfinite(out.pos[..., 0])[:, : 1 + len(men)]
    ends = [
        [place if rest else None for place, rest in zip(row, on_board, strict=False)]
        for row, on_board in zip(out.pos.tolist(), rests.tolist(), strict=True)
    ]
    return {"seconds": clock.seconds, "ends": ends, "events": int(out.n_events.sum())}


if __name__ == "__main__":
    serve(f"carromsim {version('carromsim')}", play)
