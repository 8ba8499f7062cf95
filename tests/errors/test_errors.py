"""Bad input raises one clear error of a documented class and leaves the program's state unchanged."""

import math
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Value, errors, no_grad
from adjoint.nn import MLP, Layer, Neuron


def public_objects() -> list[object]:
    return [getattr(errors, name) for name in dir(errors)]


def test_every_error_is_documented_and_is_also_a_built_in_error():
    classes = [x for x in public_objects() if isinstance(x, type) and not issubclass(x, Warning)]
    classes.remove(errors.AdjointError)
    assert len(classes) >= 9
    for kind in classes:
        assert issubclass(kind, errors.AdjointError)
        assert kind.__doc__
        built_in = [c for c in kind.__mro__ if c.__module__ == "builtins"]
        assert built_in[0] not in (Exception, BaseException), f"{kind.__name__} has no built-in base class"


def test_every_warning_is_documented_and_of_one_class():
    classes = [x for x in public_objects() if isinstance(x, type) and issubclass(x, Warning)]
    assert len(classes) >= 3
    for kind in classes:
        assert issubclass(kind, errors.AdjointWarning)
        assert kind.__doc__


@pytest.mark.parametrize("engine", ["", "1"])
def test_a_program_that_is_right_loads_no_class_of_an_error(engine, monkeypatch):
    monkeypatch.setenv("ADJOINT_PURE", engine)
    program = """
import sys
from adjoint import Value, errors
x = Value(2.0)
((x * 3).tanh() + x ** 2).backward()
assert x.grad
print([name for name in ("kinds", "warning_kinds") if f"adjoint.errors.{name}" in sys.modules])
try:
    Value("x")
except errors.NumberError as error:
    print(type(error).__module__)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.split("\n")[:2] == ["[]", "adjoint.errors"]


def assert_raises(program, kind, built_in, message):
    """Check the class, built-in base class and message of the error that `program` raises."""
    with pytest.raises(kind, match=message) as raised:
        program()
    assert isinstance(raised.value, built_in)
    assert isinstance(raised.value, errors.AdjointError)
    assert "\n" not in str(raised.value)


# --- numbers -------------------------------------------------------------------------------------

NOT_NUMBERS = {
    "str": ("x", "str 'x'"),
    "str of digits": ("3.0", "str '3.0'"),
    "bytes": (b"3", "bytes b'3'"),
    "None": (None, "None"),
    "complex": (1j, "complex 1j"),
    "dict": ({}, r"dict \{\}"),
    "object": (object(), "object <object object"),
    "a function": (math.sin, "builtin_function_or_method <built-in function sin>"),
}
NOT_NUMBERS_OF_NUMPY = {
    "NumPy complex": (np.complex128(1j), r"complex128 np.complex128\(1j\)"),
    "NumPy string": (np.str_("3"), r"str_ np.str_\('3'\)"),
    "NumPy date": (np.datetime64("2026-01-01"), "datetime64 np.datetime64"),
}
SEVERAL_NUMBERS = {
    "list": ([1.0, 2.0], r"list \[1.0, 2.0\]"),
    "tuple": ((1.0,), r"tuple \(1.0,\)"),
}
ARRAYS_OF_NUMBERS = {
    "NumPy array": (np.array([1.0, 2.0]), r"ndarray array\(\[1., 2.\]\)"),
    "NumPy array of one": (np.array([1.0]), r"ndarray array\(\[1.\]\)"),
}
NO_SINGLE_NUMBER = NOT_NUMBERS | NOT_NUMBERS_OF_NUMPY | SEVERAL_NUMBERS | ARRAYS_OF_NUMBERS


def each_of(table):
    """Parametrize a test by the objects of a table and by how a message describes them."""
    return pytest.mark.parametrize(("given", "named"), table.values(), ids=table)


@each_of(NOT_NUMBERS)
def test_a_value_of_an_object_that_is_neither_number_nor_array_is_an_error(given, named):
    assert_raises(lambda: Value(given), errors.NumberError, TypeError, f"^Value needs a number.*, not {named}")


@each_of(NO_SINGLE_NUMBER)
def test_assigning_data_that_is_not_a_number_is_an_error_and_changes_nothing(given, named):
    v = Value(2.0)
    v.grad = 3.0

    def assign():
        v.data = given

    assert_raises(assign, errors.NumberError, TypeError, f"^data .*number.*, not {named}")
    assert (v.data, v.grad) == (2.0, 3.0)


def test_a_gradient_set_to_none_reads_as_zero():
    v = Value(2.0)
    v.grad = 3.0
    v.grad = None
    assert v.grad == 0.0


@pytest.mark.parametrize(("given", "named"), [row for row in NO_SINGLE_NUMBER.values() if row[0] is not None])
def test_assigning_a_gradient_that_is_not_a_number_is_an_error_and_changes_nothing(given, named):
    v = Value(2.0)
    v.grad = 3.0

    def assign():
        v.grad = given

    assert_raises(assign, errors.NumberError, TypeError, f"^grad .*number.*, not {named}")
    assert (v.data, v.grad) == (2.0, 3.0)


@each_of(NOT_NUMBERS | SEVERAL_NUMBERS)
def test_a_function_of_an_object_that_is_not_a_number_is_an_error(given, named):
    expected = f"^tanh needs a number.*, not {named}"
    assert_raises(lambda: adjoint.tanh(given), errors.NumberError, TypeError, expected)
    v = Value(1.0)
    expected = f"^maximum needs a number.*, not {named}"
    assert_raises(lambda: v.maximum(given), errors.NumberError, TypeError, expected)
    assert_raises(lambda: adjoint.maximum(given, v), errors.NumberError, TypeError, expected)


@pytest.mark.parametrize("long", [list(range(1000)), "x" * 1000, np.zeros((50, 50)), b"y" * 1000])
def test_a_long_object_is_shortened_in_the_message(long):
    with pytest.raises(errors.NumberError, match=rf", not {type(long).__name__} .*\.\.\.") as raised:
        Value(1.0).data = long
    assert len(str(raised.value)) < 120


@pytest.mark.parametrize("long", [["x"] * 1000, np.full((50, 50), "x"), np.full(1000, None)])
def test_a_long_array_is_shortened_in_the_message(long):
    with pytest.raises(errors.ArrayError, match=r"\.\.\.") as raised:
        Value(long)
    assert len(str(raised.value)) < 220


def test_a_bool_is_a_number():
    assert (Value(True).data, Value(False).data) == (1.0, 0.0)
    assert type(Value(True).data) is float


def test_nan_and_infinity_are_numbers():
    assert math.isnan(Value(float("nan")).data)
    assert Value(float("-inf")).data == -math.inf


@pytest.mark.parametrize(
    "number",
    [np.float64(2.5), np.float32(2.5), np.float16(2.5), np.array(2.5)],
    ids=["float64", "float32", "float16", "0-d array"],
)
def test_numpy_scalars_are_numbers(number):
    assert Value(number).data == 2.5
    assert type(Value(number).data) is float


def test_numpy_integers_and_bools_are_numbers():
    assert [Value(n).data for n in (np.int64(-3), np.uint8(7), np.bool_(True))] == [-3.0, 7.0, 1.0]


TOO_LARGE = 10**400  # 1329 bits


@pytest.mark.parametrize(
    "program",
    [
        lambda v: Value(TOO_LARGE),
        lambda v: v + TOO_LARGE,
        lambda v: -TOO_LARGE * v,
        lambda v: v**TOO_LARGE,
        lambda v: v.maximum(TOO_LARGE),
        lambda v: adjoint.exp(TOO_LARGE),
        lambda v: setattr(v, "data", TOO_LARGE),
        lambda v: setattr(v, "grad", TOO_LARGE),
        lambda v: v.backward(TOO_LARGE),
    ],
)
def test_an_integer_too_large_for_a_float_is_an_error_that_gives_its_size(program):
    v = Value(2.0)
    expected = r"fits a float \(up to about 1\.8e308\).* 1329 bits.*scale it down"
    assert_raises(lambda: program(v), errors.NumberRangeError, OverflowError, expected)
    assert (v.data, v.grad) == (2.0, 0.0)


def test_a_fraction_too_large_for_a_float_is_an_error():
    expected = r"fits a float .* 1329 bits"
    assert_raises(lambda: Value(Fraction(TOO_LARGE)), errors.NumberRangeError, OverflowError, expected)


def test_the_largest_float_is_accepted_as_an_integer():
    assert Value(int(1.7976931348623157e308)).data == 1.7976931348623157e308


def test_fractions_and_decimals_are_numbers():
    assert Value(Fraction(1, 4)).data == 0.25
    assert (Value(3.0) * Decimal("0.5")).data == 1.5


# --- operators -----------------------------------------------------------------------------------

OPERATORS = {
    "+": lambda x, z: x + z,
    "-": lambda x, z: x - z,
    "*": lambda x, z: x * z,
    "/": lambda x, z: x / z,
    "**": lambda x, z: x**z,
}


class Unrelated:
    """A user's class that does not support Values."""

    def __repr__(self):
        return "Unrelated()"


@pytest.mark.parametrize("symbol", OPERATORS)
@pytest.mark.parametrize(
    ("other", "name", "shown"),
    [
        ("2", "str", "str '2'"),
        (None, "NoneType", "None"),
        (object(), "object", "object <object object"),
        ([1.0], "list", r"list \[1.0\]"),
        ((1.0,), "tuple", r"tuple \(1.0,\)"),
        ({}, "dict", r"dict \{\}"),
        (2j, "complex", "complex 2j"),
        (Unrelated(), "Unrelated", r"Unrelated\(\)"),
    ],
)
def test_an_operator_with_an_object_that_is_not_a_number_is_an_error_on_either_side(symbol, other, name, shown):
    v, compute = Value(2.0), OPERATORS[symbol]
    sign = "".join(rf"\{c}" for c in symbol)
    expected = f"^cannot compute Value {sign} {name}: needs a number, an array or a Value, not {shown}"
    assert_raises(lambda: compute(v, other), errors.OperandError, TypeError, expected)
    expected = f"^cannot compute {name} {sign} Value: needs a number, an array or a Value, not {shown}"
    assert_raises(lambda: compute(other, v), errors.OperandError, TypeError, expected)


# --- arrays --------------------------------------------------------------------------------------

NO_REAL_ARRAYS = {
    "complex array": (np.array([1j]), r"complex numbers are not supported \(complex128\): pass the real and imaginary"),
    "complex number": (np.complex128(1j), r"complex numbers are not supported \(complex128\): pass the real and imag"),
    "text": (np.array(["a"]), r"real numbers, not .* dtype <U1: ndarray array\(\['a'\]"),
    "one text": (np.str_("3"), r"real numbers, not .* dtype <U1: str_ np.str_\('3'\)"),
    "objects": (np.array([object()]), r"real numbers, not .* dtype object: ndarray array\(\[<object"),
    "numbers as objects": (
        np.array([1.0, 2], dtype=object),
        r"real numbers, not .* dtype object: ndarray array\(\[1.0, 2",
    ),
    "dates": (np.array(["2026-01-01"], dtype="datetime64[D]"), r"real numbers, not .* datetime64\[D\]: ndarray"),
    "one date": (np.datetime64("2026-01-01"), r"real numbers, not .* datetime64\[D\]: datetime64 np.datetime64"),
    "records": (np.zeros(2, dtype=[("a", float)]), r"real numbers, not .* dtype \[\('a', '<f8'\)\]"),
}
NO_REAL_LISTS = {
    "complex numbers": ([1.0, 2j], r"complex numbers are not supported \(complex128\): pass the real and imaginary"),
    "text": (["a", "b"], r"needs a number or an array of numbers, not list \['a', 'b'\]"),
    "None": ([1.0, None], r"needs a number or an array of numbers, not list \[1.0, None\]"),
    "dicts": ([{}], r"needs a number or an array of numbers, not list \[\{\}\]"),
    "uneven rows": (
        [[1.0, 2.0], [3.0]],
        r"^cannot make an array from ragged lists: .* \[\[1.0, 2.0\], \[3.0\]\] have lengths 1 and 2",
    ),
    "number, row": (
        [1.0, [2.0]],
        r"^cannot make an array from ragged lists: .* \[1.0, \[2.0\]\] differ in length or depth",
    ),
    "deep rows": ([[[1.0], [2.0]], [[3.0], [4.0, 5.0]]], "^cannot make an array from ragged lists"),
}


@pytest.mark.parametrize(
    ("given", "message"), (NO_REAL_ARRAYS | NO_REAL_LISTS).values(), ids=NO_REAL_ARRAYS | NO_REAL_LISTS
)
def test_an_array_without_real_numbers_is_an_error(given, message):
    assert_raises(lambda: Value(given), errors.ArrayError, TypeError, message)


@pytest.mark.parametrize(("given", "message"), NO_REAL_ARRAYS.values(), ids=NO_REAL_ARRAYS)
@pytest.mark.parametrize("data", [2.0, [1.0, 2.0]], ids=["with a number", "with an array"])
def test_a_function_of_an_array_without_real_numbers_is_an_error(data, given, message):
    v = Value(data)
    assert_raises(lambda: adjoint.tanh(given), errors.ArrayError, TypeError, message)
    assert_raises(lambda: v.maximum(given), errors.ArrayError, TypeError, message)
    assert_raises(lambda: adjoint.maximum(given, v), errors.ArrayError, TypeError, message)


@pytest.mark.parametrize("symbol", OPERATORS)
@pytest.mark.parametrize("data", [2.0, [1.0, 2.0]], ids=["a number", "an array"])
def test_an_operator_with_an_array_without_real_numbers_is_an_error_on_either_side(symbol, data):
    v, compute = Value(data), OPERATORS[symbol]
    for other, message in NO_REAL_ARRAYS.values():
        assert_raises(lambda other=other: compute(v, other), errors.ArrayError, TypeError, message)
        assert_raises(lambda other=other: compute(other, v), errors.ArrayError, TypeError, message)


@pytest.mark.parametrize("nested", [[Value(1.0), 2.0], [[Value(1.0)], [Value(2.0)]], (Value([1.0]),)])
def test_a_list_of_values_is_an_error_and_points_to_stack(nested):
    expected = r"^a list of Values is not an array; adjoint\.stack\(\[a, b\]\) makes one, with gradients"
    assert_raises(lambda: Value(nested), errors.NumberError, TypeError, expected)


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: np.nextafter(x, 0.5),
        lambda x: np.modf(x),
        lambda x: np.histogram(x),
        lambda x: np.unwrap(x),
        lambda x: np.asarray(x, dtype=float),
    ],
    ids=["nextafter", "modf", "histogram", "unwrap", "asarray"],
)
def test_a_numpy_function_without_a_rule_is_an_error_instead_of_losing_the_graph(compute):
    expected = r"(grad|differentiable).*(adjoint|v\.numpy\(\)|v\.data)"
    assert_raises(lambda: compute(Value([1.0, 2.0])), errors.MissingRuleError, TypeError, expected)


def test_a_failed_augmented_assignment_leaves_the_value_unchanged():
    v = w = Value(2.0)
    with pytest.raises(errors.OperandError):
        v += "1"
    assert v is w
    assert (v.data, v.grad, v.parents) == (2.0, 0.0, ())


@pytest.mark.parametrize("other", ["x", None, [1.0]])
@pytest.mark.parametrize("data", [2.0, [1.0, 2.0]], ids=["of a number", "of an array"])
def test_a_comparison_with_an_object_that_is_neither_number_nor_array_is_an_error(data, other):
    v = Value(data)
    for compare in (
        lambda: v < other, lambda: v <= other, lambda: v > other, lambda: v >= other, lambda: other < v
    ):  # fmt: skip
        with pytest.raises(TypeError):
            compare()


def test_a_power_with_a_modulus_is_an_error():
    with pytest.raises(TypeError):
        pow(Value(2.0), 2, 5)
    with pytest.raises(TypeError):
        pow(2, Value(2.0), 5)


def test_an_operator_defined_by_another_class_is_used():
    class Vector:
        def __rmul__(self, other):
            return ("rmul", other)

        def __add__(self, other):
            return ("add", other)

    v = Value(2.0)
    assert v * Vector() == ("rmul", v)
    assert Vector() + v == ("add", v)


# --- construction --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("children", "shown"),
    [((1.0,), "float 1.0"), (("x",), "str 'x'"), ((None,), "None"), ([[]], r"list \[\]")],
)
def test_children_that_are_not_values_are_errors(children, shown):
    expected = rf"^a Value's children are a tuple of Values such as \(x,\), not {shown}"
    assert_raises(lambda: Value(1.0, children, "op"), errors.NumberError, TypeError, expected)


def test_one_bad_child_among_good_ones_is_an_error_and_the_good_ones_stay_usable():
    x = Value(3.0)
    expected = r"^a Value's children are a tuple of Values such as \(x,\), not int 4"
    assert_raises(lambda: Value(1.0, (x, 4), "op"), errors.NumberError, TypeError, expected)
    (x * x).backward()
    assert x.grad == 6.0


def test_bad_data_with_good_children_is_an_error():
    x = Value(3.0)
    assert_raises(lambda: Value("y", (x,), "op"), errors.NumberError, TypeError, "needs a number.*str 'y'")


@pytest.mark.parametrize("build", [lambda: Value(), lambda: Value(1.0, nonsense=2)])
def test_wrong_arguments_of_the_constructor_are_errors(build):
    with pytest.raises(TypeError):
        build()


# --- backward ------------------------------------------------------------------------------------


def test_backward_after_the_graph_was_freed_is_an_error():
    a = Value(2.0)
    b = a * 3
    b.backward(retain_graph=False)
    expected = r"was freed by backward\(retain_graph=False\); compute the result again"
    assert_raises(b.backward, errors.GraphError, RuntimeError, expected)
    assert (a.grad, b.grad) == (3.0, 1.0)


def test_backward_through_a_part_that_was_freed_is_an_error_and_changes_no_gradient():
    a, b = Value(2.0), Value(5.0)
    shared = a * b
    first, second = shared * 2, shared + b * b
    first.backward(retain_graph=False)
    before = (a.grad, b.grad, shared.grad, second.grad)
    assert before == (10.0, 4.0, 2.0, 0.0)
    assert_raises(second.backward, errors.GraphError, RuntimeError, "was freed")
    assert (a.grad, b.grad, shared.grad, second.grad) == before


def test_a_freed_graph_keeps_its_numbers_gradients_and_names():
    a = Value(2.0)
    b = a * 3
    c = b.tanh()
    c.backward(retain_graph=False)
    assert (b.data, b.op, c.op) == (6.0, "*", "tanh")
    require_close(b.grad, 1 - math.tanh(6) ** 2)
    assert c.parents == ()


def test_backward_under_no_grad_is_an_error_and_changes_no_gradient():
    a = Value(2.0)
    b = a * 3
    expected = r"^backward\(\) inside no_grad\(\).*call it outside"
    with no_grad():
        assert_raises(b.backward, errors.GraphError, RuntimeError, expected)
    assert (a.grad, b.grad) == (0.0, 0.0)
    b.backward()
    assert a.grad == 3.0


@pytest.mark.parametrize(("gradient", "shown"), [("1", "str '1'"), (1j, "complex 1j"), ([1.0], r"list \[1.0\]")])
def test_an_initial_gradient_that_is_not_a_number_is_an_error(gradient, shown):
    a = Value(2.0)
    b = a * 3
    expected = f"number.*, not {shown}"
    assert_raises(lambda: b.backward(gradient), errors.NumberError, TypeError, expected)
    assert_raises(lambda: b.backward(gradient, create_graph=True), errors.NumberError, TypeError, expected)
    assert (a.grad, b.grad) == (0.0, 0.0)


def test_backward_through_a_node_made_by_hand_without_derivatives_is_an_error_and_changes_no_gradient():
    a, b = Value(2.0, label="a"), Value(5.0, label="b")
    made = Value(7.0, (a, b), "mine", label="made")
    out = made * a
    a.grad = 0.25
    expected = "label='made'.*made by hand and has no derivatives: assign its _backward, or.*adjoint.op"
    assert_raises(out.backward, errors.GraphError, RuntimeError, expected)
    assert (a.grad, b.grad, made.grad, out.grad) == (0.25, 0.0, 0.0, 0.0)


def test_a_closure_that_raises_leaves_all_gradients_unchanged():
    a, b = Value(2.0), Value(5.0)
    made = Value(7.0, (a, b), "+")

    def _backward():
        a.grad += made.grad
        raise ZeroDivisionError("inside the closure")

    made._backward = _backward
    out = made * a
    a.grad, b.grad, made.grad = 0.25, 0.5, 0.75
    with pytest.raises(ZeroDivisionError, match="inside the closure"):
        out.backward()
    assert (a.grad, b.grad, made.grad, out.grad) == (0.25, 0.5, 0.75, 0.0)


def test_differentiating_a_closure_again_is_an_error():
    a = Value(2.0)
    made = Value(4.0, (a,), "square", label="made")
    made._backward = lambda: None
    expected = "label='made'.*_backward.*cannot be differentiated again.*adjoint.op"
    assert_raises(lambda: made.backward(create_graph=True), errors.GraphError, RuntimeError, expected)
    assert a.grad == 0.0


# --- custom operations ---------------------------------------------------------------------------


def test_an_op_without_all_its_partial_derivatives_is_an_error():
    def make():
        adjoint.op("area", lambda m, x, z: x * z, lambda m, y, x, z: z)

    expected = r"op 'area' needs one partial derivative for each operand \(x, z\): 2 in all, not 1"
    assert_raises(make, errors.OpError, ValueError, expected)


def test_an_op_with_too_many_partial_derivatives_is_an_error():
    def make():
        adjoint.op("twice", lambda m, x: 2 * x, lambda m, y, x: 2.0, lambda m, y, x: 0.0)

    expected = r"op 'twice' needs one partial derivative for each operand \(x\): 1 in all, not 2"
    assert_raises(make, errors.OpError, ValueError, expected)


def test_a_partial_derivative_with_the_wrong_operands_is_an_error():
    def make():
        adjoint.op("twice", lambda m, x: 2 * x, lambda m, x: 2.0)

    expected = r"op 'twice'.*partial derivative for x must take \(m, y, x\).*it takes \(m, x\)"
    assert_raises(make, errors.OpError, ValueError, expected)


@pytest.mark.parametrize("rule", [2.0, "x * 2", math.sin, lambda m, *xs: 1.0])
def test_a_rule_that_is_not_a_function_of_named_operands_is_an_error(rule):
    expected = "must be functions with named parameters, not"
    assert_raises(lambda: adjoint.op("odd", rule, lambda m, y, x: 1.0), errors.OpError, ValueError, expected)
    assert_raises(lambda: adjoint.op("odd", lambda m, x: x, rule), errors.OpError, ValueError, expected)


def test_an_op_whose_forward_expression_raises_names_the_rule_and_the_inputs():
    def forward(m, x, z):
        raise KeyError("table")

    broken = adjoint.op("broken", forward, lambda m, y, x, z: 1.0, lambda m, y, x, z: 1.0)
    expected = "op 'broken': its forward expression failed at x=2.0, z=3.0: KeyError: 'table'"
    assert_raises(lambda: broken(Value(2.0), 3), errors.OpError, ValueError, expected)
    assert_raises(lambda: broken(2, 3), errors.OpError, ValueError, expected)


def test_an_op_whose_partial_derivative_raises_names_the_rule_and_the_inputs():
    def slope(m, y, x, z):
        raise RuntimeError("no slope")

    broken = adjoint.op("broken", lambda m, x, z: x + z, lambda m, y, x, z: 1.0, slope)
    expected = "op 'broken': its partial derivative for z failed at x=2.0, z=3.0: RuntimeError: no slope"
    assert_raises(lambda: broken(Value(2.0), Value(3.0)), errors.OpError, ValueError, expected)
    assert broken(Value(2.0), 3.0).data == 5.0  # the slope for a constant is not computed
    with pytest.raises(errors.OpError) as raised:
        broken(1.0, Value(2.0))
    assert isinstance(raised.value.__cause__, RuntimeError)


@pytest.mark.parametrize(
    ("result", "shown"), [("x", "str 'x'"), (None, "None"), (1j, "complex 1j"), ((1.0, 2.0), "tuple")]
)
def test_an_op_whose_rule_does_not_return_a_number_is_an_error(result, shown):
    forward = adjoint.op("odd", lambda m, x: result, lambda m, y, x: 1.0)
    expected = f"op 'odd': its forward expression failed at x=2.0: .*number, not {shown}"
    assert_raises(lambda: forward(Value(2.0)), errors.OpError, ValueError, expected)
    partial = adjoint.op("odd", lambda m, x: x, lambda m, y, x: result)
    expected = f"op 'odd': its partial derivative for x failed at x=2.0: .*number, not {shown}"
    assert_raises(lambda: partial(Value(2.0)), errors.OpError, ValueError, expected)


def test_the_error_for_a_wrong_number_of_operands_names_the_operands_of_the_op():
    area = adjoint.op("area", lambda m, x, z: x * z, lambda m, y, x, z: z, lambda m, y, x, z: x)
    expected = r"area takes 2 operands \(x, z\), not 1"
    assert_raises(lambda: area(Value(2.0)), errors.OperandError, TypeError, expected)
    assert_raises(lambda: area(2.0), errors.OperandError, TypeError, expected)
    expected = r"tanh takes 1 operand \(x\), not 2"
    assert_raises(lambda: adjoint.tanh(Value(1.0), 2), errors.OperandError, TypeError, expected)


def test_an_op_without_operands_or_without_a_name_is_an_error():
    expected = "op 'zero': its forward expression must take m and at least one operand"
    assert_raises(lambda: adjoint.op("zero", lambda m: 1.0), errors.OpError, ValueError, expected)
    expected = "op needs a name, such as 'softsign', not int 3"
    assert_raises(lambda: adjoint.op(3, lambda m, x: x), errors.OpError, ValueError, expected)


def test_differentiating_a_rule_written_with_math_again_is_an_error():
    sine = adjoint.op("sine", lambda m, x: math.sin(x), lambda m, y, x: math.cos(x))
    x = Value(1.0)
    y = sine(x)
    y.backward()
    assert x.grad == math.cos(1.0)
    expected = r"op 'sine': its partial derivative for x, evaluated with Values, failed at x=1.0.*m\.cos\(x\)"
    assert_raises(lambda: y.backward(create_graph=True), errors.OpError, ValueError, expected)
    assert x.grad == math.cos(1.0)
    assert float(x) == 1.0
    assert repr(sine) == "sine(x)"


def test_data_changed_after_the_forward_pass_is_an_error_only_if_backward_reads_it_again():
    x = Value(2.0, label="x")
    y = x * x
    x.data = 10.0
    with pytest.warns(errors.StaleGraphWarning):
        y.backward()
    assert x.grad == 4.0  # the slope at the point where y was computed
    expected = "was modified after the forward pass, .* compute the result again"
    assert_raises(lambda: y.backward(create_graph=True), errors.GraphError, RuntimeError, expected)
    assert x.grad == 4.0


def test_a_backward_by_hand_without_parents_is_an_error():
    x = Value(0.5)
    out = Value(math.tanh(0.5), label="out")
    out._backward = lambda: setattr(x, "grad", 1.0)
    expected = r"label='out'.* has a _backward but no parents.*make it with Value\(data, \(parents\), 'op'\)"
    assert_raises(out.backward, errors.GraphError, RuntimeError, expected)
    assert_raises((out * 2).backward, errors.GraphError, RuntimeError, expected)
    assert (out.grad, x.grad) == (0.0, 0.0)


def test_a_decorated_generator_is_an_error():
    def numbers():
        yield 1

    expected = "numbers is a generator or coroutine: its body runs after the decorator has ended"
    assert_raises(lambda: adjoint.no_grad()(numbers), errors.ArgumentError, ValueError, expected)


@pytest.mark.parametrize("shape", [(), (2,)])
def test_a_torch_tensor_that_requires_grad_is_an_error(shape):
    import torch

    theirs = torch.ones(shape, requires_grad=True)
    expected = r"^a PyTorch tensor that requires grad belongs to a graph of PyTorch; pass x\.detach\(\) instead"
    assert_raises(lambda: Value(theirs), errors.ArrayError, TypeError, expected)
    assert_raises(lambda: Value(2.0) * theirs, errors.ArrayError, TypeError, expected)
    assert_raises(lambda: theirs * Value(2.0), errors.ArrayError, TypeError, expected)
    assert Value(theirs.detach()).data.tolist() == torch.ones(shape).tolist()


def test_a_complex_torch_tensor_is_an_error():
    import torch

    expected = r"^complex numbers are not supported \(torch.complex64\)"
    assert_raises(lambda: Value(torch.tensor(1j)), errors.ArrayError, TypeError, expected)


def test_a_value_given_for_a_number_is_an_error_that_suggests_its_data():
    a = Value(2.0)
    expected = r"needs a number.*, not Value\(data=2.0000, grad=0.0000\); take its .data for a plain number"
    assert_raises(lambda: Value(a), errors.NumberError, TypeError, expected)
    assert_raises(lambda: setattr(a, "data", a), errors.NumberError, TypeError, expected)


def test_a_failed_op_leaves_its_operands_usable():
    broken = adjoint.op("broken", lambda m, x: x.nothing, lambda m, y, x: 1.0)
    x = Value(3.0)
    y = x * x
    with pytest.raises(errors.OpError):
        broken(y)
    y.backward()
    assert x.grad == 6.0


# --- networks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: MLP(0, []), r"list of layer sizes such as \[4, 4, 1\], not list \[\]"),
        (lambda: MLP(3, []), r"list of layer sizes such as \[4, 4, 1\], not list \[\]"),
        (lambda: MLP(3, 4), r"list of layer sizes such as \[4, 4, 1\], not int 4"),
        (lambda: MLP(3, "4"), r"list of layer sizes such as \[4, 4, 1\], not str '4'"),
        (lambda: MLP(0, [1]), "the number of inputs, must be an integer of at least 1, not int 0"),
        (lambda: MLP(-2, [1]), "the number of inputs, must be an integer of at least 1, not int -2"),
        (lambda: MLP(2.5, [1]), "the number of inputs, must be an integer of at least 1, not float 2.5"),
        (lambda: MLP("3", [1]), "the number of inputs, must be an integer of at least 1, not str '3'"),
        (
            lambda: MLP(3, [4, 0]),
            "the number of neurons, must be an integer of at least 1, not int 0",
        ),
        (
            lambda: MLP(3, [4, None]),
            "the number of neurons, must be an integer of at least 1, not None",
        ),
        (
            lambda: MLP(3, [True]),
            "the number of neurons, must be an integer of at least 1, not bool True",
        ),
        (
            lambda: Layer(3, -1),
            "the number of neurons, must be an integer of at least 1, not int -1",
        ),
        (lambda: Neuron(0), "the number of inputs, must be an integer of at least 1, not int 0"),
    ],
)
def test_a_network_of_an_impossible_size_is_an_error(build, message):
    assert_raises(build, errors.ArgumentError, ValueError, message)


@pytest.mark.parametrize(
    ("build", "shown"),
    [
        (lambda: MLP(3, [4], activation="tahn"), r"'tahn' \(did you mean 'tanh'\?\)"),
        (lambda: MLP(3, [4, 1], output_activation="xyz"), "'xyz'"),
        (lambda: Layer(3, 2, activation=""), "''"),
        (lambda: Neuron(3, activation=5), "5"),
    ],
)
def test_an_unknown_activation_is_an_error_that_lists_the_known_ones(build, shown):
    expected = f"unknown activation {shown}; the known ones: tanh, relu, sigmoid, .*linear"
    assert_raises(build, errors.ArgumentError, ValueError, expected)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([1.0, 2.0], "expected 3 inputs, but got 2"),
        ([1.0, 2.0, 3.0, 4.0], "expected 3 inputs, but got 4"),
        ([], "expected 3 inputs, but got 0"),
        (np.ones(2), "expected 3 inputs, but got 2"),
        (5.0, "expected a list of 3 inputs, not float 5.0"),
        (Value(5.0), "expected a list of 3 inputs, not Value"),
        ("abc", "expected a list of 3 inputs, not str 'abc'"),
        (None, "expected a list of 3 inputs, not None"),
    ],
)
@pytest.mark.parametrize("build", [lambda: MLP(3, [4]), lambda: Layer(3, 2), lambda: Neuron(3)])
def test_the_wrong_number_of_inputs_is_an_error_that_gives_both_numbers(build, inputs, message):
    assert_raises(lambda: build()(inputs), errors.ArgumentError, ValueError, f"^{message}")


def test_an_input_that_is_not_a_number_is_an_error():
    expected = r"cannot compute Value \* str: .*not str 'b'"
    assert_raises(lambda: MLP(2, [1])([1.0, "b"]), errors.OperandError, TypeError, expected)
