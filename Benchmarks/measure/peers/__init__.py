"""Other clipboard managers, each measured through its own interface: see `peer.py`."""
