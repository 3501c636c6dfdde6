"""The examples that tutorials import."""
