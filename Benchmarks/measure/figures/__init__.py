"""One module for each subject. Each function `measure_…` returns one or more lines of the table."""
