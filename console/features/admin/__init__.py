"""Who there is, in which role, with which sessions and tokens."""
