"""The room Quiz: an endless, seeded course of questions about graphs that the engine computes, with explanations.

questions.py   the kinds of questions, and how answers are read and checked
graphs.py      the small graph of a question, with its explanation
mixups.py      questions for a number of a graph, with the usual wrong answers
templates.py   templates, which create questions from a seed and a level
topics/        the templates of each topic
lessons.py     the templates of each lesson of the course
catalog.py     all templates and topics, and the order of the questions in a course
room.py        the messages of the page; start reading here
"""

from adjoint_lab.rooms.quiz.room import Quiz

__all__ = ["Quiz"]
