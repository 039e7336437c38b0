"""Operations whose value is a solution: roots of conditions, and integrals; with their derivatives."""
