"""A course with one lesson and one exercise, for tests."""

TASK = "# Double\n\nWrite it.\n\n## Hints\n\n- What is twice 2?\n- Multiply by 2.\n\n## Why\n\nTwice is 2 times.\n"
CHECK = "def check(check, learner):\n    check.close('double(3)', learner.double(3), 6)\n"
FILES = {
    "course.md": "# A course\n\nWith one exercise.\n",
    "01_first/lesson.md": "# First\n\n```python\nx = 2\n```\n\n```python\nassert x == 2\n```\n\n{exercise double}\n",
    "01_first/double/task.md": TASK,
    "01_first/double/stub.py": "def double(x):\n    return None  # TODO\n",
    "01_first/double/solution.py": "def double(x):\n    return 2 * x\n",
    "01_first/double/check.py": CHECK,
    "01_first/double/wrong/square.py": '"""You square it."""\n\n\ndef double(x):\n    return x * x\n',
}


def write_course(folder, **changed):
    """Write the course with some files changed."""
    for name, text in {**FILES, **changed}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
