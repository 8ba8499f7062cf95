"""Run npm in a copy of web/."""

import subprocess
from pathlib import Path


def run_npm(folder: Path, *arguments: str) -> None:
    """Run npm, and raise with its output if it fails."""
    done = subprocess.run(["npm", *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
