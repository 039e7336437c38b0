"""The backend that computes to any number of digits, with a bound on the error of every number."""
