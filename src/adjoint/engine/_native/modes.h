/* The modes of the current context: the C side of modes.py. */
#ifndef ADJOINT_MODES_H
#define ADJOINT_MODES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

enum { NOT_RECORDING = 1, ANOMALY = 2, READING = 4 };

/* How many `with` statements are active in the process. While there are none, no operation asks for its context. */
static Py_ssize_t active_switches;
static PyObject *modes_variable; /* a context variable: the flags as an int, then the switches that give them */

static int
modes_of_context(void)
{
    PyObject *state;
    int found = 0;
    if (PyContextVar_Get(modes_variable, NULL, &state) == 0 && state != NULL) {
        if (PyTuple_Check(state) && PyTuple_GET_SIZE(state) && PyLong_Check(PyTuple_GET_ITEM(state, 0)))
            found = (int)PyLong_AsLong(PyTuple_GET_ITEM(state, 0));
        Py_DECREF(state);
    }
    return found;
}

static inline int
modes(void)
{
    return active_switches == 0 ? 0 : modes_of_context();
}

static PyObject *
modes_get(PyObject *self, void *flag)
{
    int on = (modes() & (int)(intptr_t)flag) != 0;
    return PyBool_FromLong((intptr_t)flag == NOT_RECORDING ? !on : on);
}

static PyObject *
modes_are_plain(PyObject *self, void *unused)
{
    return PyBool_FromLong(!(modes() & (NOT_RECORDING | ANOMALY)));
}

static PyObject *
modes_get_variable(PyObject *self, void *unused)
{
    return Py_NewRef(modes_variable);
}

static PyObject *
modes_count(PyObject *self, PyObject *change)
{
    Py_ssize_t by = PyLong_AsSsize_t(change);
    if (by == -1 && PyErr_Occurred())
        return NULL;
    active_switches += by;
    Py_RETURN_NONE;
}

static PyGetSetDef modes_getset[] = {
    {"recording", modes_get, NULL, NULL, (void *)NOT_RECORDING},
    {"anomaly", modes_get, NULL, NULL, (void *)ANOMALY},
    {"reading", modes_get, NULL, NULL, (void *)READING},
    {"plain", modes_are_plain},
    {"variable", modes_get_variable},
    {NULL},
};

static PyMethodDef modes_methods[] = {
    {"count", modes_count, METH_O, "Change the number of active switches."},
    {NULL},
};

static PyType_Slot modes_slots[] = {{Py_tp_getset, modes_getset}, {Py_tp_methods, modes_methods}, {0, NULL}};
static PyType_Spec modes_spec = {"adjoint.engine._core.Modes", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT, modes_slots};

static int
make_modes_variable(void)
{
    PyObject *start = Py_BuildValue("(i)", 0);
    modes_variable = start == NULL ? NULL : PyContextVar_New("adjoint_modes", start);
    Py_XDECREF(start);
    return modes_variable == NULL ? -1 : 0;
}

#endif
