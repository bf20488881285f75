"""What comes after a run or before it: comparisons and plans."""
