"""What stands on the blackboard: formulas in the order in which they were written, and lines of them."""
