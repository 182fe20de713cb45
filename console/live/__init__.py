"""What keeps open browsers honest and current: who is at the other end, what they may call, what has changed."""
