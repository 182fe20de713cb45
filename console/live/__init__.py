"""What keeps open browsers honest and current: who is there, what they may call, what has changed."""
