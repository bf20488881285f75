"""What came of a batch of strokes: NumPy columns, recorded events, and the same as an Arrow table."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carromsim.equipment import BLACK, QUEEN, STRIKER, WHITE
from carromsim_kernels.state import N_DISCS, CodeArray, FloatArray, IntArray, Result, Status

if TYPE_CHECKING:
    import pyarrow as pa

CountArray = NDArray[np.int32]

EVENT_DTYPE = np.dtype([("t", np.float64), ("kind", np.int8), ("a", np.int8), ("b", np.int8)])
"""An event: time [s], `carromsim_kernels.state.EventKind`, the disc and the other disc (-1 = none)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcomes:
    """Outcomes of n strokes, one row each. A row whose status is not 0 holds no outcome.

    Attributes
    ----------
    status : (n,) int8
        0 ok, 1 event limit, 2 discs overlap at the start, 3 bad input, 4 burst limit (discs in touch that do not part).
    pocket : (n, 20) int8
        Pocket 0 to 3 into which a disc fell, -1 = none.
    pocket_time : (n, 20) float64
        When it was gone, at the end of its fall [s]; NaN = it did not fall.
    overboard : (n, 20) int8
        1 if a disc left the board over the frame: speculative, and 0 unless `Equipment.jump_chance` is not.
    pos : (n, 20, 2) float64
        Where the discs are at the end, in the board's frame [m]; NaN = not on the surface.
    vel : (n, 20, 2) float64
        Their velocities then [m/s]; zero unless the clock was stopped.
    omega : (n, 20) float64
        Their spins then, counter-clockwise [rad/s].
    first_hit : (n,) int8
        First disc that the striker touched, -1 = none.
    first_hit_direct : (n,) int8
        1 if the striker had hit no cushion before.
    first_hit_behind : (n,) int8
        1 if that man touched or lay behind the shooter's front line (or its extension) when he was hit.
    crossed_front_line : (n,) int8
        1 if the whole striker was beyond the shooter's front line at some time.
    n_events, n_disc_hits, n_cushion_hits : (n,) int32
        All events (stops and pocketings too), hits of two discs, hits of the frame.
    duration : (n,) float64
        Until the last event, or until the clock was stopped [s].
    """

    status: CodeArray
    pocket: CodeArray
    pocket_time: FloatArray
    overboard: CodeArray
    pos: FloatArray
    vel: FloatArray
    omega: FloatArray
    first_hit: CodeArray
    first_hit_direct: CodeArray
    first_hit_behind: CodeArray
    crossed_front_line: CodeArray
    n_events: CountArray
    n_disc_hits: CountArray
    n_cushion_hits: CountArray
    duration: FloatArray
    _events: NDArray[np.void] | None = None
    _first_event: IntArray | None = None

    def __len__(self) -> int:
        return len(self.status)

    def __repr__(self) -> str:
        failed = int(np.count_nonzero(self.status))
        recorded = "" if self._events is None else f", {len(self._events)} events recorded"
        return f"Outcomes({len(self)} strokes, {failed} without outcome{recorded})"

    def _repr_html_(self) -> str:
        """Show the end of stroke 0 on an ICF board, for notebooks; outcomes do not know which board was played on."""
        from carromsim.drawing.card import card, icf_picture

        facts: dict[str, object] = {"strokes": len(self)}
        for status in Status:
            if count := int(np.count_nonzero(self.status == status)):
                facts[f"status {status.value}: {status.name.lower().replace('_', ' ')}"] = count
        for name, discs in (("white", WHITE), ("black", BLACK), ("queen", QUEEN), ("striker", STRIKER)):
            facts[f"pocketed {name}"] = int(np.count_nonzero(self.pocket[:, discs] >= 0))
        if self.overboard.any():
            facts["overboard"] = int(np.count_nonzero(self.overboard))
        if len(self) == 0:
            return card("Outcomes", facts)
        if self.status[0] != Status.OK:
            return card("Outcomes", facts, "", "stroke 0 has no outcome")
        picture = icf_picture(self.pos[0])
        where = "on an ICF board" if picture else "reaches beyond an ICF board"
        return card("Outcomes", facts, picture, f"end of stroke 0, {self.duration[0]:.2f} s, {where}")

    def events(self, row: int) -> NDArray[np.void]:
        """Return the recorded events of one row, in time order.

        Parameters
        ----------
        row : int
            0 <= row < n.

        Returns
        -------
        structured array
            Fields t [s], kind (`EventKind`: 0 disc hit, 1 cushion hit, 2 pocketing, 3 stop, 4 overboard), a and b (disc
            indices, -1 = none).

        Raises
        ------
        ValueError
            If events were not recorded.
        IndexError
            If there is no such row.
        """
        if self._events is None or self._first_event is None:
            raise ValueError("no events were recorded: simulate with record=True")
        if not 0 <= row < len(self):
            raise IndexError(f"row = {row}: must be from 0 to {len(self) - 1}")
        return self._events[self._first_event[row] : self._first_event[row + 1]]

    def to_arrow(self) -> "pa.Table":
        """Return the outcomes as a pyarrow.Table; what a row does not have is null.

        Places and velocities are lists of 20 per coordinate: pos_x, pos_y, vel_x, vel_y.
        """
        import pyarrow as pa

        from carromsim.tables.batches import record_batch
        from carromsim.tables.schemas import OUTCOMES

        columns, missing = self.columns()
        return pa.Table.from_batches([record_batch(OUTCOMES, columns, missing)])

    def columns(self) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[np.bool_]]]:
        """Return the columns of `to_arrow` as arrays, and where their values are missing."""
        columns: dict[str, NDArray[Any]] = {
            field.name: getattr(self, field.name) for field in fields(self) if not field.name.startswith("_")
        }
        for name in ("pos", "vel"):
            both = columns.pop(name)
            columns[f"{name}_x"], columns[f"{name}_y"] = both[..., 0], both[..., 1]
        failed = self.status != Status.OK
        away = np.isnan(self.pos[..., 0])
        unhit = self.first_hit < 0
        missing: dict[str, NDArray[np.bool_]] = {"pocket": self.pocket < 0, "pocket_time": self.pocket < 0}
        missing |= dict.fromkeys(("pos_x", "pos_y", "vel_x", "vel_y", "omega"), away)
        missing |= dict.fromkeys(("first_hit", "first_hit_direct", "first_hit_behind"), unhit)
        missing["overboard"] = np.repeat(failed[:, np.newaxis], N_DISCS, axis=1)
        for name in ("crossed_front_line", "n_events", "n_disc_hits", "n_cushion_hits", "duration"):
            missing[name] = failed
        return columns, missing

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand the outcomes to any library that speaks the Arrow C stream interface."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def empty_result(n: int) -> Result:
    """Return outcome columns for n rows, to be filled by the kernels."""

    def codes(*shape: int) -> CodeArray:
        return np.empty((n, *shape), np.int8)

    def numbers(*shape: int) -> FloatArray:
        return np.empty((n, *shape))

    return Result(
        status=codes(),
        pocket=codes(N_DISCS),
        pocket_time=numbers(N_DISCS),
        overboard=codes(N_DISCS),
        pos=numbers(N_DISCS, 2),
        vel=numbers(N_DISCS, 2),
        omega=numbers(N_DISCS),
        first_hit=codes(),
        first_hit_direct=codes(),
        first_hit_behind=codes(),
        crossed_front_line=codes(),
        n_events=np.empty(n, np.int32),
        n_disc_hits=np.empty(n, np.int32),
        n_cushion_hits=np.empty(n, np.int32),
        duration=numbers(),
    )
