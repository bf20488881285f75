"""What the striker does after its hit: it must neither fall nor meet the disc that it has sent."""

import math

from carromsim_kernels.aim_contact import outward
from carromsim_kernels.aim_errands import pocket_sign
from carromsim_kernels.jit import kernel
from carromsim_kernels.sheet import Record

LOOKS = 16
"""How often the striker is looked for on the way of a disc from a cushion."""
MISS_BY = 5e-3
"""What must be between the two then [m]."""


@kernel
def way_left(aim: Record) -> tuple[float, float]:
    """Return the direction in which the disc leaves that is hit."""
    c = 1.0 / math.sqrt(1.0 + aim.throw * aim.throw)
    return c * (aim.nx - aim.throw * aim.ny), c * (aim.ny + aim.throw * aim.nx)


@kernel
def striker_after(aim: Record, first: int, hit: float) -> tuple[float, float, float]:
    """Return velocity and speed of the striker after it has hit the first disc at a speed of `hit`."""
    ux, uy = way_left(aim)
    share = aim.launch * aim.mass[first] / aim.mass[0]
    vx, vy = hit * aim.dx - share * ux, hit * aim.dy - share * uy
    return vx, vy, math.sqrt(vx * vx + vy * vy)


@kernel
def will_fall(aim: Record, first: int, hit: float) -> bool:
    """Whether the striker runs into a pocket after its hit, if nothing is in its way."""
    vx, vy, speed = striker_after(aim, first, hit)
    reach, take = aim.radius[0] + aim.radius[first], aim.catch[0]
    if speed == 0.0 or take == 0.0:
        return False
    way = speed * speed / (2.0 * aim.mu_g)
    for pocket in range(4):
        sx, sy = pocket_sign(pocket)
        rx = sx * aim.pocket_centre - aim.x[first] + reach * aim.nx
        ry = sy * aim.pocket_centre - aim.y[first] + reach * aim.ny
        ahead, aside = (rx * vx + ry * vy) / speed, (rx * vy - ry * vx) / speed
        if ahead > 0.0 and abs(aside) < take and ahead - math.sqrt(take * take - aside * aside) < way:
            return True
    return False


@kernel
def will_meet_again(aim: Record, first: int, hit: float) -> bool:
    """Whether the striker, after its hit at a speed of `hit`, is in the way of the disc that leaves its cushion."""
    ux, uy = way_left(aim)
    vx, vy, speed = striker_after(aim, first, hit)
    stop = speed / aim.mu_g
    reach = aim.radius[0] + aim.radius[first]
    ex, ey = outward(aim.cushion)
    tau = (uy * ex - ux * ey) / (ux * ex + uy * ey)
    h1, h2 = aim.bank_h1, aim.bank_h2
    # Where the disc turns round and where it goes, from where it lies: outward and to the left along the cushion.
    time, left = travel_time(h1 * math.sqrt(1.0 + tau * tau), aim.launch, aim.mu_g)
    e, across = aim.bank_e, aim.bank_w - h1 * tau
    out = left * e * math.sqrt((h2 * h2 + across * across) / (1.0 + tau * tau)) / h2
    length = math.sqrt(h2 * h2 + across * across)
    for i in range(LOOKS + 1):
        part = i * i / (LOOKS * LOOKS)  # mostly near the cushion
        later, _ = travel_time(part * length, out, aim.mu_g)
        t = min(time + later, stop)
        path = t - 0.5 * aim.mu_g * t * t / speed if speed > 0.0 else 0.0
        outward_by, aside = h1 - part * h2, h1 * tau + part * across
        rx = outward_by * ex - aside * ey + reach * aim.nx - path * vx
        ry = outward_by * ey + aside * ex + reach * aim.ny - path * vy
        if rx * rx + ry * ry < (reach + MISS_BY) * (reach + MISS_BY):
            return True
    return False


@kernel
def travel_time(way: float, speed: float, mu_g: float) -> tuple[float, float]:
    """Return how long a disc takes for a way, and its speed there; 0 if it gets no further."""
    left = math.sqrt(max(speed * speed - 2.0 * mu_g * way, 0.0))
    return 2.0 * way / (speed + left), left
