/* Sums along one run of axes of an array.
 *
 * Neighbors in memory are added up in pairs, as NumPy does. Rows of doubles are added one after another. Of rows of floats
 * eight are added up as a tree of floats, and the sums of eight rows in doubles: the error does not grow with the number
 * of rows.
 */
#ifndef ADJOINT_SUMS_H
#define ADJOINT_SUMS_H

#include "walk.h"

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

#define TILE 512 /* columns whose totals stay in the fastest cache */

/* Add `count` rows of `width` floats, each `columns` after the last. */
LOOP
add_up_tile(float *out, const float *x, npy_intp count, npy_intp width, npy_intp columns)
{
    double totals[TILE];
    npy_intp i = 0;
    memset(totals, 0, (size_t)width * sizeof(double));
    for (; i + 8 <= count; i += 8, x += 8 * columns) {
        const float *r0 = x, *r1 = r0 + columns, *r2 = r1 + columns, *r3 = r2 + columns;
        const float *r4 = r3 + columns, *r5 = r4 + columns, *r6 = r5 + columns, *r7 = r6 + columns;
        INDEPENDENT
        for (npy_intp k = 0; k < width; k++)
            totals[k] += (double)(((r0[k] + r1[k]) + (r2[k] + r3[k])) + ((r4[k] + r5[k]) + (r6[k] + r7[k])));
    }
    for (; i < count; i++, x += columns) {
        INDEPENDENT
        for (npy_intp k = 0; k < width; k++)
            totals[k] += (double)x[k];
    }
    for (npy_intp k = 0; k < width; k++)
        out[k] = (float)totals[k];
}

/* Sum an array of the shape (outer, count, inner) along its middle axis. */
static void
add_up_floats(float *out, const float *x, npy_intp outer, npy_intp count, npy_intp inner)
{
    for (npy_intp o = 0; o < outer; o++, out += inner, x += count * inner) {
        for (npy_intp from = 0; from < inner; from += TILE)
            add_up_tile(out + from, x + from, count, Py_MIN(TILE, inner - from), inner);
    }
}

/* Sum the rows of a matrix. */
static void
add_up_doubles(double *row, const double *matrix, npy_intp rows, npy_intp columns)
{
    memset(row, 0, (size_t)columns * sizeof(double));
    for (npy_intp i = 0; i < rows; i++, matrix += columns) {
        INDEPENDENT
        for (npy_intp k = 0; k < columns; k++)
            row[k] += matrix[k];
    }
}

/* An array seen in the shape (outer, count, inner): an operation reduces the middle axis. */
typedef struct {
    npy_intp outer, count, inner;
} Middle;

/* Sum contiguous memory along its middle axis. */
static void
sum_middle(char *out, const char *data, int type, Middle of)
{
    if (type == FLOAT && of.inner > 1) {
        add_up_floats((float *)out, (const float *)data, of.outer, of.count, of.inner);
        return;
    }
    for (npy_intp o = 0; o < of.outer && of.inner; o++) {
        if (of.inner > 1)
            add_up_doubles((double *)out + o * of.inner, (const double *)data + o * of.count * of.inner, of.count, of.inner);
        else if (type == DOUBLE)
            ((double *)out)[o] = 0.0 + sum_of_doubles((const double *)data + o * of.count, of.count);
        else
            ((float *)out)[o] = 0.0f + sum_of_floats((const float *)data + o * of.count, of.count);
    }
}

/* Find the middle axis that a sum over some axes reduces. Return 0 if the axes do not adjoin. */
static int
find_middle(int ndim, const npy_intp *dims, const char *is_summed, Middle *of)
{
    int part = 0; /* before, within or after the summed axes */
    *of = (Middle){1, 1, 1};
    for (int i = 0; i < ndim; i++) {
        if (dims[i] == 1)
            continue;
        if (is_summed[i] && part == 0)
            part = 1;
        else if (!is_summed[i] && part == 1)
            part = 2;
        else if (is_summed[i] && part == 2)
            return 0;
        *(part == 0 ? &of->outer : part == 1 ? &of->count : &of->inner) *= dims[i];
    }
    return 1;
}

/* Find the middle axis that a sum over the axes along which an operand was repeated reduces. */
static int
find_repeated(int ndim, const npy_intp *dims, const Array *operand, Middle *of)
{
    char is_summed[MOST_AXES];
    if (ndim > MOST_AXES)
        return 0;
    for (int i = 0; i < ndim; i++) {
        int own = i - (ndim - operand->ndim);
        is_summed[i] = own < 0 || (operand->dims[own] == 1 && dims[i] != 1);
    }
    return find_middle(ndim, dims, is_summed, of);
}

/* Return the sum along the middle axis of contiguous memory, as an array of the given shape. */
static PyObject *
new_sum(const char *data, int type, Middle of, int ndim, const npy_intp *dims)
{
    char *out;
    PyObject *sum = new_array(type, ndim, dims, &out);
    if (sum == NULL)
        return NULL;
    PyThreadState *released = of.outer * of.count * of.inner < LONG ? NULL : PyEval_SaveThread();
    sum_middle(out, data, type, of);
    if (released != NULL)
        PyEval_RestoreThread(released);
    return sum;
}

/* sum_floats(x, result, outer, count, inner): sum contiguous floats of the shape (outer, count, inner) along the middle
 * axis into `result`. */
static PyObject *
sum_floats(PyObject *module, PyObject *arguments)
{
    Py_buffer x, result;
    Py_ssize_t outer, count, inner;
    if (!PyArg_ParseTuple(arguments, "y*w*nnn:sum_floats", &x, &result, &outer, &count, &inner))
        return NULL;
    Py_ssize_t size = (Py_ssize_t)sizeof(float);
    if (outer < 0 || count < 0 || inner < 0 || x.len != outer * count * inner * size || result.len != outer * inner * size) {
        PyErr_SetString(PyExc_ValueError, "sum_floats: the buffers do not have the sizes that were given");
    } else if (x.len < LONG * size) {
        add_up_floats(result.buf, x.buf, outer, count, inner);
    } else {
        Py_BEGIN_ALLOW_THREADS
        add_up_floats(result.buf, x.buf, outer, count, inner);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&x);
    PyBuffer_Release(&result);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

/* Mark the axes of a sum, given as None or a tuple of axes counted from the front. Return whether they are axes. */
static int
mark_axes(PyObject *axes, int ndim, char *is_summed)
{
    memset(is_summed, axes == Py_None, (size_t)ndim);
    if (axes == Py_None)
        return 1;
    for (Py_ssize_t i = 0; PyTuple_CheckExact(axes) && i < PyTuple_GET_SIZE(axes); i++) {
        long axis = PyLong_CheckExact(PyTuple_GET_ITEM(axes, i)) ? PyLong_AsLong(PyTuple_GET_ITEM(axes, i)) : -1;
        if (axis < 0 || axis >= ndim) {
            PyErr_Clear();
            return 0;
        }
        is_summed[axis] = 1;
    }
    return PyTuple_CheckExact(axes);
}

/* sum_along(x, axes, keepdims): return a sum over adjoining axes of a contiguous array; None for all others. */
static PyObject *
sum_along(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    char is_summed[NPY_MAXDIMS];
    npy_intp dims[NPY_MAXDIMS];
    Middle of;
    Array x;
    int ndim = 0;
    if (count != 3)
        return PyErr_Format(PyExc_TypeError, "sum_along takes an array, axes and keepdims");
    if (tensor_type == NULL || !PyArray_CheckExact(arguments[0]) || !read_array(arguments[0], &x) || !x.step
        || !mark_axes(arguments[1], x.ndim, is_summed) || !find_middle(x.ndim, x.dims, is_summed, &of))
        Py_RETURN_NONE;
    for (int i = 0; i < x.ndim; i++) {
        if (!is_summed[i] || arguments[2] == Py_True)
            dims[ndim++] = is_summed[i] ? 1 : x.dims[i];
    }
    return new_sum(x.data, x.type, of, ndim, dims);
}

#endif
