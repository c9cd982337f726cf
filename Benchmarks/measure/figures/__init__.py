"""One module for each subject. Each function `measure_…` returns some lines of the table."""
