"""Names of other packages under which nvfuser can be imported, each by an explicit opt-in."""
