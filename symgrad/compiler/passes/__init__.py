"""What is done to a program before a backend sees it."""
