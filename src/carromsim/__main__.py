"""``python -m carromsim`` is the command ``carromsim``."""

from carromsim.cli import main

if __name__ == "__main__":  # not in the workers, which import it under another name
    main()
