"""What a study is told: fields, parameters that vary, laws, and how they stand in TOML."""
