/* The rows of the table on arrays: loops.h, generated from ops.py, holds the calculus. */
#ifndef ADJOINT_ELEMENTWISE_H
#define ADJOINT_ELEMENTWISE_H

#include "python_side.h"
#include "sums.h"

#include <math.h>

typedef struct {
    int operands;
    Loop forward, back[2];
} RowLoops;

/* marks a gradient that is passed on unchanged */
static void pass(char *out, const char *const *in, const int *step, npy_intp count) {}

#define PASS pass
#define ABS(x) _Generic((x), float: fabsf, default: fabs)(x)
#define SQRT(x) _Generic((x), float: sqrtf, default: sqrt)(x)

#define T double
#define NAME(name) name##_of_doubles
#include "loops.h"
#undef T
#undef NAME
#define T float
#define NAME(name) name##_of_floats
#include "loops.h"
#undef T
#undef NAME

static inline const RowLoops *
loops_of(int index, int type)
{
    return type == DOUBLE ? &row_loops_of_doubles[index] : &row_loops_of_floats[index];
}

/* The operands of a row, and the shape that they broadcast to. `numbers` holds Python numbers converted to floats. */
typedef struct {
    Array arrays[2];
    int type, ndim;
    const npy_intp *dims;
    npy_intp count;
    int is_plain; /* each operand has that shape, in contiguous memory, or is a number */
    float numbers[2];
    npy_intp broadcast[MOST_AXES];
} Operands;

/* Read the operands of a row. Return whether they have one type and broadcast. */
static inline int
read_operands(PyObject *const *datas, int count, Operands *read)
{
    read->type = WEAK;
    for (int i = 0; i < count; i++) {
        Array *array = &read->arrays[i];
        if (!read_any_array(datas[i], array))
            return 0;
        if (array->type != WEAK) {
            if (read->type != WEAK && read->type != array->type)
                return 0;
            read->type = array->type;
        }
    }
    if (read->type == WEAK)
        return 0;
    for (int i = 0; i < count; i++) {
        if (read->arrays[i].type == WEAK && read->type == FLOAT) {
            read->numbers[i] = (float)*(const double *)read->arrays[i].data;
            read->arrays[i].data = (const char *)&read->numbers[i];
        }
    }
    Array *x = &read->arrays[0], *z = &read->arrays[count - 1];
    const Array *larger = x->ndim >= z->ndim ? x : z;
    int is_same = same_shape(x, z);
    read->ndim = larger->ndim;
    read->dims = larger->dims;
    read->count = larger->count;
    if (!is_same && x->ndim && z->ndim) {
        read->is_plain = 0;
        read->dims = read->broadcast;
        read->ndim = broadcast_shape(x, z, read->broadcast, &read->count);
        return read->ndim >= 0;
    }
    read->is_plain = x->step != STRIDED && z->step != STRIDED && (count == 2 || x->step || x->ndim == 0);
    if (x->ndim < z->ndim)
        x->step = 0;
    else if (z->ndim < x->ndim)
        z->step = 0;
    return 1;
}

/* Prepare a walk over the operands of a row and, in the backward pass, the gradient and the result. Return 0 if the
 * memory of one of them is not in order. */
static inline int
plan_operands(Walk *walk, const Operands *read, int count, const Array *g, const Array *y)
{
    const Array *inputs[MOST_INPUTS] = {g, y, &read->arrays[0], count > 1 ? &read->arrays[1] : NULL};
    if (read->is_plain && (g == NULL || g->step != STRIDED)) {
        plan_row(walk, inputs, read->count);
        return 1;
    }
    if (!plan_walk(walk, inputs, read->type, read->ndim, read->dims))
        return 0;
    return count > 1 || walk->step[OPERAND] || walk->length < 2; /* the loops of one operand do not repeat it */
}

/* --- forward ----------------------------------------------------------------------------------- */

/* Return an int as a float; NULL, without an error, if the conversion is not exact. */
static PyObject *
exact_float(PyObject *number)
{
    int overflow;
    long long whole = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (overflow || whole <= -(1LL << 53) || whole >= 1LL << 53)
        return NULL;
    return PyFloat_FromDouble((double)whole);
}

static PyObject *
apply_row_to_arrays(Fast *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *datas[2] = {NULL}, *operands[2], *node = NULL, *result;
    Operands read;
    Walk walk;
    char *out;
    if (names != NULL || count != row_loops_of_doubles[self->index].operands)
        return NULL;
    long long when = ++now;
    int fits = 1;
    for (int i = 0; fits && i < count; i++) {
        operands[i] = arguments[self->reflected ? count - 1 - i : i];
        if (PyLong_CheckExact(operands[i]))
            datas[i] = operands[i] = exact_float(operands[i]);
        else
            datas[i] = hold_data(operands[i]);
        fits = datas[i] != NULL;
    }
    if (fits && read_operands(datas, (int)count, &read) && plan_operands(&walk, &read, (int)count, NULL, NULL)) {
        Loop loop = loops_of(self->index, read.type)->forward;
        result = loop == NULL ? NULL : new_array(read.type, read.ndim, read.dims, &out);
        if (result != NULL) {
            run_walk(loop, out, &walk, read.type);
            PyObject *kept = PyTuple_New(count);
            for (int i = 0; kept != NULL && i < count; i++)
                PyTuple_SET_ITEM(kept, i, Py_NewRef(operands[i]));
            node = new_tensor(when, result, self->rule, kept, Py_None, self->back);
        }
    }
    release_data(datas, 2);
    return node;
}

/* --- backward ---------------------------------------------------------------------------------- */

/* Return what an operand that was repeated receives: the sum of the contributions to its copies, which are `all`, or the
 * gradient. */
static PyObject *
sum_of_copies(PyObject *all, const Array *operand, Middle of, int type)
{
    PyObject *contiguous = PyArray_FROM_OF(all, NPY_ARRAY_C_CONTIGUOUS);
    if (contiguous == NULL)
        return NULL;
    PyObject *sum = new_sum(PyArray_BYTES((PyArrayObject *)contiguous), type, of, operand->ndim, operand->dims);
    Py_DECREF(contiguous);
    return sum;
}

/* Compute the contributions, given the result and the data of each operand. */
static int
row_back_of(Back *self, PyObject *gradient, PyObject *result, PyObject *operands, PyObject *const *datas, int count,
            PyObject **found)
{
    Operands read;
    Walk walk;
    Array g, y;
    Middle repeated[2];
    if (!read_any_array(gradient, &g) || !read_array(result, &y) || g.type != y.type || !same_shape(&g, &y) || !y.step)
        return 0;
    if (!read_operands(datas, count, &read) || read.type != y.type || read.ndim != y.ndim
        || !plan_operands(&walk, &read, count, &g, &y))
        return 0;
    const RowLoops *loops = loops_of(self->index, y.type);
    int is_variable[2] = {0}, is_whole[2] = {0}, last = -1;
    for (int i = 0; i < count; i++) {
        if (!IS_TENSOR(PyTuple_GET_ITEM(operands, i)))
            continue;
        is_variable[i] = 1;
        is_whole[i] = same_shape(&read.arrays[i], &y);
        last = i;
        if (!loops->back[i] || (!is_whole[i] && !find_repeated(y.ndim, y.dims, &read.arrays[i], &repeated[i])))
            return 0;
    }
    for (int i = 0; i < count; i++) {
        if (!is_variable[i])
            continue;
        char *out = (char *)g.data;
        PyObject *all;
        if (loops->back[i] == pass || (i == last && is_own(gradient)))
            all = Py_NewRef(gradient); /* its memory is reused for the contribution */
        else
            all = new_array(y.type, y.ndim, y.dims, &out);
        if (all != NULL && loops->back[i] != pass)
            run_walk(loops->back[i], out, &walk, y.type);
        found[i] = all == NULL || is_whole[i] ? all : sum_of_copies(all, &read.arrays[i], repeated[i], y.type);
        if (found[i] != all)
            Py_XDECREF(all);
        if (found[i] == NULL) {
            Py_CLEAR(found[0]);
            return -1;
        }
    }
    return 1;
}

/* Compute the contributions to the operands if they have the type of the result. */
static int
row_back(Back *self, PyObject *gradient, PyObject *node, PyObject *operands, PyObject **found)
{
    PyObject *result = Py_XNewRef(SLOT(node, at.data)), *datas[2] = {NULL};
    int count = (int)PyTuple_GET_SIZE(operands);
    int fits = result != NULL && count == row_loops_of_doubles[self->index].operands;
    for (int i = 0; fits && i < count; i++)
        fits = (datas[i] = hold_data(PyTuple_GET_ITEM(operands, i))) != NULL;
    if (fits)
        fits = row_back_of(self, gradient, result, operands, datas, count, found);
    release_data(datas, 2);
    Py_XDECREF(result);
    return fits;
}

/* Return a + b, in the memory of `a` if `owned` allows it; NULL without an error for anything but
 * two arrays of one shape and type. */
static PyObject *
add_arrays(PyObject *a, PyObject *b, int owned)
{
    PyObject *datas[] = {a, b};
    Operands read;
    Walk walk;
    if (!read_operands(datas, 2, &read) || !same_shape(&read.arrays[0], &read.arrays[1])
        || !plan_operands(&walk, &read, 2, NULL, NULL))
        return NULL;
    char *out = (char *)read.arrays[0].data;
    PyObject *sum = owned && is_own(a) ? Py_NewRef(a) : new_array(read.type, read.ndim, read.dims, &out);
    if (sum != NULL)
        run_walk(loops_of(add_index, read.type)->forward, out, &walk, read.type);
    return sum;
}

/* --- for Python -------------------------------------------------------------------------------- */

/* row_back(index, usual): return the backward function of a row, or `usual` if the row has no loops. */
static PyObject *
make_row_back(PyObject *module, PyObject *arguments)
{
    int index;
    PyObject *usual;
    if (!PyArg_ParseTuple(arguments, "iO:row_back", &index, &usual))
        return NULL;
    if (index < 0 || index >= ROW_COUNT)
        return PyErr_Format(PyExc_IndexError, "there is no row %d", index);
    const RowLoops *loops = &row_loops_of_doubles[index];
    return loops->back[0] || loops->back[1] ? new_back(row_back, index, usual) : Py_NewRef(usual);
}

/* row_method(index, reflected, usual, back): return a method that applies a row, with the fast path if possible. */
static PyObject *
make_row_method(PyObject *module, PyObject *arguments)
{
    int index, reflected;
    PyObject *usual, *back;
    if (!PyArg_ParseTuple(arguments, "ipOO:row_method", &index, &reflected, &usual, &back))
        return NULL;
    if (index < 0 || index >= ROW_COUNT)
        return PyErr_Format(PyExc_IndexError, "there is no row %d", index);
    if (row_loops_of_doubles[index].forward == NULL)
        return Py_NewRef(usual);
    return new_fast(apply_row_to_arrays, usual, PyTuple_GET_ITEM(rows, index), Py_None, new_back(row_back, index, back),
                    index, reflected);
}

#endif
