/* Whether containers hold what they held before: compile/fast/contents.py is the same in Python. */
#ifndef ADJOINT_CONTENTS_H
#define ADJOINT_CONTENTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Return whether an item is the same object as before, or an equal number, string or tuple of them of the same type. */
static int
is_same_item(PyObject *now, PyObject *before)
{
    if (now == before)
        return 1;
    if (Py_TYPE(now) != Py_TYPE(before))
        return 0;
    if (PyFloat_CheckExact(now)) {
        double x = PyFloat_AS_DOUBLE(now), z = PyFloat_AS_DOUBLE(before);
        return memcmp(&x, &z, sizeof(double)) == 0;
    }
    if (PyTuple_CheckExact(now)) {
        int same = PyTuple_GET_SIZE(now) == PyTuple_GET_SIZE(before);
        if (Py_EnterRecursiveCall(" in a comparison of tuples"))
            return -1;
        for (Py_ssize_t i = 0; same == 1 && i < PyTuple_GET_SIZE(now); i++)
            same = is_same_item(PyTuple_GET_ITEM(now, i), PyTuple_GET_ITEM(before, i));
        Py_LeaveRecursiveCall();
        return same;
    }
    if (PyLong_CheckExact(now) || PyUnicode_CheckExact(now) || PyBytes_CheckExact(now))
        return PyObject_RichCompareBool(now, before, Py_EQ);
    return 0;
}

static int
is_same_content(PyObject *now, PyObject *before)
{
    int same = 0;
    if (PyList_Check(now) && PyList_Check(before)) {
        same = PyList_GET_SIZE(now) == PyList_GET_SIZE(before);
        for (Py_ssize_t i = 0; same == 1 && i < PyList_GET_SIZE(before) && i < PyList_GET_SIZE(now); i++)
            same = is_same_item(PyList_GET_ITEM(now, i), PyList_GET_ITEM(before, i));
    } else if (PyDict_Check(now) && PyDict_Check(before)) {
        Py_ssize_t at = 0, place = 0;
        PyObject *key, *item, *key_before, *item_before;
        same = PyDict_GET_SIZE(now) == PyDict_GET_SIZE(before);
        while (same == 1 && PyDict_Next(now, &at, &key, &item)) {
            same = PyDict_Next(before, &place, &key_before, &item_before) ? is_same_item(key, key_before) : 0;
            if (same == 1)
                same = is_same_item(item, item_before);
        }
    }
    return same;
}

/* same_contents(pairs): return whether each container holds what the copy of it in the pair holds, in the same order. */
static PyObject *
same_contents(PyObject *module, PyObject *pairs)
{
    if (!PyList_Check(pairs))
        return PyErr_Format(PyExc_TypeError, "same_contents takes a list of pairs");
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(pairs); i++) {
        PyObject *pair = PyList_GET_ITEM(pairs, i);
        if (!PyTuple_CheckExact(pair) || PyTuple_GET_SIZE(pair) != 2)
            return PyErr_Format(PyExc_TypeError, "same_contents takes a list of pairs");
        int same = is_same_content(PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1));
        if (same < 0)
            return NULL;
        if (!same)
            Py_RETURN_FALSE;
    }
    Py_RETURN_TRUE;
}

#endif
