"""Reading and writing entries at places: by keys, by positions, by masks."""
