"""Measures CopyPasta from outside. `figures` has a module for each subject, and `peers` one for each peer."""
