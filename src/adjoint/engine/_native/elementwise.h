/* The rows of the table on arrays: loops.h, generated from ops.py, holds the calculus. */
#ifndef ADJOINT_ELEMENTWISE_H
#define ADJOINT_ELEMENTWISE_H

#include "arrays.h"
#include "python_side.h"

#include <math.h>

typedef void (*Loop)(char *out, const char *const *in, const int *step, npy_intp count);
typedef struct {
    int operands;
    Loop forward, back[2];
} RowLoops;
enum { GRADIENT, RESULT, OPERAND }; /* positions among the inputs of a loop; the second operand follows the first */

/* marks a gradient that is passed on unchanged */
static void pass(char *out, const char *const *in, const int *step, npy_intp count) {}

#define INLINE static inline __attribute__((always_inline))
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(ADJOINT_NO_SLABS)
#define LOOP __attribute__((target_clones("avx2", "default"))) static void
#else
#define LOOP static void
#endif
#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep") /* the result may reuse the memory of an input, element for element */
#endif
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

#define LONG 20000 /* elements; from this size on, loops release the GIL */

static void
run_loop(Loop loop, char *out, const char *const *in, const int *step, npy_intp count)
{
    if (count < LONG) {
        loop(out, in, step, count);
        return;
    }
    Py_BEGIN_ALLOW_THREADS
    loop(out, in, step, count);
    Py_END_ALLOW_THREADS
}

/* The operands of a row, prepared for a loop. `numbers` holds Python numbers converted to floats. */
typedef struct {
    Array arrays[2];
    const Array *shape; /* the operand that has the shape of the result */
    int type;
    float numbers[2];
} Operands;

/* Read the operands of a row. Return whether they have one type, and one shape or no axes. */
static inline int
read_operands(PyObject *const *datas, int count, Operands *read)
{
    read->type = WEAK;
    for (int i = 0; i < count; i++) {
        Array *array = &read->arrays[i];
        if (!read_array(datas[i], array))
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
    read->shape = x->ndim >= z->ndim ? x : z;
    if (x->ndim != z->ndim && x->ndim && z->ndim)
        return 0;
    if (x->ndim == z->ndim && !same_shape(x, z))
        return 0;
    if (count == 1)
        return x->step || x->ndim == 0;
    if (x->ndim < z->ndim)
        x->step = 0;
    else if (z->ndim < x->ndim)
        z->step = 0;
    return 1;
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
apply_row_to_arrays(Fast *self, PyObject *const *arguments, Py_ssize_t count)
{
    PyObject *datas[2] = {NULL}, *operands[2], *node = NULL, *result;
    Operands read;
    char *out;
    if (count != row_loops_of_doubles[self->index].operands)
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
    if (fits && read_operands(datas, (int)count, &read)) {
        Loop loop = loops_of(self->index, read.type)->forward;
        result = loop == NULL ? NULL : new_array(read.type, read.shape->ndim, read.shape->dims, &out);
        if (result != NULL) {
            const char *in[] = {NULL, NULL, read.arrays[0].data, read.arrays[1].data};
            int step[] = {0, 0, read.arrays[0].step, read.arrays[1].step};
            run_loop(loop, out, in, step, read.shape->count);
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

/* Compute the contributions, given the result and the data of each operand. */
static int
row_back_of(Back *self, PyObject *gradient, PyObject *result, PyObject *operands, PyObject *const *datas, int count,
            PyObject **found)
{
    Operands read;
    Array g, y;
    if (!read_array(gradient, &g) || !read_array(result, &y) || g.type != y.type || !same_shape(&g, &y))
        return 0;
    if (!read_operands(datas, count, &read) || read.type != y.type || !y.step || !same_shape(read.shape, &y))
        return 0;
    const RowLoops *loops = loops_of(self->index, y.type);
    int is_variable[2] = {0}, last = -1;
    for (int i = 0; i < count; i++) {
        if (!IS_TENSOR(PyTuple_GET_ITEM(operands, i)))
            continue;
        is_variable[i] = 1;
        last = i;
        if (!loops->back[i] || !same_shape(&read.arrays[i], &y))
            return 0;
    }
    const char *in[] = {g.data, y.data, read.arrays[0].data, read.arrays[1].data};
    int step[] = {g.step, 1, read.arrays[0].step, read.arrays[1].step};
    for (int i = 0; i < count; i++) {
        if (!is_variable[i])
            continue;
        char *out = (char *)g.data;
        if (loops->back[i] == pass || (i == last && is_own(gradient)))
            found[i] = Py_NewRef(gradient); /* its memory is reused for the contribution */
        else
            found[i] = new_array(y.type, y.ndim, y.dims, &out);
        if (found[i] == NULL) {
            Py_CLEAR(found[0]);
            return -1;
        }
        if (loops->back[i] != pass)
            run_loop(loops->back[i], out, in, step, y.count);
    }
    return 1;
}

/* Compute the contributions to the operands if every operand that is a Value has the shape and type of the result. */
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
    if (!read_operands(datas, 2, &read) || !same_shape(&read.arrays[0], &read.arrays[1]))
        return NULL;
    char *out = (char *)read.arrays[0].data;
    PyObject *sum = owned && is_own(a) ? Py_NewRef(a) : new_array(read.type, read.shape->ndim, read.shape->dims, &out);
    if (sum != NULL) {
        const char *in[] = {NULL, NULL, read.arrays[0].data, read.arrays[1].data};
        int step[] = {0, 0, read.arrays[0].step, read.arrays[1].step};
        run_loop(loops_of(add_index, read.type)->forward, out, in, step, read.shape->count);
    }
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
