/* Rows added to those rows of an array that an index names, several times if it names a row twice. */
#ifndef ADJOINT_SCATTER_H
#define ADJOINT_SCATTER_H

#include "elementwise.h"

#define ADD_ROWS(T)                                                                                 \
    static void add_rows_of_##T(T *total, const npy_intp *index, const T *values, npy_intp count, npy_intp width) \
    {                                                                                               \
        for (npy_intp i = 0; i < count; i++, values += width) {                                     \
            T *row = total + index[i] * width;                                                      \
            INDEPENDENT                                                                             \
            for (npy_intp k = 0; k < width; k++)                                                    \
                row[k] += values[k];                                                                \
        }                                                                                           \
    }
ADD_ROWS(double)
ADD_ROWS(float)

/* add_rows(total, index, values, rows): add row i of `values` to row index[i] of `total`, which has this many rows. Return False
 * for arrays that are not ordinary or do not fit. */
static PyObject *
add_rows(PyObject *module, PyObject *arguments)
{
    PyObject *total, *index, *values;
    Py_ssize_t rows;
    Array to, from;
    if (!PyArg_ParseTuple(arguments, "OOOn:add_rows", &total, &index, &values, &rows))
        return NULL;
    if (tensor_type == NULL || !PyArray_CheckExact(total) || !PyArray_CheckExact(index) || !PyArray_CheckExact(values)
        || !read_array(total, &to) || !read_array(values, &from) || !PyArray_IS_C_CONTIGUOUS((PyArrayObject *)total)
        || !PyArray_IS_C_CONTIGUOUS((PyArrayObject *)values) || !PyArray_IS_C_CONTIGUOUS((PyArrayObject *)index)
        || PyArray_TYPE((PyArrayObject *)index) != NPY_INTP || !PyArray_ISWRITEABLE((PyArrayObject *)total)
        || to.type != from.type || rows <= 0 || to.count % rows)
        Py_RETURN_FALSE;
    const npy_intp width = to.count / rows, count = PyArray_SIZE((PyArrayObject *)index);
    const npy_intp *places = PyArray_DATA((PyArrayObject *)index);
    if (from.count != count * width)
        Py_RETURN_FALSE;
    for (npy_intp i = 0; i < count; i++) {
        if (places[i] < 0 || places[i] >= rows)
            Py_RETURN_FALSE;
    }
    if (to.type == DOUBLE)
        add_rows_of_double((double *)to.data, places, (const double *)from.data, count, width);
    else
        add_rows_of_float((float *)to.data, places, (const float *)from.data, count, width);
    Py_RETURN_TRUE;
}

#endif
