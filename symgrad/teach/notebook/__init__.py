"""Lessons in notebooks: a widget with the formula, a slider, the tangent and the steps."""
