"""What neural networks are made of: layers, activations, windows, losses."""
