"""How well a player executes what he intends."""
