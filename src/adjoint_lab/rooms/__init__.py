"""The rooms of the lab: Explore, Train, Mistakes and Quiz. Each class carries out the messages of one page."""
