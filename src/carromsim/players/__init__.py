"""Players: who chooses a stroke, and how well he executes it."""
