"""The commands `carromsim break` and `carromsim warmup`."""

import time

from carromsim.cli.app import app, stderr
from carromsim.cli.how import AS_USUAL, How
from carromsim.cli.progress import tell_if_cold
from carromsim.cli.studies import play_and_tell, study_of_options


@app.command(name="break")
def break_(
    *,
    ruleset: str = "icf",
    equipment: str | None = None,
    strokes: int = 20_000,
    seed: int = 1,
    until: str | None = None,
    rotation_deg: float = 0.0,
    gap: float = 0.00005,
    jitter: float | None = None,
    x: float = 0.0,
    angle_deg: float = 90.0,
    speed: float = 6.0,
    spin: float = 0.0,
    sd_x: float = 0.001,
    sd_angle_deg: float = 0.7,
    sd_speed: float = 0.05,
    sd_spin: float = 5.0,
    how: How = AS_USUAL,
) -> None:
    """Play the opening break many times and tell what fell and what the laws say.

    The intended stroke is the same each time; the hand scatters around it. What varies from stroke to stroke is
    declared in a file: carromsim new break, carromsim run.

    Parameters
    ----------
    ruleset
        Rule set, see carromsim rules list, or a TOML file of your own; names the equipment, unless that is given.
    equipment
        Another board than the rule set's: a preset (icf, ukca, caint, bell) or a TOML file of your own.
    strokes
        How many.
    seed
        0 to 2^64 - 1; the same seed gives the same scatter.
    until
        End as soon as enough is known, strokes being the most that are played: METRIC:HALF_WIDTH, as in any:0.01,
        once a metric is known to within this, or 'white vs black' once it is told from another one or a number.
    rotation_deg
        Turn of the pack, counter-clockwise [degrees].
    gap
        Between neighbours in the pack [m]; the default is a guess for a pack set up by hand.
    jitter
        Each disc of the pack is shifted by up to this much in x and y [m]; default: as far as the gap allows.
    x
        Centre of the striker along the base line, from its middle [m].
    angle_deg
        Direction, 90 is straight ahead [degrees].
    speed
        Speed [m/s].
    spin
        Spin, counter-clockwise [rad/s].
    sd_x
        Standard deviation of the placement [m].
    sd_angle_deg
        Standard deviation of the direction [degrees].
    sd_speed
        Standard deviation of the speed, as a share of it.
    sd_spin
        Standard deviation of the spin [rad/s].
    """
    study = study_of_options("break", locals().copy())
    play_and_tell(study, how)


@app.command
def warmup() -> None:
    """Compile the kernels, once per version, so that the first study starts at once."""
    import multiprocessing

    from carromsim.studies.playing.boards import BoardStudy

    started = time.perf_counter()
    tell_if_cold(players=True)
    # A board needs all kernels, and first those that choose strokes: meanwhile another process compiles the others.
    breaks = multiprocessing.get_context("spawn").Process(target=_warm_up_breaks, daemon=True)
    breaks.start()
    BoardStudy(boards=1).warm_up()
    breaks.join()
    stderr().print(f"kernels are ready ({time.perf_counter() - started:.1f} s)")


def _warm_up_breaks() -> None:
    from carromsim.studies.breaks.study import BreakStudy

    BreakStudy(strokes=1).warm_up()
