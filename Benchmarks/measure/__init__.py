"""Measures CopyPasta from outside. `figures` has a module for each subject, and `peers` a module for each peer."""
