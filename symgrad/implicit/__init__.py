"""Operations whose value solves equations or is an integral, and their derivatives."""
