"""What a stroke is asked about afterwards: noted while it happens."""

from carromsim_kernels.jit import kernel
from carromsim_kernels.scene import Scene
from carromsim_kernels.state import STRIKER, EventKind, Log

DISC_HIT = int(EventKind.DISC_HIT)
CUSHION_HIT = int(EventKind.CUSHION_HIT)


@kernel
def forward(seat: int, x: float, y: float) -> float:
    """Return the place along the direction in which the player at seat looks [m]."""
    if seat == 0:
        return y
    if seat == 1:
        return -x
    if seat == 2:
        return -y
    return x


@kernel
def note_striker(scene: Scene, x: float, y: float) -> None:
    """Note whether the whole striker has passed the front line. Paths are straight: their ends suffice."""
    if forward(scene.seat, x, y) - scene.radius[STRIKER] > scene.front_line:
        scene.crossed_front_line = 1


@kernel
def note_disc_hit(scene: Scene, i: int, j: int, x: float, y: float) -> None:
    """Count a hit of discs i and j, which is at x, y; note the first man that the striker touches."""
    scene.n_disc_hits += 1
    if i != STRIKER or scene.first_hit >= 0:
        return
    scene.first_hit = j
    scene.first_hit_direct = 1 if scene.striker_cushions == 0 else 0
    behind = forward(scene.seat, x, y) - scene.radius[j] <= scene.front_line
    scene.first_hit_behind = 1 if behind else 0


@kernel
def note_cushion_hit(scene: Scene, i: int) -> None:
    """Count a hit of disc i with a cushion."""
    scene.n_cushion_hits += 1
    if i == STRIKER:
        scene.striker_cushions += 1


@kernel
def record(scene: Scene, log: Log, s: int, t: float, kind: int, i: int, j: int) -> None:
    """Count an event of row s and record it, as far as there is room for its events."""
    place = log.first[s] + scene.n_events
    if place < log.first[s + 1]:
        log.t[place], log.kind[place], log.a[place], log.b[place] = t, kind, i, j
    scene.n_events += 1
