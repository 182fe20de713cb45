"""One thread: its conversation, and the review it waits for."""
