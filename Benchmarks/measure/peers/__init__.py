"""Other clipboard managers, each measured by its own front door: see `peer.py`."""
