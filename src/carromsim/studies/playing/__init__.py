"""Studies of players: boards and matches."""
