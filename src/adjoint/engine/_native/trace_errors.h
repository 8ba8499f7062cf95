/* Errors of recording; tape.py has their classes and texts. */
#ifndef ADJOINT_TRACE_ERRORS_H
#define ADJOINT_TRACE_ERRORS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Raise the TraceError for code that needs something which is not known while recording. Return -1. */
static int __attribute__((noinline, cold))
raise_trace_error(const char *need)
{
    if (PyErr_Occurred())
        return -1;
    PyObject *module = PyImport_ImportModule("adjoint.engine.tape");
    PyObject *error = module == NULL ? NULL : PyObject_CallMethod(module, "trace_error", "s", need);
    if (error != NULL)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
    Py_XDECREF(module);
    return -1;
}

#endif
