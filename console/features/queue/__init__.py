"""What is waiting, in a list."""
