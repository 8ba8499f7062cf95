/* Softmax, log-softmax and the weights of attention along the last axis of an array, and their derivatives. */
#ifndef ADJOINT_SOFTMAX_H
#define ADJOINT_SOFTMAX_H

#include "exponential.h"

#define BLOCK 256 /* numbers that are added up in the type itself; the sums of blocks are doubles */

#define T double
#define NAME(name) name##_of_double_rows
#define EXP exp_of_double
#define LOG log
#include "softmax_loops.h"
#undef T
#undef NAME
#undef EXP
#undef LOG
#define T float
#define NAME(name) name##_of_float_rows
#define EXP exp_of_float
#define LOG logf
#include "softmax_loops.h"
#undef T
#undef NAME
#undef EXP
#undef LOG

/* Call the loop `name` for the type of `like`; without the GIL if the array is long. */
#define FOR_ROWS(like, name, ...)                                                                   \
    do {                                                                                            \
        PyThreadState *released = (like).count < LONG ? NULL : PyEval_SaveThread();                 \
        if ((like).type == DOUBLE) {                                                                \
            typedef double T;                                                                       \
            name##_of_double_rows(__VA_ARGS__);                                                     \
        } else {                                                                                    \
            typedef float T;                                                                        \
            name##_of_float_rows(__VA_ARGS__);                                                      \
        }                                                                                           \
        if (released != NULL)                                                                       \
            PyEval_RestoreThread(released);                                                         \
    } while (0)

typedef struct {
    Array array;
    npy_intp count, width;
} Rows;

/* Read a contiguous array of floats or doubles as rows along its last axis. Return whether `object` is one. */
static int
read_rows(PyObject *object, Rows *rows)
{
    if (tensor_type == NULL || !PyArray_CheckExact(object) || !read_array(object, &rows->array) || !rows->array.step
        || !rows->array.ndim)
        return 0;
    rows->width = rows->array.dims[rows->array.ndim - 1];
    rows->count = rows->width ? rows->array.count / rows->width : 0;
    return 1;
}

/* Return a new array of the shape of some rows; *out is its memory. */
static PyObject *
new_rows(const Rows *rows, char **out)
{
    return new_array(rows->array.type, rows->array.ndim, rows->array.dims, out);
}

static int
is_like(const Rows *rows, const Rows *others)
{
    return rows->array.type == others->array.type && same_shape(&rows->array, &others->array);
}

/* softmax(x), log_softmax(x): return the result along the last axis; None for arrays that are not ordinary. */
#define OF_ROWS(name)                                                                               \
    static PyObject *name##_of_array(PyObject *module, PyObject *object)                            \
    {                                                                                               \
        Rows x;                                                                                     \
        char *out;                                                                                  \
        if (!read_rows(object, &x))                                                                 \
            Py_RETURN_NONE;                                                                         \
        PyObject *result = new_rows(&x, &out);                                                      \
        if (result != NULL)                                                                         \
            FOR_ROWS(x.array, name, (T *)out, (const T *)x.array.data, x.count, x.width);           \
        return result;                                                                              \
    }
OF_ROWS(softmax)
OF_ROWS(log_softmax)

/* Read the arguments of a function that passes a gradient back: the gradient, the result, and maybe a number. */
static int
read_gradient(PyObject *const *arguments, Py_ssize_t count, Rows *g, Rows *y, double *number)
{
    if (count < 2 || !read_rows(arguments[0], g) || !read_rows(arguments[1], y) || !is_like(g, y))
        return 0;
    *number = count > 2 ? PyFloat_AsDouble(arguments[2]) : 1.0;
    return !PyErr_Occurred();
}

/* softmax_back(g, y, scale=1.0): return (g - sum(g · y)) · y · scale; None for arrays that are not ordinary. */
static PyObject *
softmax_back_of_arrays(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    Rows g, y;
    double scale;
    char *out;
    if (!read_gradient(arguments, count, &g, &y, &scale))
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    PyObject *result = new_rows(&y, &out);
    if (result != NULL)
        FOR_ROWS(y.array, softmax_back, (T *)out, (const T *)g.array.data, (const T *)y.array.data, y.count, y.width,
                 (T)scale);
    return result;
}

/* log_softmax_back(g, y): return g - exp(y) · sum(g); None for arrays that are not ordinary. */
static PyObject *
log_softmax_back_of_arrays(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    Rows g, y;
    double unused;
    char *out;
    if (!read_gradient(arguments, count, &g, &y, &unused))
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    PyObject *result = new_rows(&y, &out);
    if (result != NULL)
        FOR_ROWS(y.array, log_softmax_back, (T *)out, (const T *)g.array.data, (const T *)y.array.data, y.count, y.width);
    return result;
}

/* attention(scores, scale, is_causal): return the weights of attention; None for arrays that are not ordinary. */
static PyObject *
attention_of_array(PyObject *module, PyObject *arguments)
{
    PyObject *object;
    double scale;
    int is_causal;
    Rows x;
    char *out;
    if (!PyArg_ParseTuple(arguments, "Odp:attention", &object, &scale, &is_causal))
        return NULL;
    if (!read_rows(object, &x) || x.array.ndim < 2)
        Py_RETURN_NONE;
    const npy_intp queries = is_causal ? x.array.dims[x.array.ndim - 2] : 0;
    PyObject *result = new_rows(&x, &out);
    if (result != NULL)
        FOR_ROWS(x.array, attention, (T *)out, (const T *)x.array.data, x.count, x.width, queries, (T)scale);
    return result;
}

#endif
