"""Operations that are neither nests nor views, as machine code: the loops that exported sources have."""
