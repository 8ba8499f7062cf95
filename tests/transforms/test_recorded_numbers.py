"""The transforms on numbers that `jit` records: inputs of a program, which are not known yet."""

import pytest

from adjoint import Value, grad, jvp, value_and_grad, vjp
from adjoint.compile.numbers.recording import TapeRecording
from adjoint.compile.numbers.tape import Tape


def cubic(x):
    return x * x * x - 2 * x


TRANSFORMS = {
    "grad": lambda x: grad(cubic)(x),
    "grad, twice": lambda x: grad(grad(cubic))(x),
    "grad, three times": lambda x: grad(grad(grad(cubic)))(x),
    "grad at a Value": lambda x: grad(cubic)(Value(x)).data,
    "value_and_grad": lambda x: sum(value_and_grad(cubic)(x)),
    "jvp": lambda x: jvp(cubic, (x,), (1.5,))[1],
    "jvp along the number": lambda x: jvp(cubic, (0.5,), (x,))[1],
    "vjp": lambda x: vjp(cubic, x)[1](2.0)[0],
    "vjp from the number": lambda x: vjp(cubic, 0.5)[1](x)[0],
    "jvp of grad": lambda x: jvp(grad(cubic), (x,), (1.0,))[1],
    "grad of jvp": lambda x: grad(lambda t: jvp(cubic, (t,), (t,))[1])(x),
    "a list": lambda x: grad(lambda pair: pair[0] * pair[1] * pair[1])([x, 3.0])[1],
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_transform_of_a_recorded_number_is_recorded(name):
    transform, tape = TRANSFORMS[name], Tape()
    with TapeRecording(tape):
        result = tape.entry(transform(tape.input(0)))
    program = tape.fold([result], b"\0")
    program.connect([(0, 0)], [(0, 0)])
    for x in (0.75, -2.0):
        assert program.run((), [x]) == [transform(x)]
