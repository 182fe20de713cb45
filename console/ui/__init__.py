"""How the console looks: tokens, small parts, page frames. Knows no service, only the tab's own state."""
