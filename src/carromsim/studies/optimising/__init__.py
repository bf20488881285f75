"""The search for a good break: candidates, finalists, a verdict on fresh strokes, and how it hangs on everything."""
