"""`adjoint learn`: the course in the terminal, and `adjoint learn verify`, which proves that a course works."""

import argparse
import json

from adjoint.cli.arguments import OK

FAILED = 1


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `adjoint learn`."""
    actions = command.add_subparsers(metavar="ACTION", required=True)
    proof = actions.add_parser(
        "verify", help="prove that stubs fail, solutions pass and wrong answers get their messages"
    )
    proof.add_argument(
        "folder", nargs="?", metavar="DIR", help="the folder of a course; without it, the built-in course"
    )
    proof.add_argument("--lesson", metavar="NAME", action="append", help="only this lesson; may be repeated")
    proof.add_argument("--json", action="store_true", help="print the problems as JSON")
    proof.set_defaults(act=_verify)


def run(asked: argparse.Namespace) -> int:
    """Run an action of `adjoint learn`."""
    return asked.act(asked)


def _verify(asked: argparse.Namespace) -> int:
    from adjoint.learn.course import BUILT_IN, load
    from adjoint.learn.verification import verify

    course = load(asked.folder or BUILT_IN)
    lessons = [course.lesson(name) for name in asked.lesson] if asked.lesson else course.lessons
    problems = []
    for lesson in lessons:
        found = list(verify(course, lesson))
        problems += found
        if not asked.json:
            wrong = sum(len(exercise.wrong_answers) for exercise in lesson.exercises)
            state = f"{len(found)} problems" if found else "ok"
            print(f"{lesson.number:2} {lesson.name}: {len(lesson.exercises)} exercises, {wrong} wrong answers: {state}")
            for problem in found:
                print(f"   {problem.name}: {problem.text}")
    if asked.json:
        print(json.dumps({"problems": [{"name": problem.name, "text": problem.text} for problem in problems]}))
    return FAILED if problems else OK
