"""Numbers that ship with the package, and the scripts that made them."""
