/* Rows added to those rows of an array that an index names, several times if it names a row twice. */
#ifndef ADJOINT_SCATTER_H
#define ADJOINT_SCATTER_H

#include "elementwise.h"

#define ADD_ROWS(T)                                                                                 \
    static void add_rows_of_##T(T *total, const npy_intp *places, const T *values, npy_intp count, npy_intp width)     \
    {                                                                                               \
        for (npy_intp i = 0; i < count; i++, values += width) {                                     \
            T *row = total + places[i] * width;                                                     \
            INDEPENDENT                                                                             \
            for (npy_intp k = 0; k < width; k++)                                                    \
                row[k] += values[k];                                                                \
        }                                                                                           \
    }
ADD_ROWS(double)
ADD_ROWS(float)

/* Read an integer array for each of the first axes of an array, and write the number of the row that they name together
 * into `places`. Return 0 if an array is not ordinary or out of range. */
static int
find_places(PyObject *index, const Array *array, npy_intp count, npy_intp *places)
{
    for (Py_ssize_t axis = 0; axis < PyTuple_GET_SIZE(index); axis++) {
        PyArrayObject *given = (PyArrayObject *)PyTuple_GET_ITEM(index, axis);
        if (!PyArray_CheckExact(given) || PyArray_TYPE(given) != NPY_INTP || !PyArray_IS_C_CONTIGUOUS(given)
            || !PyArray_ISBEHAVED_RO(given) || PyArray_SIZE(given) != count)
            return 0;
        const npy_intp *numbers = PyArray_DATA(given), size = array->dims[axis];
        for (npy_intp i = 0; i < count; i++) {
            const npy_intp number = numbers[i] < 0 ? numbers[i] + size : numbers[i];
            if (number < 0 || number >= size)
                return 0;
            places[i] = axis ? places[i] * size + number : number;
        }
    }
    return 1;
}

/* add_at(total, index, values): add `values` at a tuple of integer arrays, one for each of the first axes, all of one size.
 * Return False for arrays that are not ordinary or do not fit. */
static PyObject *
add_at(PyObject *module, PyObject *arguments)
{
    PyObject *total, *index, *values;
    Array to, from;
    if (!PyArg_ParseTuple(arguments, "OO!O:add_at", &total, &PyTuple_Type, &index, &values))
        return NULL;
    if (tensor_type == NULL || !PyArray_CheckExact(total) || !PyArray_CheckExact(values) || !read_array(total, &to)
        || !read_array(values, &from) || !PyArray_IS_C_CONTIGUOUS((PyArrayObject *)total)
        || !PyArray_IS_C_CONTIGUOUS((PyArrayObject *)values) || !PyArray_ISWRITEABLE((PyArrayObject *)total)
        || to.type != from.type || !PyTuple_GET_SIZE(index) || PyTuple_GET_SIZE(index) > to.ndim)
        Py_RETURN_FALSE;
    npy_intp width = 1;
    for (int i = (int)PyTuple_GET_SIZE(index); i < to.ndim; i++)
        width *= to.dims[i];
    const npy_intp count = width ? from.count / width : 0;
    if (count * width != from.count)
        Py_RETURN_FALSE;
    npy_intp *places = PyMem_Malloc((size_t)(count + 1) * sizeof(npy_intp));
    if (places == NULL)
        return PyErr_NoMemory();
    const int fits = find_places(index, &to, count, places);
    if (fits && to.type == DOUBLE)
        add_rows_of_double((double *)to.data, places, (const double *)from.data, count, width);
    else if (fits)
        add_rows_of_float((float *)to.data, places, (const float *)from.data, count, width);
    PyMem_Free(places);
    return PyBool_FromLong(fits);
}

#endif
