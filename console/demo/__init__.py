"""The customer-service agent that comes with the console: a small shop, five tools, a model that needs no key."""
