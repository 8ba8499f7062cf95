"""Operations on whole arrays, by subject: their rules, and the functions that check the arguments and apply them.

The functions take Values, arrays of any library, numbers and nested lists. Their annotations describe what they do with
Values; given plain arrays alone, they return a plain array. `shaping` and `reductions` come first; the other files
build on them.
"""
