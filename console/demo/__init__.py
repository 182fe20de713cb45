"""The customer-service agent of the demo: a small shop, five tools, a model that needs no key."""
