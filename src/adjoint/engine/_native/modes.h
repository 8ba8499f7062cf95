/* The modes of a thread: the C side of modes.py. */
#ifndef ADJOINT_MODES_H
#define ADJOINT_MODES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

enum { NOT_RECORDING = 1, ANOMALY = 2, READING = 4 };

#if defined(__GNUC__) && defined(__linux__)
static _Thread_local int modes __attribute__((tls_model("initial-exec")));
#else
static _Thread_local int modes;
#endif

static PyObject *
modes_get(PyObject *self, void *flag)
{
    int on = (modes & (int)(intptr_t)flag) != 0;
    return PyBool_FromLong((intptr_t)flag == NOT_RECORDING ? !on : on);
}

static int
modes_set(PyObject *self, PyObject *to, void *flag)
{
    int on = to == NULL ? -1 : PyObject_IsTrue(to);
    if (on < 0) {
        if (to == NULL)
            PyErr_SetString(PyExc_AttributeError, "a mode cannot be deleted");
        return -1;
    }
    if ((intptr_t)flag == NOT_RECORDING)
        on = !on;
    modes = on ? modes | (int)(intptr_t)flag : modes & ~(int)(intptr_t)flag;
    return 0;
}

static PyObject *
modes_are_plain(PyObject *self, void *unused)
{
    return PyBool_FromLong(!(modes & (NOT_RECORDING | ANOMALY)));
}

static PyGetSetDef modes_getset[] = {
    {"recording", modes_get, modes_set, NULL, (void *)NOT_RECORDING},
    {"anomaly", modes_get, modes_set, NULL, (void *)ANOMALY},
    {"reading", modes_get, modes_set, NULL, (void *)READING},
    {"plain", modes_are_plain},
    {NULL},
};

static PyType_Slot modes_slots[] = {{Py_tp_getset, modes_getset}, {0, NULL}};
static PyType_Spec modes_spec = {"adjoint.engine._core.Modes", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT, modes_slots};

#endif
