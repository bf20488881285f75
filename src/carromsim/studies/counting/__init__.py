"""What is looked at in every row, counted exactly, and when enough has been seen."""
