"""A console in which people decide what a paused agent may do."""

__version__ = "0.1.0"
