"""The explorer: a page on which a person and a theory argue until both are right."""
