"""Rules that know one pattern: what a program writes in many operations, and mathematics in one symbol."""
