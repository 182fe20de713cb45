"""One verb per function: each loads through one door, checks the actor, does one thing, and records it."""
