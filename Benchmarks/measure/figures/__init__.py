"""One module for each subject; each function `measure_…` answers the lines of the table that it is good for."""
