"""A process without free memory: operations raise MemoryError, change nothing, and work again later."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[1] / "outside" / "without_memory.py"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the program limits its memory as Linux does")
def test_without_memory_each_operation_and_pass_is_a_memory_error_and_the_process_lives():
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"}
    found = subprocess.run([sys.executable, PROGRAM], env=environment, capture_output=True, text=True, timeout=600)
    assert found.returncode == 0, found.stderr
    assert found.stdout.endswith("each a MemoryError, and right afterwards\n")
