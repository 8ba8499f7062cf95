/* softmax(x) and log_softmax(x) along the last axis, as nodes. */
#ifndef ADJOINT_SOFTMAX_NODES_H
#define ADJOINT_SOFTMAX_NODES_H

#include "calls.h"
#include "softmax.h"

enum { SOFTMAX, LOG_SOFTMAX };

/* Return None, which a function of softmax.h gives for arrays that are not ordinary, as NULL. */
static PyObject *
or_null(PyObject *result)
{
    if (result == Py_None)
        Py_CLEAR(result);
    return result;
}

/* self->static_ has the static arguments by the number of axes. */
static PyObject *
apply_softmax(Fast *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    Py_ssize_t used = 1;
    int axis = 0;
    if (count < 1 || !IS_TENSOR(arguments[0]))
        return NULL;
    PyObject *along = argument(arguments, count, names, 1, "axis", NULL, &used), *result = NULL;
    if (used != count + count_names(names))
        return NULL;
    long long when = ++now;
    PyObject *data = hold_data(arguments[0]);
    int ndim = data != NULL && PyArray_CheckExact(data) ? PyArray_NDIM((PyArrayObject *)data) : 0;
    if (ndim && ndim < PyList_GET_SIZE(self->static_)
        && (along == NULL || (read_axis(along, ndim, &axis) && axis == ndim - 1)))
        result = or_null(self->index == SOFTMAX ? softmax_of_array(NULL, data) : log_softmax_of_array(NULL, data));
    Py_XDECREF(data);
    if (result == NULL)
        return NULL;
    PyObject *static_ = PyList_GET_ITEM(self->static_, ndim);
    return new_tensor(when, result, self->rule, PyTuple_Pack(1, arguments[0]), static_, self->back);
}

static int
softmax_node_back(Back *self, PyObject *gradient, PyObject *node, PyObject *operands, PyObject **found)
{
    PyObject *result = Py_XNewRef(SLOT(node, at.data));
    if (result != NULL && PyArray_CheckExact(result) && PyArray_CheckExact(gradient)
        && axis_of_node(node, result) == PyArray_NDIM((PyArrayObject *)result) - 1) {
        PyObject *rows = PyArray_FROM_OF(gradient, NPY_ARRAY_C_CONTIGUOUS), *given[] = {rows, result};
        if (rows != NULL)
            found[0] = or_null((self->index == SOFTMAX ? softmax_back_of_arrays : log_softmax_back_of_arrays)(NULL, given, 2));
        Py_XDECREF(rows);
    }
    Py_XDECREF(result);
    return found[0] != NULL ? 1 : PyErr_Occurred() ? -1 : 0;
}

/* softmax_node(is_log, usual, rule, static, back): return a function with a fast path along the last axis. */
static PyObject *
make_softmax(PyObject *module, PyObject *arguments)
{
    int is_log;
    PyObject *usual, *rule, *static_, *back;
    if (!PyArg_ParseTuple(arguments, "pOOO!O:softmax_node", &is_log, &usual, &rule, &PyList_Type, &static_, &back))
        return NULL;
    int kind = is_log ? LOG_SOFTMAX : SOFTMAX;
    return new_fast(apply_softmax, usual, rule, static_, new_back(softmax_node_back, kind, back), kind, 0);
}

#endif
