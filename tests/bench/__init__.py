"""Ratios of what the console does to the least that could do it; `make bench` prints them."""
