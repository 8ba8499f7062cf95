/* TracedNumber: a plain number while a tape is recorded, such as the data of a Value.
 *
 * Arithmetic and comparisons are here. What needs the number itself raises an error; these methods, and operands of
 * other types, are in the Python class of tape.py.
 */
#ifndef ADJOINT_TRACED_NUMBER_H
#define ADJOINT_TRACED_NUMBER_H

#include "traced_nodes.h"

static PyObject *python_number; /* the Python class */

/* Leave an operation to the Python class: left.__add__(right), or right.__radd__(left). */
static PyObject *
number_in_python(const char *forward, const char *reflected, PyObject *left, PyObject *right)
{
    int is_left = IS_TRACED_NUMBER(left);
    PyObject *method = PyObject_GetAttrString(python_number, is_left ? forward : reflected);
    if (method == NULL)
        return NULL;
    PyObject *result = PyObject_CallFunctionObjArgs(method, is_left ? left : right, is_left ? right : left, NULL);
    Py_DECREF(method);
    return result;
}

/* Return the tape of the context; raise if there is none, because one of the operands was kept after its recording. */
static Tape *
tape_of_numbers(void)
{
    int flags;
    Tape *tape = current_tape(&flags);
    if (tape == NULL)
        raise_trace_error(LEAKED);
    return tape;
}

static PyObject *
number_operation(int row, const char *forward, const char *reflected, PyObject *left, PyObject *right)
{
    Tape *tape = tape_of_numbers();
    PyObject *const operands[] = {left, right};
    if (tape == NULL)
        return NULL;
    if (IS_VALUE_OR_SUBCLASS(left) || IS_VALUE_OR_SUBCLASS(right)) {
        PyObject *made = trace_row(row, operands, 2);
        if (made != NULL || PyErr_Occurred())
            return made;
        Py_RETURN_NOTIMPLEMENTED;
    }
    int kinds[2], kind;
    int32_t x = number_entry(tape, left, &kinds[0]), z = x < 0 ? x : number_entry(tape, right, &kinds[1]);
    if (x == UNUSUAL_OPERAND || z == UNUSUAL_OPERAND)
        return number_in_python(forward, reflected, left, right);
    if (x < 0 || z < 0)
        return NULL;
    kind = row == div_index || kinds[0] == KIND_FLOAT || kinds[1] == KIND_FLOAT ? KIND_FLOAT : KIND_INT;
    if (tape_is_constant(tape, z)) {
        double constant = tape_constant_at(tape, z);
        if (constant == 0 && (row == div_index || row == remainder_index || row == floor_divide_index)) {
            PyErr_SetString(PyExc_ZeroDivisionError, "division by zero"); /* as Python does, whatever the other is */
            return NULL;
        }
        if (row == pow_index && constant < 0)
            kind = KIND_FLOAT;
    }
    return number_of(tape, tape_row(tape, row, x, z, kind));
}

#define NUMBER_OPERATOR(function, row, name)                                                        \
    static PyObject *function(PyObject *left, PyObject *right)                                      \
    {                                                                                               \
        return number_operation(row, "__" name "__", "__r" name "__", left, right);                 \
    }
NUMBER_OPERATOR(number_add, add_index, "add")
NUMBER_OPERATOR(number_sub, sub_index, "sub")
NUMBER_OPERATOR(number_mul, mul_index, "mul")
NUMBER_OPERATOR(number_div, div_index, "truediv")
NUMBER_OPERATOR(number_mod, remainder_index, "mod")
NUMBER_OPERATOR(number_floordiv, floor_divide_index, "floordiv")

static PyObject *
number_pow(PyObject *left, PyObject *right, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    return number_operation(pow_index, "__pow__", "__rpow__", left, right);
}

/* Apply a row of one operand to a TracedNumber. */
static PyObject *
number_unary(PyObject *self, int row)
{
    Tape *tape = tape_of_numbers();
    int kind;
    int32_t x = tape == NULL ? -1 : number_entry(tape, self, &kind);
    if (x < 0)
        return NULL;
    return number_of(tape, tape_row(tape, row, x, -1, kind == KIND_BOOL ? KIND_INT : kind));
}

static PyObject *number_neg(PyObject *self) { return number_unary(self, neg_index); }
static PyObject *number_abs(PyObject *self) { return number_unary(self, abs_index); }

static PyObject *
number_pos(PyObject *self)
{
    if (((TracedNumber *)self)->kind != KIND_BOOL)
        return Py_NewRef(self);
    PyObject *zero = PyLong_FromLong(0), *sum = zero == NULL ? NULL : number_add(self, zero); /* +True is 1 */
    Py_XDECREF(zero);
    return sum;
}

static PyObject *
number_logic(int32_t op, const char *forward, const char *reflected, PyObject *left, PyObject *right)
{
    Tape *tape = tape_of_numbers();
    int kinds[2];
    if (tape == NULL)
        return NULL;
    int32_t x = number_entry(tape, left, &kinds[0]), z = x < 0 ? x : number_entry(tape, right, &kinds[1]);
    if (x == -1 || z == -1)
        return NULL;
    if (x < 0 || z < 0 || kinds[0] != KIND_BOOL || kinds[1] != KIND_BOOL)
        return number_in_python(forward, reflected, left, right);
    return condition_of(tape, tape_logic(tape, op, x, z));
}

static PyObject *
number_and(PyObject *left, PyObject *right)
{
    return number_logic(TAPE_AND, "__and__", "__rand__", left, right);
}

static PyObject *
number_or(PyObject *left, PyObject *right)
{
    return number_logic(TAPE_OR, "__or__", "__ror__", left, right);
}

static PyObject *
number_compare(PyObject *self, PyObject *other, int op)
{
    static const char *const names[] = {"__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__"};
    if ((op == Py_EQ || op == Py_NE) && IS_VALUE_OR_SUBCLASS(other)) /* compared by identity */
        Py_RETURN_NOTIMPLEMENTED;
    PyObject *found = trace_compare(self, other, op);
    if (found != NULL || PyErr_Occurred())
        return found;
    return number_in_python(names[op], names[op], self, other);
}

/* TracedNumber(tape, entry, kind=…): an entry as a traced number, also if it is a constant. */
static PyObject *
number_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"tape", "entry", "kind", NULL};
    Tape *tape;
    int entry, kind = -1;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!i|i:TracedNumber", names, tape_type, &tape, &entry, &kind))
        return NULL;
    if (entry < 0 || entry >= tape->count)
        return PyErr_Format(PyExc_IndexError, "the tape has %zd entries and no entry %d", tape->count, entry);
    TracedNumber *number = PyObject_New(TracedNumber, number_type);
    if (number != NULL) {
        number->entry = entry;
        number->serial = tape->serial;
        number->kind = kind < 0 ? tape->kinds[entry] : kind;
    }
    return (PyObject *)number;
}

static void
number_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *
number_get_tape(PyObject *self, void *unused)
{
    Tape *tape = tape_of_numbers();
    if (tape != NULL && tape->serial != ((TracedNumber *)self)->serial)
        raise_trace_error(LEAKED);
    return PyErr_Occurred() ? NULL : Py_NewRef((PyObject *)tape);
}

/* A number is not changed, so that its copies are the number itself. */
static PyObject *
number_copy(PyObject *self, PyObject *unused)
{
    return Py_NewRef(self);
}

static PyGetSetDef number_getset[] = {
    {"tape", number_get_tape, NULL, "The tape, while it is recorded."},
    {NULL},
};
static PyMemberDef number_members[] = {
    {"entry", T_INT, offsetof(TracedNumber, entry), READONLY},
    {"kind", T_INT, offsetof(TracedNumber, kind), READONLY},
    {NULL},
};
static PyMethodDef number_methods[] = {
    {"__copy__", number_copy, METH_NOARGS},
    {"__deepcopy__", number_copy, METH_O},
    {NULL},
};

EXTENSION static PyType_Slot number_slots[] = {
    {Py_tp_new, number_new},
    {Py_tp_dealloc, number_dealloc},
    {Py_tp_richcompare, number_compare},
    {Py_tp_getset, number_getset},
    {Py_tp_members, number_members},
    {Py_tp_methods, number_methods},
    {Py_nb_add, number_add},
    {Py_nb_subtract, number_sub},
    {Py_nb_multiply, number_mul},
    {Py_nb_true_divide, number_div},
    {Py_nb_remainder, number_mod},
    {Py_nb_floor_divide, number_floordiv},
    {Py_nb_power, number_pow},
    {Py_nb_negative, number_neg},
    {Py_nb_absolute, number_abs},
    {Py_nb_positive, number_pos},
    {Py_nb_and, number_and},
    {Py_nb_or, number_or},
    {0, NULL},
};
static PyType_Spec number_spec = {
    "adjoint.compile.numbers.tape.TracedNumber", sizeof(TracedNumber), 0, Py_TPFLAGS_DEFAULT, number_slots,
};

#endif
