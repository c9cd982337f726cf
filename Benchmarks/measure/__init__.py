"""What CopyPasta costs, measured from outside: a module for each subject in `figures`, one for each peer in `peers`."""
