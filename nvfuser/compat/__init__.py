"""What is here for programs of nvFuser's only.

Names under which nvfuser can be imported, each by an explicit opt-in, and what is accepted without
effect.
"""
