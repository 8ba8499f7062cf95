/* Errors of recording. tape.py has their classes and texts. */
#ifndef ADJOINT_TRACE_ERRORS_H
#define ADJOINT_TRACE_ERRORS_H

#include "compiler.h"

enum { LEAKED, LIMIT };
static PyObject *trace_errors[2]; /* functions that return the exceptions; accelerate_tape() sets them */

/* Raise the error for a number that was kept after its recording, or for a tape that is too long. Return -1. */
RARE static int
raise_trace_error(int which)
{
    PyObject *error = trace_errors[which] == NULL ? NULL : PyObject_CallNoArgs(trace_errors[which]);
    if (error != NULL)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    else if (!PyErr_Occurred())
        PyErr_SetString(PyExc_RuntimeError, "import adjoint.compile.numbers.tape before recording");
    Py_XDECREF(error);
    return -1;
}

/* Raise the error for a number that meets an array: the function must be compiled for arrays. Return -1. */
RARE static int
raise_arrays_needed(void)
{
    PyObject *module = PyImport_ImportModule("adjoint.compile.numbers.traced");
    PyObject *error = module == NULL ? NULL : PyObject_CallMethod(module, "trace_error", "s", "arrays");
    if (error != NULL)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
    Py_XDECREF(module);
    return -1;
}

#endif
