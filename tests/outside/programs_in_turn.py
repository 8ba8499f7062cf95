"""Run the programs of a folder in the order of their names, and print the last loss of each. Run by tests/stories."""

import os
import sys
from pathlib import Path

os.chdir(sys.argv[1])
for program in sorted(Path().glob("*.py")):
    names: dict = {}
    exec(compile(program.read_text(encoding="utf-8"), program.name, "exec"), names)
    print(f"{program.stem}: loss {names['history']['loss'][-1]:.6f}")
