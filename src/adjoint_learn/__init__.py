"""The course: lessons with exercises, which are checked against adjoint and against central differences.

A course is a folder of lessons, a lesson is a text with exercises, and an exercise is a folder: a task, a stub, a
check, wrong answers and a solution. `course.py` reads them and `running.py` checks a learner's program. The terminal,
the notebooks, the lab and the site present the same course. The course that ships with adjoint is in `course/`.

The package uses the public names of adjoint. `command.py` is the command `adjoint learn`, which adjoint finds by its
entry point.
"""
