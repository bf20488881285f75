"""The search itself: an evolution strategy that is asked for breaks and told what they are worth."""

from typing import Any

import numpy as np

from carromsim.studies.optimising.space import Space
from carromsim_kernels.state import FloatArray

__all__ = ["Search", "library"]

SIGMA = 0.25
"""First step of a search, as a share of the box: a quarter, so that the whole box is within reach."""
INSIDE = (0.1, 0.9)
"""Where a random start may be, in each coordinate."""
WORST = 1e30
"""Told of a break without a single stroke that counts."""


def library() -> Any:
    """Import the library of the search.

    Raises
    ------
    ImportError
        If it is not installed, naming the extra that brings it.
    """
    try:
        import cmaes
    except ImportError as error:
        raise ImportError("cmaes is not installed: pip install 'carromsim[optimise]'") from error
    return cmaes


class Search:
    """One start of CMA-ES in a box, for a noisy objective that is to be large.

    Everything follows from the seed and from what it is told, so a search that is told the same again asks the same.

    Parameters
    ----------
    space : Space
        What is searched.
    start : (k,) float64, optional
        Where it begins; default: anywhere, by the seed.
    seed : int
        Of the study.
    restart : int
        Number of the start, which with the seed fixes its chance.
    candidates : int
        Breaks of a generation.

    Notes
    -----
    The learning rate is adapted to the noise, so that generations of few strokes do not lead astray.

    References
    ----------
    N. Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772. M. Nomura, Y. Akimoto, I. Ono, "CMA-ES with
    Learning Rate Adaptation: Can CMA-ES with Default Population Size Solve Multimodal and Noisy Problems?",
    GECCO 2023, arXiv:2304.03473.
    """

    def __init__(self, space: Space, start: FloatArray | None, *, seed: int, restart: int, candidates: int) -> None:
        chance = np.random.SeedSequence([seed, restart])
        of_start, of_steps = (int(word) for word in chance.generate_state(2))
        if start is None:
            start = np.random.RandomState(of_start).uniform(*INSIDE, len(space.names))
        self._bounds = space.bounds
        self._strategy = library().CMA(
            mean=start, sigma=SIGMA, bounds=self._bounds, seed=of_steps, population_size=candidates, lr_adapt=True
        )
        self._candidates = candidates
        self._asked: list[FloatArray] = []

    @property
    def mean(self) -> FloatArray:
        """Where the search is, (k,)."""
        return np.asarray(np.clip(self._strategy.mean, *self._bounds.T))

    def ask(self) -> list[FloatArray]:
        """Give the points (k,) of the next generation."""
        self._asked = [np.asarray(self._strategy.ask()) for _ in range(self._candidates)]
        return self._asked

    def tell(self, worth: FloatArray) -> None:
        """Say what the points that were asked for last are worth, (n,)."""
        loss = np.where(np.isfinite(worth), -worth, WORST)
        self._strategy.tell(list(zip(self._asked, loss.tolist(), strict=True)))
