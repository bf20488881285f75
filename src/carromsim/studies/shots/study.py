"""The shot study: a man and a stroke at it, tried many times by hands of one or several skills."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carromsim.equipment import BLACK, N_DISCS, QUEEN, STRIKER
from carromsim.layouts import Layout
from carromsim.outcomes import Outcomes
from carromsim.simulation import simulate
from carromsim.streams import Streams
from carromsim.strokes import Strokes, clip_to_legal, direction, snap_to_end_circle
from carromsim.studies.counting.metrics import Metric, Observed
from carromsim.studies.declaring.coefficients import COEFFICIENTS
from carromsim.studies.declaring.parameters import draw
from carromsim.studies.shots.aim import aim
from carromsim.studies.shots.declaration import SLOTS, ShotDeclaration
from carromsim.studies.shots.positions import TARGET, family, lay, speed_of
from carromsim.studies.shots.summary import ShotCounts, ShotSummary, observed_shots, shot_metrics
from carromsim.studies.stroke_report import stroke_dict, stroke_report
from carromsim.studies.takes import Take, checked_board
from carromsim.tables.batches import record_batch
from carromsim.tables.schemas import DISC_NAMES, TableSchema
from carromsim.tables.schemas_players import SHOTS
from carromsim_kernels.state import FloatArray, IntArray, Status

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import RenderableType


class _Meant(NamedTuple):
    """What is meant in some rows, and by whom."""

    trials: IntArray
    skill: IntArray
    """Place in the declaration."""
    drawn: dict[str, FloatArray]
    pos: FloatArray
    """Men and blockers, (n, 20, 2)."""
    strokes: Strokes
    room: FloatArray
    estimate: FloatArray
    possible: NDArray[np.bool_]


class ShotStudy(ShotDeclaration):
    """A man that is to fall, and how often each skill makes him.

    Frozen; every row follows from these fields and its number. Where the striker stands, how far the man has to go and
    the cut fix where the man lies. Where to aim is found by trying without scatter (`carromsim.studies.shots.aim`), and
    then the hand scatters around that.

    Parameters
    ----------
    ruleset : RuleSet, str or path
        The laws: they name the equipment and say whether the striker may hit the man directly where he lies.
    equipment : Equipment, str or path, optional
        Another board than the rule set's, the name of a preset, or a TOML file (`Equipment.load`).
    strokes : int
        How many by each skill, at least 1.
    until : Until or mapping, optional
        When enough strokes were played, instead of all: {metric = "success", half_width = 0.01} once the interval of
        a metric is short enough, or {metric = "success", against = 0.5} once it is told from a number. Looked at
        after each chunk by an interval that holds at all looks together; level = 0.95 is that of the interval.
    seed : int
        0 <= seed < 2^64. All skills have the same chance, stroke by stroke.
    skill : Skill, str, mapping, or a list of such
        Whose hand: novice, club, expert, champion, perfect, or standard deviations of your own, such as
        {sd_x = 0.001, sd_angle_deg = 0.5, sd_speed = 0.05, sd_spin = 5.0}.
    way : str
        "direct", or "bank": the man comes from one cushion, the far one for the bottom pockets and the opposite side
        for the top ones.
    pocket : str
        "bottom left", "bottom right", "top right" or "top left", as the player sees them.
    distance : Parameter
        Way of the man to the middle of the pocket, over the cushion if it is a bank [m].
    cut : Parameter
        Angle from the man's way to the striker's, counter-clockwise [rad]; 0: straight, at most 80 degrees either way.
        Of a bank as if the cushion were a mirror.
    x : Parameter
        Intended place of the striker: centre, along the base line from its middle [m].
    speed : Parameter, optional
        Intended speed [m/s], above 0, at most 10,000. Default: such that the man reaches the pocket at about 0.8 m/s.
    spin : Parameter
        Intended spin [rad/s], counter-clockwise positive; at most 1,000,000 either way.
    mu_surface, e_disc, e_cushion, mu_disc : Parameter, optional
        Friction and restitution in place of the equipment's, which are the default. 0 < mu_surface <= 100,
        0 <= e_disc, e_cushion <= 1, 0 <= mu_disc <= 100. For mu_surface a `Surface`, or {"surface": name}, means any
        friction in its range. The aim is found for them, as by one who knows the board.
    v_c_disc, v_c_cushion : Parameter, optional
        How fast restitution falls with speed: e + (1 - e) v_c / (v_c + v) [m/s], in place of the equipment's; 0: not
        at all.
    t_contact : Parameter, optional
        Duration of the elastic hit of two men [s], in place of the equipment's; 1e-6 to 1e-3.
    blockers : list of points
        Other men on the board, [[x, y], ...], at most 9 [m].

    Notes
    -----
    Row r is trial r // k by skill r % k of k skills. A `Parameter` is a number, or a `Uniform`, `Normal`, `Truncated`
    or `Grid`: then every trial has its own value. A drawn shot that cannot be, such as a man outside the board, has
    status 3 (bad input) and counts as no trial.
    """

    @property
    def tables(self) -> tuple[TableSchema, ...]:
        """The table `shots`."""
        return (SHOTS,)

    @property
    def chunk_rows(self) -> int:
        """Rows of a chunk: 0.2 s on one core, or 15 s if every trial has its own shot, and so its own aim."""
        return 4096

    @property
    def piece_rows(self) -> int:
        """Rows of a piece."""
        return 256

    @property
    def rows(self) -> int:
        """Rows of the table `shots`: strokes times skills."""
        return self.strokes * len(self.skill)

    def batch(self, rows: range) -> "dict[str, pa.RecordBatch]":
        """Play some rows of the study in this thread; see `DeclaredStudy.batch`."""
        meant = self._meant(rows)
        executed = self._executed(meant)
        return {SHOTS.name: self._table(rows, meant, executed, self._simulate(rows, meant, executed))}

    def replay(self, row: int) -> Outcomes:
        """Play one row again and keep its events; its outcome is that of the table, bit for bit.

        Parameters
        ----------
        row : int
            0 <= row < rows.
        """
        number = self.checked_row(row)
        rows = range(number, number + 1)
        meant = self._meant(rows)
        return self._simulate(rows, meant, self._executed(meant), record=True)

    def replay_dict(self, played: Outcomes) -> dict[str, Any]:
        """Give a replayed stroke as plain names and numbers, ready for JSON."""
        return stroke_dict(played)

    def replay_report(self, played: Outcomes) -> "RenderableType":
        """Lay out a replayed stroke for a terminal."""
        return stroke_report(played)

    def takes(self, row: int, board: int | None = None) -> list[Take]:
        """Give the stroke of one row, ready to be shown; see `DeclaredStudy.takes`."""
        number = self.checked_row(row)
        checked_board(board, 1)
        meant = self._meant(range(number, number + 1))
        if not meant.possible[0]:
            raise ValueError(f"row = {number}: {self.why_impossible(meant.drawn)}")
        return [
            Take(
                layout=Layout(meant.pos[0]),
                strokes=self._executed(meant),
                equipment=self.equipment,
                coefficients={name: float(meant.drawn[name][0]) for name in COEFFICIENTS},
                seed=self.seed,
                row=number,
                stroke=0,
                title=f"Shot {meant.trials[0]}: {self.labels[meant.skill[0]]}",
                meant=f"{self.way} {DISC_NAMES[TARGET]} into {self.pocket}",
            )
        ]

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """What is looked at in every row, by key."""
        return shot_metrics(self.labels)

    def observed(self, batch: "pa.RecordBatch") -> Observed:
        """Give the metrics of rows of the table `shots`; see `DeclaredStudy.observed`."""
        return observed_shots(batch, self.labels)

    def empty_counts(self) -> ShotCounts:
        """Give the counts of no rows."""
        return ShotCounts.none(len(self.skill))

    def counts_of(self, batch: "pa.RecordBatch") -> ShotCounts:
        """Count some rows of the table `shots`."""
        return ShotCounts.of(batch, self)

    def summary_of(
        self, counts: ShotCounts, seconds: float | None = None, stopped: Mapping[str, Any] | None = None
    ) -> ShotSummary:
        """Give the summary of counts that were added up."""
        return ShotSummary(study=self, counts=counts, seconds=seconds, stopped=stopped)

    def report(self, summary: ShotSummary) -> "RenderableType":
        """Lay out what was asked and what came out, for a terminal."""
        from carromsim.studies.shots.report import shot_report

        return shot_report(self, summary)

    def _meant(self, rows: range) -> _Meant:
        """Lay the men and aim; each different shot once."""
        numbers = np.arange(rows.start, rows.stop, dtype=np.int64)
        trials, skill = np.divmod(numbers, len(self.skill))
        drawn = draw(self.parameters, SLOTS, Streams(self.seed), trials)
        drawn["x"] = snap_to_end_circle(clip_to_legal(drawn["x"], self.equipment), self.equipment)
        columns = np.stack([drawn[name] for name in drawn], axis=1)
        different, which = np.unique(columns, axis=0, return_inverse=True)
        values = dict(zip(drawn, different.T, strict=True))
        pos, way, strokes, possible = self._laid(values)
        coefficients = {name: values[name] for name in COEFFICIENTS}
        found = aim(self.equipment, coefficients, pos, strokes, self.pocket_number, bank=self.way == "bank")
        which = which.reshape(-1)
        room = np.where(possible, found.room, 0.0)[which]
        given = {name: getattr(strokes, name)[which] for name in ("x", "speed", "spin")}
        meant = Strokes(angle=found.angle[which], **given)
        estimate = self._estimate(skill, meant.angle, way[which], room)
        return _Meant(trials, skill, drawn, pos[which], meant, room, estimate, possible[which])

    def _laid(self, values: dict[str, FloatArray]) -> tuple[FloatArray, FloatArray, Strokes, NDArray[np.bool_]]:
        """Lay each of n shots: positions, ways of the striker, strokes by plain geometry, and which are possible."""
        shared = family(self.equipment, self.pocket_number, self.way == "bank")
        n = len(values["x"])
        pos, way = np.full((n, N_DISCS, 2), np.nan), np.ones(n)
        angle, speed, possible = np.full(n, math.pi / 2), np.ones(n), np.zeros(n, bool)
        for i in range(n):
            given = {name: float(values[name][i]) for name in values}
            distance, cut = given["distance"], given["cut"]
            shot = lay(shared, given["x"], distance, cut)
            if isinstance(shot, str):
                continue
            possible[i] = True
            pos[i, TARGET], way[i], angle[i] = shot[:2], shot.way, shot.angle
            world = {name: given[name] for name in ("mu_surface", "e_disc", "e_cushion")}
            speed[i] = given.get("speed") or speed_of(shared, shot, distance, cut, **world)
        for disc, place in enumerate(self.blockers, BLACK.start):
            pos[:, disc] = place
        return (
            pos,
            way,
            Strokes(x=values["x"], angle=angle, speed=speed, spin=values["spin"]),
            possible,
        )

    def _estimate(self, skill: IntArray, angle: FloatArray, way: FloatArray, room: FloatArray) -> FloatArray:
        """Give the chance that the errors of direction and place, which both move the striker, stay within the room."""
        sd_angle, sd_x = (np.array([getattr(each, name) for each in self.skill]) for name in ("sd_angle", "sd_x"))
        aside = sd_x[skill] * direction(angle)[:, 1] / way
        sd = np.sqrt(sd_angle[skill] ** 2 + aside**2)
        # math, not NumPy, which has no error function.
        sure = [
            float(r > 0.0) if s == 0.0 else math.erf(r / (s * math.sqrt(2.0)))
            for r, s in zip(room.tolist(), sd.tolist(), strict=True)
        ]
        return np.array(sure)

    def _executed(self, meant: _Meant) -> Strokes:
        """Let each hand scatter around what was meant."""
        columns = {name: np.empty(len(meant.skill)) for name in ("x", "angle", "speed", "spin")}
        for number, skill in enumerate(self.skill):
            mine = np.flatnonzero(meant.skill == number)
            strokes = Strokes(**{name: getattr(meant.strokes, name)[mine] for name in columns})
            done = skill.executed(
                strokes, self.equipment, seed=self.seed, rows=meant.trials[mine], stroke=0, pos=meant.pos[mine]
            )
            for name, column in columns.items():
                column[mine] = getattr(done, name)
        return Strokes(**columns)

    def _simulate(self, rows: range, meant: _Meant, executed: Strokes, *, record: bool = False) -> Outcomes:
        out = simulate(
            Layout(meant.pos),
            executed,
            equipment=self.equipment,
            coefficients={name: meant.drawn[name] for name in COEFFICIENTS},
            seed=self.seed,
            first_row=rows.start,
            record=record,
            threads=1,
        )
        out.status[~meant.possible] = Status.BAD_INPUT
        return out

    def _table(self, rows: range, meant: _Meant, executed: Strokes, out: Outcomes) -> "pa.RecordBatch":
        ok = out.status == Status.OK
        front = self.equipment.front_line_distance - self.equipment.side / 2
        man = np.where(meant.possible[:, np.newaxis], meant.pos[:, TARGET], 0.0)
        beyond = man[:, 1] - self.equipment.radius[TARGET] > front
        fell = out.pocket >= 0
        columns: dict[str, NDArray[Any]] = {
            "row": np.arange(rows.start, rows.stop),
            "trial": meant.trials,
            "skill": np.array(self.labels, dtype=object)[meant.skill],
            **{name: meant.drawn[name] for name in ("distance", "cut", *COEFFICIENTS)},
            "man_x": man[:, 0],
            "man_y": man[:, 1],
            "room": meant.room,
            "estimate": meant.estimate,
            "allowed": beyond | (self.ruleset.stroke.direct_hit == "any"),
            "status": out.status,
            "success": out.pocket[:, TARGET] == self.pocket_number,
            "pocket": out.pocket[:, TARGET],
            "striker": fell[:, STRIKER],
            "n_others": fell[:, QUEEN:].sum(axis=1) - fell[:, TARGET],
            "n_cushion_hits": out.n_cushion_hits,
            "duration": out.duration,
        }
        for name in ("x", "angle", "speed", "spin"):
            columns |= {f"intended_{name}": getattr(meant.strokes, name), name: getattr(executed, name)}
        missing = dict.fromkeys(("success", "striker", "n_others", "n_cushion_hits", "duration"), ~ok)
        missing |= {"pocket": ~ok | ~fell[:, TARGET]} | dict.fromkeys(("man_x", "man_y"), ~meant.possible)
        return record_batch(SHOTS, columns, missing)
