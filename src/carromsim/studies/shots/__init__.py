"""The shot study."""
