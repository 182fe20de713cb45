"""HTTP beside the pages: REST, sign-in routes, and the headers that every response carries."""
