"""Programs of the native core refuse what does not fit, and end with an error."""

import struct

import pytest

from adjoint import Value
from adjoint.compile.numbers.replay import EXACT, INPUT, NUMBER
from adjoint.engine import native

pytestmark = pytest.mark.skipif(not native.core, reason="the Python program has no memory of its own")


def _program(outputs=(0,)):
    assert native.core
    return native.core.Program(struct.pack("4i", INPUT, 0, -1, -1), b"", list(outputs), b"\0")


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ([(NUMBER, 2**31 - 1)], [(NUMBER, 0)]),
        ([(EXACT, 0)], [(NUMBER, 0)]),
        ([(NUMBER, 0)], [(NUMBER, 1)]),  # nothing is number 0
        ([(NUMBER, 0)], [(NUMBER, 2**31 - 1)]),
        ([(NUMBER, 0)], [(1, 2**31 - 1)]),
        ([(NUMBER, 0)], [(-1, 0)]),
        ([[NUMBER, 0]], [(NUMBER, 0)]),
        ([None], [(NUMBER, 0)]),
        ([(NUMBER, 0)], []),
    ],
)
def test_connections_that_do_not_fit_are_an_error(inputs, outputs):
    def connect_and_run():
        program = _program()
        program.connect(inputs, outputs)
        program.run((Value(1.0),), [1.0])

    with pytest.raises((ValueError, TypeError)):
        connect_and_run()


def test_numbers_that_change_while_they_are_read_are_an_error():
    numbers = []

    class Shrinking:
        def __float__(self):
            numbers.clear()
            return 1.0

    program = native.core.Program(struct.pack("8i", INPUT, 0, -1, -1, INPUT, 1, -1, -1), b"", [0, 1], b"\0\0")
    program.connect([(NUMBER, 0), (NUMBER, 1)], [(NUMBER, 0), (NUMBER, 1)])
    numbers += [Shrinking(), 2.0]
    with pytest.raises(ValueError, match="changed"):
        program.run((), numbers)


def test_an_integer_that_a_float_does_not_hold_stops_a_run_before_it_stores():
    program, w = _program([0, 0]), Value(1.0)
    program.connect([(NUMBER, 0)], [(1, 0), (EXACT, 0)])
    with pytest.raises(ArithmeticError):
        program.run((w,), [2.0**53])
    assert w.data == 1.0
    program.run((w,), [2.0**53 - 1])
    assert w.data == 2.0**53 - 1
