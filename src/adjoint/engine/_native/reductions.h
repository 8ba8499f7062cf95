/* The sum and the mean of all elements of an array. */
#ifndef ADJOINT_REDUCTIONS_H
#define ADJOINT_REDUCTIONS_H

#include "elementwise.h"

/* Pairwise summation with eight accumulators, in NumPy's order: the error grows with the logarithm of the count. */
#define PAIRWISE(name, T)                                                                           \
    static T name(const T *x, npy_intp count)                                                       \
    {                                                                                               \
        if (count < 8) {                                                                            \
            T sum = (T)-0.0;                                                                        \
            for (npy_intp i = 0; i < count; i++)                                                    \
                sum += x[i];                                                                        \
            return sum;                                                                             \
        }                                                                                           \
        if (count <= 128) {                                                                         \
            T r[8];                                                                                 \
            npy_intp i;                                                                             \
            for (int k = 0; k < 8; k++)                                                             \
                r[k] = x[k];                                                                        \
            for (i = 8; i < count - count % 8; i += 8) {                                            \
                for (int k = 0; k < 8; k++)                                                         \
                    r[k] += x[i + k];                                                               \
            }                                                                                       \
            T sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));              \
            for (; i < count; i++)                                                                  \
                sum += x[i];                                                                        \
            return sum;                                                                             \
        }                                                                                           \
        npy_intp half = count / 2;                                                                  \
        half -= half % 8;                                                                           \
        return name(x, half) + name(x + half, count - half);                                        \
    }
PAIRWISE(sum_of_doubles, double)
PAIRWISE(sum_of_floats, float)

enum { SUM, MEAN };

static PyObject *
reduce_array(Fast *self, PyObject *const *arguments, Py_ssize_t count)
{
    Array x;
    if (count != 1 || !IS_TENSOR(arguments[0]))
        return NULL;
    long long when = ++now;
    char *out;
    PyObject *data = hold_data(arguments[0]), *result = NULL;
    if (data != NULL && PyArray_CheckExact(data) && read_array(data, &x) && x.step && x.count
        && x.ndim < PyList_GET_SIZE(self->static_))
        result = new_array(x.type, 0, NULL, &out);
    if (result == NULL) {
        Py_XDECREF(data);
        return NULL;
    }
    PyThreadState *released = x.count < LONG ? NULL : PyEval_SaveThread();
    if (x.type == DOUBLE) {
        double sum = 0.0 + sum_of_doubles((const double *)x.data, x.count);
        *(double *)out = self->index == MEAN ? sum / (double)x.count : sum;
    } else {
        float sum = 0.0f + sum_of_floats((const float *)x.data, x.count);
        *(float *)out = self->index == MEAN ? sum / (float)x.count : sum;
    }
    if (released != NULL)
        PyEval_RestoreThread(released);
    Py_DECREF(data);
    PyObject *kept = PyTuple_Pack(1, arguments[0]);
    return new_tensor(when, result, self->rule, kept, PyList_GET_ITEM(self->static_, x.ndim), self->back);
}

/* All elements receive the same gradient. */
static int
reduction_back(Back *self, PyObject *gradient, PyObject *node, PyObject *operands, PyObject **found)
{
    Array g, x;
    PyObject *data = PyTuple_GET_SIZE(operands) == 1 ? hold_data(PyTuple_GET_ITEM(operands, 0)) : NULL;
    if (data == NULL || !read_array(gradient, &g) || g.ndim || !read_array(data, &x) || g.type != x.type) {
        Py_XDECREF(data);
        return 0;
    }
    double each;
    if (g.type == DOUBLE)
        each = self->index == MEAN ? *(const double *)g.data / (double)x.count : *(const double *)g.data;
    else
        each = self->index == MEAN ? *(const float *)g.data / (float)x.count : *(const float *)g.data;
    found[0] = new_constant(x.type, x.ndim, x.dims, each);
    Py_DECREF(data);
    return found[0] == NULL ? -1 : 1;
}

/* reduction(is_mean, usual, rule, static, back): return a reduction method with a fast path over all axes. */
static PyObject *
make_reduction(PyObject *module, PyObject *arguments)
{
    int is_mean;
    PyObject *usual, *rule, *static_, *back;
    if (!PyArg_ParseTuple(arguments, "pOOO!O:reduction", &is_mean, &usual, &rule, &PyList_Type, &static_, &back))
        return NULL;
    return new_fast(reduce_array, usual, rule, static_, new_back(reduction_back, is_mean ? MEAN : SUM, back),
                    is_mean ? MEAN : SUM, 0);
}

#endif
