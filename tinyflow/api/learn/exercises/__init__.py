"""The exercises, one module each: e01_feeds.py has the first."""
