"""Sheets of exercises: pages to print, LaTeX, and questions for Moodle and STACK."""
