"""What editors and people get to see of a study's TOML: JSON schema and commented template, by kind."""
