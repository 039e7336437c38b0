"""A pupil's answer: read, compared with the derivative, and explained where it is wrong; and exercises to answer."""
