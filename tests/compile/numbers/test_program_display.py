"""How a compiled function of numbers shows what was found: `jit(f).program`."""

from adjoint import Value, jit


def test_a_function_has_the_program_of_its_last_new_call():
    w = Value(2.0)
    f = jit(lambda x: w * x)
    f(3.0)
    first = f.program
    assert " operation" in str(first)
    f(4.0)
    assert f.program is first
