/* Sums of floats along the middle axis of an array.
 *
 * Eight rows are added up as a tree of floats, and the sums of eight rows in doubles: the error does not grow with the
 * number of rows.
 */
#ifndef ADJOINT_SUMS_H
#define ADJOINT_SUMS_H

#include "elementwise.h"

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

#endif
