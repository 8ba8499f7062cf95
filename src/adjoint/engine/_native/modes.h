/* The modes of the current context: the C side of modes.py. */
#ifndef ADJOINT_MODES_H
#define ADJOINT_MODES_H

#include "compiler.h"

#include <stdint.h>
#include <structmember.h>

/* While TRACING, a mode does what Values do in place of the engine: see takeover.py. It is a tape that records. */
enum { NOT_RECORDING = 1, ANOMALY = 2, READING = 4, DIFFERENTIATING = 8, TRACING = 16, BFLOAT16 = 32, FLOAT16 = 64 };

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
    return PyBool_FromLong(!(modes() & (NOT_RECORDING | ANOMALY | TRACING)));
}

/* How many switches of the process are active. */
static PyObject *
modes_get_active(PyObject *self, void *unused)
{
    return PyLong_FromSsize_t(active_switches);
}

/* Return the name of the dtype that products cast their operands to, or None. */
static PyObject *
modes_get_precision(PyObject *self, void *unused)
{
    int flags = modes();
    if (!(flags & (BFLOAT16 | FLOAT16)))
        Py_RETURN_NONE;
    return PyUnicode_InternFromString(flags & BFLOAT16 ? "bfloat16" : "float16");
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

/* Return the switch that was entered last of those that set TRACING, or None. */
static PyObject *modes_get_takeover(PyObject *self, void *unused);

static PyGetSetDef modes_getset[] = {
    {"recording", modes_get, NULL, NULL, (void *)NOT_RECORDING},
    {"anomaly", modes_get, NULL, NULL, (void *)ANOMALY},
    {"reading", modes_get, NULL, NULL, (void *)READING},
    {"differentiating", modes_get, NULL, NULL, (void *)DIFFERENTIATING},
    {"takeover", modes_get_takeover},
    {"plain", modes_are_plain},
    {"active", modes_get_active},
    {"precision", modes_get_precision},
    {"variable", modes_get_variable},
    {NULL},
};

static PyMethodDef modes_methods[] = {
    {"count", modes_count, METH_O, "Change the number of active switches."},
    {NULL},
};

EXTENSION static PyType_Slot modes_slots[] = {{Py_tp_getset, modes_getset}, {Py_tp_methods, modes_methods}, {0, NULL}};
static PyType_Spec modes_spec = {"adjoint.engine._core.Modes", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT, modes_slots};

/* --- switches ------------------------------------------------------------------------------------------- */

/* The base class of Switch in modes.py. Entering and leaving are in C, so that no signal handler runs within: Ctrl-C leaves
 * a mode as it was before the `with` statement. */
typedef struct {
    PyObject_HEAD
    int clears, sets; /* flags */
} Switch;

static PyTypeObject *switch_type;

static PyObject *
modes_get_takeover(PyObject *self, void *unused)
{
    PyObject *state, *found = Py_None;
    if (!(modes() & TRACING))
        Py_RETURN_NONE;
    if (PyContextVar_Get(modes_variable, NULL, &state) < 0)
        return NULL;
    for (Py_ssize_t i = PyTuple_GET_SIZE(state) - 1; i > 0 && found == Py_None; i--) {
        PyObject *entered = PyTuple_GET_ITEM(state, i);
        if (PyObject_TypeCheck(entered, switch_type) && ((Switch *)entered)->sets & TRACING)
            found = entered;
    }
    Py_INCREF(found);
    Py_DECREF(state);
    return found;
}

static int
flags_after(PyObject *object, int flags)
{
    if (!PyObject_TypeCheck(object, switch_type))
        return flags;
    Switch *entered = (Switch *)object;
    return (flags & ~entered->clears) | entered->sets;
}

/* Set the switches of the context to those of `state` without the one at `left`, and with `added`, which may be NULL. */
static int
set_switches(PyObject *state, Py_ssize_t left, PyObject *added)
{
    Py_ssize_t count = PyTuple_GET_SIZE(state), size = count - (left > 0) + (added != NULL), to = 1;
    PyObject *made = PyTuple_New(size), *token = NULL;
    int flags = 0;
    for (Py_ssize_t i = 1; made != NULL && i < count + (added != NULL); i++) {
        PyObject *entered = i < count ? PyTuple_GET_ITEM(state, i) : added;
        if (i == left)
            continue;
        flags = flags_after(entered, flags);
        PyTuple_SET_ITEM(made, to++, Py_NewRef(entered));
    }
    PyObject *number = made == NULL ? NULL : PyLong_FromLong(flags);
    if (number != NULL) {
        PyTuple_SET_ITEM(made, 0, number);
        token = PyContextVar_Set(modes_variable, made);
    }
    Py_XDECREF(made);
    Py_XDECREF(token);
    return token == NULL ? -1 : 0;
}

static PyObject *
switch_enter(PyObject *self, PyObject *unused)
{
    PyObject *state;
    if (PyContextVar_Get(modes_variable, NULL, &state) < 0)
        return NULL;
    int failed = set_switches(state, 0, self);
    Py_DECREF(state);
    if (failed)
        return NULL;
    active_switches++;
    Py_RETURN_NONE;
}

static PyObject *
switch_exit(PyObject *self, PyObject *unused)
{
    PyObject *state;
    if (PyContextVar_Get(modes_variable, NULL, &state) < 0)
        return NULL;
    Py_ssize_t last = PyTuple_GET_SIZE(state) - 1;
    while (last > 0 && PyTuple_GET_ITEM(state, last) != self)
        last--;
    int failed = last > 0 ? set_switches(state, last, NULL) : 0; /* not there if it was entered in another context */
    Py_DECREF(state);
    active_switches--;
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef switch_methods[] = {
    {"__enter__", switch_enter, METH_NOARGS},
    {"__exit__", switch_exit, METH_VARARGS},
    {NULL},
};
static PyMemberDef switch_members[] = {
    {"_clears", T_INT, offsetof(Switch, clears), 0},
    {"_sets", T_INT, offsetof(Switch, sets), 0},
    {NULL},
};
EXTENSION static PyType_Slot switch_slots[] = {{Py_tp_methods, switch_methods}, {Py_tp_members, switch_members}, {0, NULL}};
static PyType_Spec switch_spec = {
    "adjoint.engine._core.Switch", sizeof(Switch), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, switch_slots,
};

static int
make_modes_variable(void)
{
    PyObject *start = Py_BuildValue("(i)", 0);
    modes_variable = start == NULL ? NULL : PyContextVar_New("adjoint_modes", start);
    Py_XDECREF(start);
    return modes_variable == NULL ? -1 : 0;
}

#endif
