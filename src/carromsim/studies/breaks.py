"""The break study: the first stroke of a board, played many times with the scatter of a human hand."""

import math
import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from carromsim.chunks import cut, in_order, thread_count
from carromsim.equipment import BLACK, QUEEN, STRIKER, WHITE, Equipment
from carromsim.layouts import Layout, opening
from carromsim.outcomes import Outcomes
from carromsim.simulation import simulate
from carromsim.streams import Slot, Streams
from carromsim.strokes import Strokes, check_placement, clip_to_legal, snap_to_end_circle
from carromsim.studies.break_summary import BreakCounts, BreakSummary
from carromsim.studies.study import CHUNK_ROWS, new_run
from carromsim.tables.batches import record_batch
from carromsim.tables.schemas import STROKES
from carromsim.tables.writer import write_part
from carromsim_kernels.state import FloatArray, IntArray, Status

if TYPE_CHECKING:
    import pyarrow as pa

RuleSetName = Literal["icf", "ukca", "caint", "bell_i", "bell_ii"]
_EQUIPMENT_OF = {"icf": "icf", "ukca": "ukca", "caint": "caint", "bell_i": "bell", "bell_ii": "bell"}

SLOWEST = 0.01
"""Least executed speed as a share of the intended one: no finger sends the striker backwards."""

Progress = Callable[[int, int], None]
"""Is told, after each chunk, how many strokes are done and how many there are."""


def _plain_int(value: Any) -> Any:
    """Accept NumPy integers; anything else is left to the validation."""
    return int(value) if isinstance(value, np.integer) else value


def _equipment(value: Any) -> Any:
    """Accept the name of a preset."""
    return Equipment.preset(value) if isinstance(value, str) else value


class BreakStudy(BaseModel):
    """A break, its scatter and how often to play it. Frozen; every row follows from these fields and its number.

    The default scatter is a guess at a club player, who breaks well but not like a machine. Nobody has
    measured it; each number says what it means on the board.

    Parameters
    ----------
    ruleset : {"icf", "ukca", "caint", "bell_i", "bell_ii"}
        Names the equipment preset.
    equipment : Equipment or str, optional
        Another board than the rule set's, or the name of a preset.
    strokes : int
        How many, at least 1.
    seed : int
        0 <= seed < 2^64. The same seed gives the same scatter to every variant of a study.
    rotation : float
        Turn of the pack, counter-clockwise [rad]; at 0 the stem of the white Y points to the breaker.
    gap : float
        Between neighbours in the pack [m]. Hits are resolved two discs at a time, which is right from
        0.5 mm on; tighter packs, which squeeze several discs at once, are not yet trustworthy.
    jitter : float
        Each disc is shifted by up to this much in x and in y, row by row [m]. At most gap / (2 sqrt 2), which
        is the default: no hand lays a pack to a hundredth of a millimetre, and a perfectly regular pack is a
        special case that pockets markedly more.
    x : float
        Intended place of the striker: centre, along the base line from its middle [m].
    angle : float
        Intended direction, counter-clockwise from +x [rad]; pi / 2 is straight ahead.
    speed : float
        Intended speed [m/s], at least 0.
    spin : float
        Intended spin [rad/s], counter-clockwise positive.
    sd_x : float
        Standard deviation of the placement [m]. 1 mm: set by eye between two lines.
    sd_angle : float
        Of the direction [rad]. 0.7 degrees: 3 mm at the centre of the board, seen from the base line.
    sd_speed : float
        Of the speed, relative to the intended one. 5 %.
    sd_spin : float
        Of the spin [rad/s]. 5 rad/s: a finger that meets a 6 m/s striker 0.2 mm off its middle.

    Notes
    -----
    The executed placement is moved to the nearest legal one, because a player sees where the striker
    stands before he flicks it and would not leave it in a foul place; over an end circle it is centred
    there. The executed speed is at least 1 % of the intended one. Directions and spins are unlimited.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    ruleset: RuleSetName = "icf"
    equipment: Annotated[Equipment, BeforeValidator(_equipment)] = Field(
        default_factory=lambda given: Equipment.preset(_EQUIPMENT_OF[given["ruleset"]])
    )
    strokes: Annotated[int, BeforeValidator(_plain_int)] = Field(default=20_000, ge=1, le=2**40)
    seed: Annotated[int, BeforeValidator(_plain_int)] = Field(default=1, ge=0, lt=2**64)
    rotation: float = 0.0
    gap: float = Field(default=0.0005, ge=0)
    jitter: float = Field(default_factory=lambda given: given["gap"] / (2.0 * math.sqrt(2.0)), ge=0)
    x: float = 0.0
    angle: float = math.pi / 2
    speed: float = Field(default=6.0, ge=0)
    spin: float = 0.0
    sd_x: float = Field(default=0.001, ge=0)
    sd_angle: float = Field(default=math.radians(0.7), ge=0)
    sd_speed: float = Field(default=0.05, ge=0)
    sd_spin: float = Field(default=5.0, ge=0)

    @field_validator("x")
    @classmethod
    def _x_is_legal(cls, x: float, given: ValidationInfo) -> float:
        if "equipment" in given.data:  # else that is the error to report
            check_placement(x, given.data["equipment"])
        return x

    @model_validator(mode="after")
    def _pack_is_possible(self) -> Self:
        """Lay the pack once: jitter that is too large and a pack that is too wide are errors here and not in a row."""
        regular = self.model_copy(update={"jitter": 0.0})
        try:
            regular._layout(range(1)).check(self.equipment, striker=False)
        except ValueError as error:
            first = str(error).partition(";")[0]
            raise ValueError(f"gap = {self.gap} m leaves no room for the pack: {first}") from None
        self._layout(range(1))
        return self

    def executed(self, rows: range) -> Strokes:
        """Give the strokes of some rows as the hand executed them.

        Parameters
        ----------
        rows : range
            Row numbers; a row's stroke does not depend on which others are asked for.

        Returns
        -------
        Strokes
            One per row.
        """
        numbers: IntArray = np.arange(rows.start, rows.stop, dtype=np.int64)
        streams = Streams(self.seed)

        def scatter(slot: Slot, sd: float) -> FloatArray:
            return sd * streams.normal(numbers, 0, slot)

        x = clip_to_legal(self.x + scatter(Slot.PLACEMENT, self.sd_x), self.equipment)
        return Strokes(
            x=snap_to_end_circle(x, self.equipment),
            angle=self.angle + scatter(Slot.ANGLE, self.sd_angle),
            speed=self.speed * np.maximum(1.0 + scatter(Slot.SPEED, self.sd_speed), SLOWEST),
            spin=self.spin + scatter(Slot.SPIN, self.sd_spin),
        )

    def batch(self, rows: range) -> "pa.RecordBatch":
        """Play some rows of the study in this thread.

        Parameters
        ----------
        rows : range
            Row numbers.

        Returns
        -------
        pyarrow.RecordBatch
            Rows of the table `strokes`.
        """
        strokes = self.executed(rows)
        out = simulate(self._layout(rows), strokes, equipment=self.equipment, seed=self.seed, threads=1)
        return _to_batch(self, rows, strokes, out)

    def batches(self, threads: int | None = None) -> "Generator[pa.RecordBatch]":
        """Play the study chunk by chunk, in bounded memory, rows in order.

        Parameters
        ----------
        threads : int, optional
            Default: one per core. The rows do not depend on it.

        Yields
        ------
        pyarrow.RecordBatch
            One chunk of the table `strokes`.
        """
        chunks = in_order(self.batch, cut(self.strokes, CHUNK_ROWS), thread_count(threads))
        return cast("Generator[pa.RecordBatch]", chunks)  # it is one; closing it drops the chunks not yet begun

    def stream(self, threads: int | None = None) -> "pa.RecordBatchReader":
        """Play the study as a reader that DuckDB, Polars or pandas can consume, in bounded memory."""
        import pyarrow as pa

        return pa.RecordBatchReader.from_batches(STROKES.arrow(), self.batches(threads))

    def summarise(self, *, threads: int | None = None, progress: Progress | None = None) -> BreakSummary:
        """Play the study and keep the counts only.

        Parameters
        ----------
        threads : int, optional
            Default: one per core.
        progress : callable, optional
            Called with the strokes done and the strokes in all after each chunk.

        Returns
        -------
        BreakSummary
        """
        return self._consume(lambda number, batch: None, threads, progress)

    def run(
        self, directory: str | PathLike[str], *, threads: int | None = None, progress: Progress | None = None
    ) -> "BreakRun":
        """Play the study into a directory: `manifest.json` and the parts of the table `strokes`.

        Parts appear whole, one per chunk; when the run is stopped, finished parts stay and no half one
        is left. Equal studies give equal bytes, whatever the number of threads.

        Parameters
        ----------
        directory : path
            New or empty.
        threads : int, optional
            Default: one per core.
        progress : callable, optional
            Called with the strokes done and the strokes in all after each chunk.

        Returns
        -------
        BreakRun

        Raises
        ------
        DirectoryError
            A ValueError: if the directory is not empty or cannot be written to.
        OSError
            If writing fails later, as on a full disk.
        """
        import pyarrow as pa

        thread_count(threads)  # a bad argument is told before anything is written
        with new_run(directory, [STROKES], self.manifest()) as root:

            def keep(number: int, batch: "pa.RecordBatch") -> None:
                write_part(pa.Table.from_batches([batch]), STROKES, root, number)

            summary = self._consume(keep, threads, progress)
        return BreakRun(directory=root, study=self, summary=summary)

    def manifest(self) -> dict[str, Any]:
        """Give what a run says about itself: the study, its equipment in full and how it is cut into chunks."""
        declared = self.model_dump(mode="json", exclude={"equipment"})
        return {
            "study": {"kind": "break", **declared},
            "equipment": asdict(self.equipment),
            "chunks": {"rows": CHUNK_ROWS, "count": len(cut(self.strokes, CHUNK_ROWS))},
        }

    def _layout(self, rows: range) -> Layout:
        """Lay the pack of some rows; without jitter one pack serves all."""
        n = len(rows) if self.jitter > 0 else None
        return opening(
            self.equipment,
            rotation=self.rotation,
            gap=self.gap,
            jitter=self.jitter,
            seed=self.seed,
            n=n,
            first_row=rows.start,
        )

    def _consume(
        self, keep: "Callable[[int, pa.RecordBatch], None]", threads: int | None, progress: Progress | None
    ) -> BreakSummary:
        """Play all chunks, hand each to `keep` with its number, and count."""
        self.batch(range(1))  # compiles or loads the kernels, which is not the study's time
        counts, started = BreakCounts.none(), time.perf_counter()
        with closing(self.batches(threads)) as batches:  # an error here ends the work on later chunks at once
            for number, batch in enumerate(batches):
                keep(number, batch)
                counts += BreakCounts.of(batch)
                if progress is not None:
                    progress(counts.strokes, self.strokes)
        return BreakSummary(counts=counts, gap=self.gap, seconds=time.perf_counter() - started)


@dataclass(frozen=True, kw_only=True)
class BreakRun:
    """A finished run.

    Parameters
    ----------
    directory : Path
        Holds `manifest.json` and the folder `strokes` with the parts.
    study : BreakStudy
        What was asked.
    summary : BreakSummary
        What came out.
    """

    directory: Path
    study: BreakStudy
    summary: BreakSummary


def _to_batch(study: BreakStudy, rows: range, strokes: Strokes, out: Outcomes) -> "pa.RecordBatch":
    """Put what was intended, executed and found into rows of the table `strokes`."""
    columns, missing = out.columns()
    for name in ("overboard", "vel_x", "vel_y", "omega"):  # nothing moves at the end, nothing leaves the board
        del columns[name]
        missing.pop(name)
    fell = out.pocket >= 0
    n_white, n_black, queen = fell[:, WHITE].sum(axis=1), fell[:, BLACK].sum(axis=1), fell[:, QUEEN].astype(np.int8)
    totals: dict[str, NDArray[Any]] = {
        "n_white": n_white,
        "n_black": n_black,
        "queen": queen,
        "striker": fell[:, STRIKER],
        "n_pocketed": n_white + n_black + queen,
    }
    missing |= dict.fromkeys(totals, out.status != Status.OK)
    constant = {f"intended_{name}": getattr(study, name) for name in ("x", "angle", "speed", "spin")}
    constant |= {"rotation": study.rotation, "gap": study.gap}
    columns |= {"row": np.arange(rows.start, rows.stop), **totals}
    columns |= {name: np.full(len(rows), value) for name, value in constant.items()}
    columns |= {name: getattr(strokes, name) for name in ("x", "angle", "speed", "spin")}
    return record_batch(STROKES, columns, missing)
