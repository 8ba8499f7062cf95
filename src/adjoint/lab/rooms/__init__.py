"""The rooms of the lab, a file or package for each: Explore, Train, Mistakes and Quiz."""
