"""How the console looks: tokens, small parts, page frames. Knows no service and no state but the tab's own."""
