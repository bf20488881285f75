"""``python -m carromsim.cli``."""

from carromsim.cli import main

main()
