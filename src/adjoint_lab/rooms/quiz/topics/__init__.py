"""The questions of the quiz, a file for each topic."""
