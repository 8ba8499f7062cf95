/* Layer normalization along the last axis of an array, and its derivatives. */
#ifndef ADJOINT_LAYER_NORM_H
#define ADJOINT_LAYER_NORM_H

#include "softmax.h"

#define T double
#define NAME(name) name##_of_double_rows
#include "layer_norm_loops.h"
#undef T
#undef NAME
#define T float
#define NAME(name) name##_of_float_rows
#include "layer_norm_loops.h"
#undef T
#undef NAME

/* Read a weight or bias for rows; None is NULL. Return whether it fits. */
static int
read_row(PyObject *object, const Rows *rows, const char **data)
{
    Rows row;
    *data = NULL;
    if (object == Py_None)
        return 1;
    if (!read_rows(object, &row) || row.array.ndim != 1 || row.width != rows->width || row.array.type != rows->array.type)
        return 0;
    *data = row.array.data;
    return 1;
}

/* layer_norm(x, weight, bias, eps): return the result; None for arrays that are not ordinary. */
static PyObject *
layer_norm_of_arrays(PyObject *module, PyObject *arguments)
{
    PyObject *object, *weight, *bias;
    const char *weights, *biases;
    double eps;
    Rows x;
    char *out;
    if (!PyArg_ParseTuple(arguments, "OOOd:layer_norm", &object, &weight, &bias, &eps))
        return NULL;
    if (!read_rows(object, &x) || !read_row(weight, &x, &weights) || !read_row(bias, &x, &biases) || (biases && !weights))
        Py_RETURN_NONE;
    PyObject *result = new_rows(&x, &out);
    if (result != NULL)
        FOR_ROWS(x.array, layer_norm, (T *)out, (const T *)x.array.data, (const T *)weights, (const T *)biases, x.count,
                 x.width, (T)eps);
    return result;
}

/* Return a new row of the totals, rounded to the type of `rows`. */
static PyObject *
new_row(const Rows *rows, const double *totals)
{
    char *out;
    PyObject *row = new_array(rows->array.type, 1, &rows->width, &out);
    for (npy_intp i = 0; row != NULL && i < rows->width; i++)
        store_number(out + i * (rows->array.type == DOUBLE ? sizeof(double) : sizeof(float)), rows->array.type, totals[i]);
    return row;
}

/* layer_norm_back(g, x, weight, eps): return what x, weight and bias receive; None for arrays that are not ordinary. */
static PyObject *
layer_norm_back_of_arrays(PyObject *module, PyObject *arguments)
{
    PyObject *gradient, *object, *weight;
    const char *weights;
    double eps;
    Rows g, x;
    char *out;
    if (!PyArg_ParseTuple(arguments, "OOOd:layer_norm_back", &gradient, &object, &weight, &eps))
        return NULL;
    if (!read_rows(gradient, &g) || !read_rows(object, &x) || !is_like(&g, &x) || !read_row(weight, &x, &weights))
        Py_RETURN_NONE;
    double *totals = PyMem_Calloc(2 * (size_t)x.width + 1, sizeof(double));
    double *sums = PyMem_Calloc(3 * (size_t)x.width + 1, sizeof(double)); /* of either type */
    PyObject *for_x = totals == NULL || sums == NULL ? PyErr_NoMemory() : new_rows(&x, &out), *all = NULL;
    if (for_x != NULL) {
        FOR_ROWS(x.array, layer_norm_back, (T *)out, (const T *)g.array.data, (const T *)x.array.data, (const T *)weights,
                 x.count, x.width, (T)eps, (T *)sums, totals);
        PyObject *for_weight = new_row(&x, totals), *for_bias = new_row(&x, totals + x.width);
        if (for_weight != NULL && for_bias != NULL)
            all = PyTuple_Pack(3, for_x, for_weight, for_bias);
        Py_XDECREF(for_weight);
        Py_XDECREF(for_bias);
        Py_DECREF(for_x);
    }
    PyMem_Free(totals);
    PyMem_Free(sums);
    return all;
}

#endif
