/* Apply the rows of the table: as functions, as methods of a Value, and as operators.
 *
 * ops.h, generated from ops.py, holds the calculus. This file applies a row to operands and makes the node.
 */
#ifndef ADJOINT_ROWS_H
#define ADJOINT_ROWS_H

#include "modes.h"
#include "node.h"
#include "python_side.h"

#include <math.h>

static inline double maximum(double x, double z) { return x > z || x != x ? x : z; }
static inline double minimum(double x, double z) { return x < z || x != x ? x : z; }

/* The sign of NaN is that of the processor: take it as positive. */
static inline double with_sign(double x, double z) { return copysign(x, z != z ? 1.0 : z); }

/* Python's % and //, as CPython computes them; NaN and infinities where Python raises. */
static inline double
floor_modulo(double x, double z)
{
    double rest = fmod(x, z);
    if (rest == 0)
        return copysign(0.0, z);
    return (z < 0) != (rest < 0) ? rest + z : rest;
}

static inline double
floor_divide(double x, double z)
{
    if (z == 0)
        return x / z;
    double rest = fmod(x, z), quotient = (x - rest) / z;
    if (rest != 0 && (z < 0) != (rest < 0))
        quotient -= 1.0;
    if (quotient == 0)
        return copysign(0.0, x / z);
    double whole = floor(quotient);
    return quotient - whole > 0.5 ? whole + 1.0 : whole;
}

#include "ops.h"

#define ROW_INDEX(index, name) name##_index = index,
#define BINARY_ROW_INDEX(index, name, defaults, default_) name##_index = index,
enum { UNARY_ROWS(ROW_INDEX) BINARY_ROWS(BINARY_ROW_INDEX) };

static PyObject *operators[ROW_COUNT][2]; /* for each row, the Python operators such as __add__ and __radd__ */

/* What tracing does with operands that the rows below leave to Python: see traced_nodes.h. */
static PyObject *trace_row(int row, PyObject *const *operands, Py_ssize_t count);
static PyObject *trace_compare(PyObject *left, PyObject *right, int op);
static PyObject *get_data(PyObject *self, void *unused);

/* --- applying a row of the table --------------------------------------------------------------- */

/* Read an operand: a Value, or a number that is a constant (then *node is NULL). Return 0 if Python must read
 * it. */
static inline int
read_operand(PyObject *object, Value **node, double *x)
{
    if (IS_VALUE(object)) {
        *node = (Value *)object;
        *x = (*node)->data;
        return 1;
    }
    *node = NULL;
    if (PyFloat_Check(object)) {
        *x = PyFloat_AS_DOUBLE(object);
        return 1;
    }
    if (PyLong_CheckExact(object)) {
        *x = PyLong_AsDouble(object);
        if (*x != -1.0 || !PyErr_Occurred())
            return 1;
        PyErr_Clear();
    }
    return 0;
}

static inline void
set_operand(Value *node, int i, Value *operand, double derivative_or_constant)
{
    Py_XINCREF((PyObject *)operand);
    node->operand[i] = operand;
    node->derivative[i] = derivative_or_constant;
}

/* Return a result that was computed under no_grad(); it may be NULL. */
static PyObject *
without_history(Value *result)
{
    if (result != NULL)
        result->flags = UNRECORDED;
    return (PyObject *)result;
}

/* For each row: NAME_row(operands) returns the new node, or NULL without an error to leave it to Python. */

#define UNARY(index, name)                                                                          \
    static inline PyObject *name##_row(PyObject *operand)                                           \
    {                                                                                               \
        Value *node;                                                                                \
        double x;                                                                                   \
        if (!read_operand(operand, &node, &x) || node == NULL || modes() & (ANOMALY | TRACING))     \
            return NULL;                                                                            \
        double y = name##_y(x);                                                                     \
        Value *result = node_new(y);                                                                \
        if (result == NULL || modes() & NOT_RECORDING)                                              \
            return without_history(result);                                                         \
        set_operand(result, 0, node, name##_d0(y, x));                                              \
        set_row(result, index);                                                                     \
        return (PyObject *)result;                                                                  \
    }
UNARY_ROWS(UNARY)

#define BINARY(index, name, defaults, default_)                                                     \
    static inline PyObject *name##_row(PyObject *left, PyObject *right)                             \
    {                                                                                               \
        Value *first, *second;                                                                      \
        double x, z;                                                                                \
        if (!read_operand(left, &first, &x) || !read_operand(right, &second, &z)                    \
            || modes() & (ANOMALY | TRACING) || (first == NULL && second == NULL))                              \
            return NULL;                                                                            \
        double y = name##_y(x, z);                                                                  \
        Value *result = node_new(y);                                                                \
        if (result == NULL || modes() & NOT_RECORDING)                                              \
            return without_history(result);                                                         \
        set_operand(result, 0, first, first ? name##_d0(y, x, z) : x);                              \
        set_operand(result, 1, second, second ? name##_d1(y, x, z) : z);                            \
        set_row(result, index);                                                                     \
        return (PyObject *)result;                                                                  \
    }
BINARY_ROWS(BINARY)

/* Return the result of a row; if it is NULL without an error, trace the row, or call Python's apply(). */
static PyObject *
or_python(PyObject *result, int index, PyObject *const *operands, Py_ssize_t count)
{
    if (result != NULL || PyErr_Occurred())
        return result;
    result = trace_row(index, operands, count);
    if (result != NULL || PyErr_Occurred())
        return result;
    PyObject *tuple = PyTuple_New(count);
    if (tuple == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < count; i++)
        PyTuple_SET_ITEM(tuple, i, Py_NewRef(operands[i]));
    result = PyObject_CallFunctionObjArgs(python_apply, PyTuple_GET_ITEM(rows, index), tuple, NULL);
    Py_DECREF(tuple);
    return result;
}

/* --- methods: value.tanh(), value.maximum(other), value.elu() ---------------------------------- */

/* Let Python's apply() raise the error for a wrong number of operands. */
static PyObject *
wrong_count(int index, PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    PyObject *operands[8] = {self};
    Py_ssize_t shown = count < 7 ? count : 7;
    for (Py_ssize_t i = 0; i < shown; i++)
        operands[i + 1] = arguments[i];
    return or_python(NULL, index, operands, shown + 1);
}

#define UNARY_METHOD(index, name)                                                                   \
    static PyObject *name##_method(PyObject *self, PyObject *const *arguments, Py_ssize_t count)    \
    {                                                                                               \
        if (count > 0)                                                                              \
            return wrong_count(index, self, arguments, count);                                      \
        return or_python(name##_row(self), index, &self, 1);                                        \
    }
UNARY_ROWS(UNARY_METHOD)

#define BINARY_METHOD(index, name, defaults, default_)                                              \
    static PyObject *name##_method(PyObject *self, PyObject *const *arguments, Py_ssize_t count)    \
    {                                                                                               \
        PyObject *operands[] = {self, NULL};                                                        \
        if (count > 1 || (count == 0 && !defaults))                                                 \
            return wrong_count(index, self, arguments, count);                                      \
        if (count == 1)                                                                             \
            operands[1] = Py_NewRef(arguments[0]);                                                  \
        else if ((operands[1] = PyFloat_FromDouble(default_)) == NULL)                              \
            return NULL;                                                                            \
        PyObject *result = or_python(name##_row(self, operands[1]), index, operands, 2);            \
        Py_DECREF(operands[1]);                                                                     \
        return result;                                                                              \
    }
BINARY_ROWS(BINARY_METHOD)

/* apply(op, operands), for calls such as adjoint.tanh(value). */
static PyObject *
value_apply(PyObject *unused, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "_apply takes an op and its operands");
    PyObject *op = arguments[0], *operands = arguments[1], *result = NULL;
    PyObject *place = PyDict_GetItemWithError(row_of, op);
    if (place != NULL && PyTuple_CheckExact(operands)) {
        PyObject **items = &PyTuple_GET_ITEM(operands, 0);
        Py_ssize_t size = PyTuple_GET_SIZE(operands);
        int row = (int)PyLong_AsLong(place);
        switch (row) {
#define UNARY_CASE(index, name)                                                                     \
        case index:                                                                                 \
            result = size == 1 ? name##_row(items[0]) : NULL;                                       \
            break;
#define BINARY_CASE(index, name, defaults, default_)                                                \
        case index:                                                                                 \
            result = size == 2 ? name##_row(items[0], items[1]) : NULL;                             \
            break;
        UNARY_ROWS(UNARY_CASE)
        BINARY_ROWS(BINARY_CASE)
        }
        if (result == NULL && !PyErr_Occurred())
            result = trace_row(row, items, size);
    }
    if (result != NULL || PyErr_Occurred())
        return result;
    return PyObject_CallFunctionObjArgs(python_apply, op, operands, NULL);
}

/* --- operators --------------------------------------------------------------------------------- */

static PyObject *
python_operator(int index, PyObject *left, PyObject *right)
{
    PyObject *const operands[] = {left, right};
    PyObject *result = PyErr_Occurred() ? NULL : trace_row(index, operands, 2);
    if (result != NULL || PyErr_Occurred())
        return result;
    if (IS_VALUE_OR_SUBCLASS(left))
        return PyObject_CallFunctionObjArgs(operators[index][0], left, right, NULL);
    return PyObject_CallFunctionObjArgs(operators[index][1], right, left, NULL);
}

#define BINARY_OPERATOR(name)                                                                       \
    static PyObject *name##_operator(PyObject *left, PyObject *right)                               \
    {                                                                                               \
        PyObject *result = name##_row(left, right);                                                 \
        return result != NULL ? result : python_operator(name##_index, left, right);                \
    }
BINARY_OPERATOR(add)
BINARY_OPERATOR(sub)
BINARY_OPERATOR(mul)
BINARY_OPERATOR(div)
BINARY_OPERATOR(remainder)
BINARY_OPERATOR(floor_divide)

/* `left -= right`: operators.py decides whether it updates a leaf in place. */
static PyObject *
update_in_place(PyObject *left, PyObject *right, binaryfunc compute, PyObject *method)
{
    Value *node = (Value *)left;
    if (!(node->flags & INNER) && !IS_VALUE_OR_SUBCLASS(right)
        && (node->flags & GRAD_READ || modes() & (NOT_RECORDING | TRACING))) {
        PyObject *updated = PyObject_CallFunctionObjArgs(method, left, right, NULL);
        if (updated != Py_NotImplemented)
            return updated;
        Py_DECREF(updated);
    }
    if (!IS_VALUE_OR_TRACED(left)) /* a subclass may have an operator of its own */
        Py_RETURN_NOTIMPLEMENTED;
    return compute(left, right);
}

static PyObject *updates[4]; /* __iadd__, __isub__, __imul__ and __itruediv__ of operators.py */

static PyObject *add_in_place(PyObject *x, PyObject *y) { return update_in_place(x, y, add_operator, updates[0]); }
static PyObject *sub_in_place(PyObject *x, PyObject *y) { return update_in_place(x, y, sub_operator, updates[1]); }
static PyObject *mul_in_place(PyObject *x, PyObject *y) { return update_in_place(x, y, mul_operator, updates[2]); }
static PyObject *div_in_place(PyObject *x, PyObject *y) { return update_in_place(x, y, div_operator, updates[3]); }

static PyObject *
pow_operator(PyObject *left, PyObject *right, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    PyObject *result = pow_row(left, right);
    return result != NULL ? result : python_operator(pow_index, left, right);
}

static PyObject *neg_operator(PyObject *self) { return neg_method(self, NULL, 0); }
static PyObject *abs_operator(PyObject *self) { return abs_method(self, NULL, 0); }

static PyObject *
value_float(PyObject *self)
{
    if (modes() & (READING | DIFFERENTIATING))
        return PyObject_CallOneArg(python_float, self); /* raises an error if a derivative would be lost */
    if (((Value *)self)->flags & TRACED || modes() & TRACING) {
        PyObject *data = get_data(self, NULL), *found = data == NULL ? NULL : PyNumber_Float(data);
        Py_XDECREF(data);
        return found;
    }
    return PyFloat_FromDouble(((Value *)self)->data);
}

static PyObject *
value_item(PyObject *self, PyObject *unused)
{
    return value_float(self);
}

static PyObject *
value_compare(PyObject *left, PyObject *right, int op)
{
    Value *first, *second;
    double x = 0.0, z = 0.0;
    if ((op == Py_EQ || op == Py_NE) && IS_VALUE_OR_SUBCLASS(right)) /* compared by identity */
        Py_RETURN_NOTIMPLEMENTED;
    if (op != Py_EQ && op != Py_NE) {
        if (read_operand(left, &first, &x) && (IS_VALUE(right) || PyFloat_CheckExact(right)) && !(modes() & TRACING)) {
            read_operand(right, &second, &z);
            Py_RETURN_RICHCOMPARE(x, z, op);
        }
        PyObject *found = trace_compare(left, right, op);
        if (found != NULL || PyErr_Occurred())
            return found;
    }
    static const char *const names[] = {"__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__"};
    PyObject *compare = PyObject_GetAttrString(python_value, names[op]);
    if (compare == NULL)
        return NULL;
    PyObject *result = PyObject_CallFunctionObjArgs(compare, left, right, NULL);
    Py_DECREF(compare);
    return result;
}

static Py_hash_t
value_hash(PyObject *self)
{
    return PyBaseObject_Type.tp_hash(self);
}

#endif
