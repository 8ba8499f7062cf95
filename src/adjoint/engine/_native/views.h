/* Parts and arrangements of an array: x[index], reshape, transpose and concat. NumPy makes the views. */
#ifndef ADJOINT_VIEWS_H
#define ADJOINT_VIEWS_H

#include "calls.h"

/* Return the array of a Tensor as a new reference; NULL, without an error, for anything but an array with axes. */
static PyObject *
hold_axes(PyObject *operand)
{
    PyObject *data = IS_TENSOR(operand) ? Py_XNewRef(SLOT(operand, at.data)) : NULL;
    if (data != NULL && PyArray_CheckExact(data) && PyArray_NDIM((PyArrayObject *)data))
        return data;
    Py_XDECREF(data);
    return NULL;
}

/* Return the result of NumPy as a node; NULL, without an error, if NumPy refused: Python explains why. */
static PyObject *
new_view(Fast *self, long long when, PyObject *result, PyObject *operand, PyObject *static_)
{
    if (result == NULL && (PyErr_ExceptionMatches(PyExc_IndexError) || PyErr_ExceptionMatches(PyExc_ValueError)))
        PyErr_Clear();
    if (result == NULL || static_ == NULL) {
        Py_XDECREF(result);
        return NULL;
    }
    return new_tensor(when, result, self->rule, PyTuple_Pack(1, operand), static_, self->back);
}

/* Return a gradient and the array that receives it, if both are ordinary arrays of one type; borrowed references. */
static int
read_view(PyObject *gradient, PyObject *data)
{
    return data != NULL && PyArray_CheckExact(gradient)
        && PyArray_DESCR((PyArrayObject *)gradient) == PyArray_DESCR((PyArrayObject *)data);
}

/* Store the contribution to the only operand; 0 leaves it to Python. */
static int
found_view(PyObject *data, PyObject *contribution, PyObject **found)
{
    Py_XDECREF(data);
    found[0] = contribution;
    return contribution != NULL ? 1 : PyErr_Occurred() ? -1 : 0;
}

/* --- x[index] ---------------------------------------------------------------------------------- */

static int
is_whole_or_none(PyObject *object)
{
    return object == Py_None || PyLong_CheckExact(object);
}

/* Return whether an index is made of integers, slices, None and ... alone. */
static int
is_basic_index(PyObject *index)
{
    if (PyTuple_CheckExact(index)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(index); i++) {
            if (PyTuple_CheckExact(PyTuple_GET_ITEM(index, i)) || !is_basic_index(PyTuple_GET_ITEM(index, i)))
                return 0;
        }
        return 1;
    }
    if (PySlice_Check(index)) {
        PySliceObject *slice = (PySliceObject *)index;
        return is_whole_or_none(slice->start) && is_whole_or_none(slice->stop) && is_whole_or_none(slice->step);
    }
    return is_whole_or_none(index) || index == Py_Ellipsis;
}

static PyObject *
index_array(Fast *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    if (names != NULL || count != 2 || !is_basic_index(arguments[1]))
        return NULL;
    long long when = ++now;
    PyObject *data = hold_axes(arguments[0]);
    if (data == NULL)
        return NULL;
    PyObject *result = PyObject_GetItem(data, arguments[1]), *static_ = NULL;
    Py_DECREF(data);
    if (result != NULL && (static_ = PyDict_New()) != NULL && PyDict_SetItem(static_, self->static_, arguments[1]) < 0)
        Py_CLEAR(static_);
    PyObject *node = new_view(self, when, result, arguments[0], static_);
    Py_XDECREF(static_);
    return node;
}

/* The indexed elements receive the gradient, all others zero. */
static int
index_back(Back *self, PyObject *gradient, PyObject *node, PyObject *operands, PyObject **found)
{
    static PyObject *name;
    if (name == NULL && (name = PyUnicode_InternFromString("index")) == NULL)
        return -1;
    PyObject *static_ = SLOT(node, at.static_), *made = NULL;
    PyObject *index = static_ != NULL && PyDict_CheckExact(static_) ? PyDict_GetItem(static_, name) : NULL;
    PyObject *data = index == NULL || PyTuple_GET_SIZE(operands) != 1 ? NULL : hold_axes(PyTuple_GET_ITEM(operands, 0));
    if (read_view(gradient, data)) {
        PyArrayObject *like = (PyArrayObject *)data;
        Py_INCREF(PyArray_DESCR(like));
        made = PyArray_Zeros(PyArray_NDIM(like), PyArray_DIMS(like), PyArray_DESCR(like), 0);
        Py_INCREF(index);
        if (made != NULL && PyObject_SetItem(made, index, gradient) < 0)
            Py_CLEAR(made);
        Py_DECREF(index);
    }
    return found_view(data, made, found);
}

/* --- reshape ----------------------------------------------------------------------------------- */

/* Read a shape, given as sizes or as a tuple of sizes, one of which may be -1. Return its number of axes, or 0 for Python:
 * also for an empty shape and for empty arrays. */
static int
read_shape(PyObject *const *sizes, Py_ssize_t count, npy_intp elements, npy_intp *dims)
{
    if (count == 1 && PyTuple_CheckExact(sizes[0])) {
        count = PyTuple_GET_SIZE(sizes[0]);
        sizes = &PyTuple_GET_ITEM(sizes[0], 0);
    }
    npy_intp known = 1, unknown = -1;
    if (count > MOST_AXES || elements == 0)
        return 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        int overflow = 0;
        dims[i] = PyLong_CheckExact(sizes[i]) ? PyLong_AsLongAndOverflow(sizes[i], &overflow) : 0;
        if (dims[i] == -1 && !overflow && unknown < 0)
            unknown = i;
        else if (dims[i] <= 0 || dims[i] > elements / known)
            return 0;
        else
            known *= dims[i];
    }
    if (unknown >= 0 && elements % known == 0)
        dims[unknown] = elements / known;
    else if (known != elements)
        return 0;
    return (int)count;
}

static PyObject *
shape_of_dims(const npy_intp *dims, int ndim)
{
    PyObject *shape = PyTuple_New(ndim);
    for (int i = 0; shape != NULL && i < ndim; i++) {
        PyObject *size = PyLong_FromSsize_t(dims[i]);
        if (size == NULL)
            Py_CLEAR(shape);
        else
            PyTuple_SET_ITEM(shape, i, size);
    }
    return shape;
}

static PyObject *
reshape_array(Fast *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    npy_intp dims[MOST_AXES];
    if (names != NULL || count < 2)
        return NULL;
    long long when = ++now;
    PyObject *data = hold_axes(arguments[0]), *result = NULL, *static_ = NULL, *shape = NULL;
    if (data == NULL)
        return NULL;
    int ndim = read_shape(arguments + 1, count - 1, PyArray_SIZE((PyArrayObject *)data), dims);
    if (ndim && (shape = shape_of_dims(dims, ndim)) != NULL && (static_ = PyDict_New()) != NULL) {
        PyArray_Dims all = {dims, ndim};
        if (PyDict_SetItem(static_, self->static_, shape) == 0)
            result = PyArray_Newshape((PyArrayObject *)data, &all, NPY_CORDER);
    }
    Py_DECREF(data);
    Py_XDECREF(shape);
    PyObject *node = ndim ? new_view(self, when, result, arguments[0], static_) : NULL;
    Py_XDECREF(static_);
    return node;
}

static int
reshape_back(Back *self, PyObject *gradient, PyObject *node, PyObject *operands, PyObject **found)
{
    PyObject *data = PyTuple_GET_SIZE(operands) != 1 ? NULL : hold_axes(PyTuple_GET_ITEM(operands, 0)), *made = NULL;
    if (read_view(gradient, data)
        && PyArray_SIZE((PyArrayObject *)gradient) == PyArray_SIZE((PyArrayObject *)data)) {
        PyArray_Dims all = {PyArray_DIMS((PyArrayObject *)data), PyArray_NDIM((PyArrayObject *)data)};
        made = PyArray_Newshape((PyArrayObject *)gradient, &all, NPY_CORDER);
    }
    return found_view(data, made, found);
}

/* --- transpose --------------------------------------------------------------------------------- */

static PyObject *
transpose_array(Fast *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    if (names != NULL || count != 1)
        return NULL;
    long long when = ++now;
    PyObject *data = hold_axes(arguments[0]);
    if (data == NULL)
        return NULL;
    int ndim = PyArray_NDIM((PyArrayObject *)data), is_known = ndim < PyList_GET_SIZE(self->static_);
    PyObject *result = is_known ? PyArray_Transpose((PyArrayObject *)data, NULL) : NULL;
    Py_DECREF(data);
    return is_known ? new_view(self, when, result, arguments[0], PyList_GET_ITEM(self->static_, ndim)) : NULL;
}

/* The axes are reversed once more. */
static int
transpose_back(Back *self, PyObject *gradient, PyObject *node, PyObject *operands, PyObject **found)
{
    PyObject *data = PyTuple_GET_SIZE(operands) != 1 ? NULL : hold_axes(PyTuple_GET_ITEM(operands, 0)), *made = NULL;
    if (read_view(gradient, data))
        made = PyArray_Transpose((PyArrayObject *)gradient, NULL);
    return found_view(data, made, found);
}

/* --- concat ------------------------------------------------------------------------------------ */

/* Return the arrays of a tuple of Tensors and constants, at least one of them a Tensor, as a new tuple; NULL, without an
 * error, unless all have one type and number of axes. */
static PyObject *
hold_parts(PyObject *given)
{
    Py_ssize_t count = PyTuple_GET_SIZE(given);
    if (count < 1 || count > MOST_OPERANDS)
        return NULL;
    PyObject *datas = PyTuple_New(count);
    int variables = 0, fits = 1;
    PyArrayObject *first = NULL;
    for (Py_ssize_t i = 0; datas != NULL && fits && i < count; i++) {
        PyObject *part = PyTuple_GET_ITEM(given, i), *data = hold_data(part);
        variables += IS_TENSOR(part);
        fits = data != NULL && PyArray_CheckExact(data);
        if (fits && first == NULL)
            first = (PyArrayObject *)data;
        fits = fits && PyArray_NDIM(first) && PyArray_NDIM((PyArrayObject *)data) == PyArray_NDIM(first)
            && PyArray_DESCR((PyArrayObject *)data) == PyArray_DESCR(first);
        PyTuple_SET_ITEM(datas, i, data);
    }
    if (!fits || !variables)
        Py_CLEAR(datas);
    return datas;
}

static PyObject *
concat_arrays(Fast *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    static PyObject *zero;
    if (zero == NULL && (zero = PyLong_FromLong(0)) == NULL)
        return NULL;
    Py_ssize_t used = 1;
    if (count < 1 || !(PyList_CheckExact(arguments[0]) || PyTuple_CheckExact(arguments[0])))
        return NULL;
    PyObject *along = argument(arguments, count, names, 1, "axis", zero, &used), *datas = NULL, *result = NULL;
    if (used != count + count_names(names))
        return NULL;
    long long when = ++now;
    int axis = -1;
    PyObject *operands = PySequence_Tuple(arguments[0]);
    if (operands != NULL && (datas = hold_parts(operands)) != NULL
        && read_axis(along, PyArray_NDIM((PyArrayObject *)PyTuple_GET_ITEM(datas, 0)), &axis)
        && axis < PyList_GET_SIZE(self->static_))
        result = PyArray_Concatenate(datas, axis);
    Py_XDECREF(datas);
    if (result != NULL)
        return new_tensor(when, result, self->rule, operands, PyList_GET_ITEM(self->static_, axis), self->back);
    Py_XDECREF(operands);
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_ValueError))
        PyErr_Clear();
    return NULL;
}

/* Return a view of `size` elements along an axis. */
static PyObject *
part_along(PyArrayObject *array, int axis, npy_intp start, npy_intp size)
{
    npy_intp dims[NPY_MAXDIMS];
    memcpy(dims, PyArray_DIMS(array), (size_t)PyArray_NDIM(array) * sizeof(npy_intp));
    dims[axis] = size;
    PyArray_Descr *descr = PyArray_DESCR(array);
    Py_INCREF(descr);
    PyObject *part = PyArray_NewFromDescr(&PyArray_Type, descr, PyArray_NDIM(array), dims, PyArray_STRIDES(array),
                                          PyArray_BYTES(array) + start * PyArray_STRIDE(array, axis),
                                          PyArray_FLAGS(array) & NPY_ARRAY_WRITEABLE, NULL);
    if (part != NULL && PyArray_SetBaseObject((PyArrayObject *)part, Py_NewRef((PyObject *)array)) < 0)
        Py_CLEAR(part);
    return part;
}

/* Each operand receives its part of the gradient. */
static int
concat_back(Back *self, PyObject *gradient, PyObject *node, PyObject *operands, PyObject **found)
{
    static PyObject *name;
    if (name == NULL && (name = PyUnicode_InternFromString("axis")) == NULL)
        return -1;
    PyObject *static_ = SLOT(node, at.static_), *datas = hold_parts(operands);
    PyObject *along = static_ != NULL && PyDict_CheckExact(static_) ? PyDict_GetItem(static_, name) : NULL;
    PyArrayObject *g = (PyArrayObject *)gradient;
    npy_intp start = 0, total = 0;
    int axis = -1, fits = datas != NULL && along != NULL && read_view(gradient, PyTuple_GET_ITEM(datas, 0))
        && read_axis(along, PyArray_NDIM(g), &axis);
    for (Py_ssize_t i = 0; fits && i < PyTuple_GET_SIZE(datas); i++)
        total += PyArray_DIM((PyArrayObject *)PyTuple_GET_ITEM(datas, i), axis);
    fits = fits && PyArray_DIM(g, axis) == total;
    for (Py_ssize_t i = 0; fits && i < PyTuple_GET_SIZE(datas); i++) {
        npy_intp size = PyArray_DIM((PyArrayObject *)PyTuple_GET_ITEM(datas, i), axis);
        if (IS_TENSOR(PyTuple_GET_ITEM(operands, i)) && (found[i] = part_along(g, axis, start, size)) == NULL)
            fits = -1;
        start += size;
        if (fits < 0)
            break;
    }
    for (int i = 0; fits < 0 && i < MOST_OPERANDS; i++)
        Py_CLEAR(found[i]);
    Py_XDECREF(datas);
    return datas == NULL && PyErr_Occurred() ? -1 : fits;
}

/* --- for Python -------------------------------------------------------------------------------- */

/* view(name, usual, rule, static, back): return a function with a fast path; `static` is the name of the static argument,
 * or a list of the static arguments by the number of axes or by the axis. */
static PyObject *
make_view(PyObject *module, PyObject *arguments)
{
    static const struct {
        const char *name;
        PyObject *(*run)(Fast *, PyObject *const *, Py_ssize_t, PyObject *);
        int (*back)(Back *, PyObject *, PyObject *, PyObject *, PyObject **);
        int has_list;
    } kinds[] = {
        {"getitem", index_array, index_back, 0},
        {"reshape", reshape_array, reshape_back, 0},
        {"transpose", transpose_array, transpose_back, 1},
        {"concat", concat_arrays, concat_back, 1},
    };
    const char *name;
    PyObject *usual, *rule, *static_, *back;
    if (!PyArg_ParseTuple(arguments, "sOOOO:view", &name, &usual, &rule, &static_, &back))
        return NULL;
    for (size_t i = 0; i < Py_ARRAY_LENGTH(kinds); i++) {
        if (strcmp(name, kinds[i].name) == 0 && (kinds[i].has_list ? PyList_Check(static_) : PyUnicode_Check(static_)))
            return new_fast(kinds[i].run, usual, rule, static_, new_back(kinds[i].back, 0, back), 0, 0);
    }
    return PyErr_Format(PyExc_ValueError, "there is no view %s with these static arguments", name);
}

#endif
