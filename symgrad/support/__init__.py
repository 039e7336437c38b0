"""What any layer may use, and what knows nothing of differentiation: files, foreign text, forks, lazy properties."""
