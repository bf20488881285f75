// Where the discs are at any time: the knots of carromsim's Trajectory, and cubic Hermite pieces between them.

/** Turn the whole numbers of the page into knots in seconds, millimetres and radians; see _packed() in replays.py. */
function unpack(numbers) {
  const n = numbers.length / 7;
  const names = ["t", "x", "y", "vx", "vy", "turn", "omega"];
  const units = [1e-7, 1e-3, 1e-3, 1e-2, 1e-2, 1e-4, 1e-3];
  const sums = [true, true, true, false, false, true, false];
  const knots = { n };
  names.forEach((name, column) => {
    const values = new Float64Array(n);
    for (let i = 0, sum = 0; i < n; i += 1) {
      const number = numbers[7 * i + column];
      sum = sums[column] ? sum + number : number;
      values[i] = sum * units[column];
    }
    knots[name] = values;
  });
  return knots;
}

/** The last knot that is not after t. */
function pieceAt(knots, t) {
  let low = 0;
  let high = knots.n - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (knots.t[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

function hermite(s, h, p0, v0, p1, v1) {
  const q = 1 - s;
  return q * q * ((1 + 2 * s) * p0 + s * h * v0) + s * s * ((3 - 2 * s) * p1 - q * h * v1);
}

function hermiteSlope(s, h, p0, v0, p1, v1) {
  const q = 1 - s;
  return (6 * s * q * (p1 - p0)) / h + q * (1 - 3 * s) * v0 + s * (3 * s - 2) * v1;
}

/** Place, velocity and turn at time t, and the piece it is on; after the last knot what that one says, at rest. */
function stateAt(knots, t, state) {
  const i = pieceAt(knots, t);
  state.piece = i;
  if (i === knots.n - 1) {
    state.x = knots.x[i];
    state.y = knots.y[i];
    state.turn = knots.turn[i];
    state.vx = knots.vx[i];
    state.vy = knots.vy[i];
    return state;
  }
  const h = knots.t[i + 1] - knots.t[i];
  const s = (t - knots.t[i]) / h;
  const { x, y, vx, vy, turn, omega } = knots;
  state.x = hermite(s, h, x[i], vx[i], x[i + 1], vx[i + 1]);
  state.y = hermite(s, h, y[i], vy[i], y[i + 1], vy[i + 1]);
  state.vx = hermiteSlope(s, h, x[i], vx[i], x[i + 1], vx[i + 1]);
  state.vy = hermiteSlope(s, h, y[i], vy[i], y[i + 1], vy[i + 1]);
  state.turn = hermite(s, h, turn[i], omega[i], turn[i + 1], omega[i + 1]);
  return state;
}
