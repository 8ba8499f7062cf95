"""The room Quiz: questions computed from live graphs by the engine, endless and seeded, with the reasons.

questions.py   what a question is, and how its answer is read and checked
graphs.py      a small graph with what explain says of it; mixups.py: wrong answers that people give
templates.py   what makes questions; the subjects: nodes, chain, meaning, activations, updates, networks, mistakes,
               arrays
catalogue.py   all templates, and which question is next
room.py        the messages of the page
"""

from adjoint.lab.rooms.quiz.room import Quiz

__all__ = ["Quiz"]
