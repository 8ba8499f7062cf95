/* The arguments of calls and the static arguments of nodes, in their common forms. Python reads all others. */
#ifndef ADJOINT_CALLS_H
#define ADJOINT_CALLS_H

#include "sums.h"

/* Return the argument at a position or of a name; `otherwise` if it is not given. *used counts the arguments that were
 * found. */
static PyObject *
argument(PyObject *const *arguments, Py_ssize_t count, PyObject *names, Py_ssize_t position, const char *name,
         PyObject *otherwise, Py_ssize_t *used)
{
    if (position < count) {
        ++*used;
        return arguments[position];
    }
    for (Py_ssize_t i = 0; names != NULL && i < PyTuple_GET_SIZE(names); i++) {
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), name) == 0) {
            ++*used;
            return arguments[count + i];
        }
    }
    return otherwise;
}

static inline Py_ssize_t
count_names(PyObject *names)
{
    return names == NULL ? 0 : PyTuple_GET_SIZE(names);
}

/* Read an axis, which may be negative, counted from the front. Return whether it is an axis of the array. */
static int
read_axis(PyObject *given, int ndim, int *axis)
{
    if (!PyLong_CheckExact(given))
        return 0;
    int overflow;
    long found = PyLong_AsLongAndOverflow(given, &overflow);
    if (overflow || found < -ndim || found >= ndim)
        return 0;
    *axis = (int)(found < 0 ? found + ndim : found);
    return 1;
}

/* Read the arguments (x, axis=None, keepdims=False); *axis is -1 for all axes. */
static int
read_reduction(PyObject *const *arguments, Py_ssize_t count, PyObject *names, int ndim, int *axis, int *keepdims)
{
    Py_ssize_t used = 1;
    PyObject *along = argument(arguments, count, names, 1, "axis", Py_None, &used);
    PyObject *kept = argument(arguments, count, names, 2, "keepdims", Py_False, &used);
    if (used != count + count_names(names) || !PyBool_Check(kept))
        return 0;
    *keepdims = kept == Py_True;
    return along == Py_None || read_axis(along, ndim, axis);
}

/* Return an array in the shape (outer, count, inner) around one of its axes. */
static Middle
middle_at(const Array *x, int axis)
{
    Middle of = {1, x->dims[axis], 1};
    for (int i = 0; i < x->ndim; i++) {
        if (i != axis)
            *(i < axis ? &of.outer : &of.inner) *= x->dims[i];
    }
    return of;
}

#define SEVERAL -2

/* Return the axis of a node's static arguments; -1 for all axes of its operand, and SEVERAL for some of them. */
static int
axis_of_node(PyObject *node, PyObject *data)
{
    static PyObject *name;
    PyObject *static_ = SLOT(node, at.static_);
    if (name == NULL && (name = PyUnicode_InternFromString("axis")) == NULL) {
        PyErr_Clear();
        return SEVERAL;
    }
    PyObject *axes = static_ == NULL || !PyDict_CheckExact(static_) ? NULL : PyDict_GetItem(static_, name);
    int axis = SEVERAL;
    if (axes == NULL || !PyTuple_CheckExact(axes))
        return SEVERAL;
    if (PyTuple_GET_SIZE(axes) == 1)
        read_axis(PyTuple_GET_ITEM(axes, 0), PyArray_NDIM((PyArrayObject *)data), &axis);
    else if (PyTuple_GET_SIZE(axes) == PyArray_NDIM((PyArrayObject *)data))
        axis = -1;
    return axis;
}

#endif
