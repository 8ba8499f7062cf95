"""Check the types of the package where PyTorch, JAX and other libraries may be missing: `make check`.

`make lint` also checks the calls of those libraries, and the programs of the documentation.
"""

import json
import subprocess
import sys

# The second is what pyright finds where a type of a missing library is half known.
UNKNOWN = {"reportMissingImports", "reportOptionalMemberAccess", "reportMissingModuleSource"}


def main() -> int:
    command = [sys.executable, "-m", "pyright", "--outputjson", "src"]
    report = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    found = [each for each in report["generalDiagnostics"] if each.get("rule") not in UNKNOWN]
    for each in found:
        line = each["range"]["start"]["line"] + 1
        print(f"{each['file']}:{line}: {each['severity']}: {each['message']}")
    return int(any(each["severity"] == "error" for each in found))


if __name__ == "__main__":
    raise SystemExit(main())
