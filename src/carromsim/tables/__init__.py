"""Tables: what their columns mean, and how they get to disk."""
