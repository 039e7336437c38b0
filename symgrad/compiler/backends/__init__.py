"""From a program to a kernel: one room a backend."""
