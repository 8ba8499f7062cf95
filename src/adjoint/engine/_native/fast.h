/* Python functions with a fast path in C, and the functions that pass gradients back through their nodes. */
#ifndef ADJOINT_FAST_H
#define ADJOINT_FAST_H

#include "arrays.h"

/* A Python function with a fast path for ordinary NumPy arrays. `run` returns NULL without an error to leave a
 * call to Python; `names` are those of the last arguments, or NULL. It works as a function and as a method. */
typedef struct Fast {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *(*run)(struct Fast *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names);
    PyObject *usual;  /* the Python function, for everything else */
    PyObject *rule;   /* the rule of the nodes that it makes */
    PyObject *static_; /* their static arguments, or lists of these, as `run` needs them */
    PyObject *back;   /* their _back */
    int index, reflected;
} Fast;

/* The _back of a node: back(gradient, node) returns the contribution to each operand. `run` computes
 * them in C: it stores new references, or NULL, in `found` and returns 1; 0 leaves it to Python; -1 is an error. The
 * caller holds the references to the gradient and to the tuple of operands. */
#define MOST_OPERANDS 8
typedef struct Back {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    int (*run)(struct Back *self, PyObject *gradient, PyObject *node, PyObject *operands, PyObject **found);
    PyObject *usual; /* the Python function, for everything else */
    int index;
} Back;

static PyTypeObject fast_type, back_type;

static PyObject *
fast_call(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names)
{
    Fast *fast = (Fast *)self;
    if (tensor_type != NULL && !(modes() & (NOT_RECORDING | ANOMALY | TRACING))) {
        PyObject *made = fast->run(fast, arguments, PyVectorcall_NARGS(flags), names);
        if (made != NULL || PyErr_Occurred())
            return made;
    }
    return PyObject_Vectorcall(fast->usual, arguments, flags, names);
}

/* Return a new reference to the operands of a node; NULL, without an error, if it was not initialized. */
static inline PyObject *
hold_operands(PyObject *node)
{
    PyObject *operands = SLOT(node, at.operands);
    return operands != NULL && PyTuple_Check(operands) ? Py_NewRef(operands) : NULL;
}

static PyObject *
back_call(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names)
{
    Back *back = (Back *)self;
    PyObject *found[MOST_OPERANDS] = {NULL};
    if (names != NULL || PyVectorcall_NARGS(flags) != 2)
        return PyErr_Format(PyExc_TypeError, "back takes a gradient and a node");
    PyObject *node = arguments[1], *operands = IS_TENSOR(node) ? hold_operands(node) : NULL;
    int fits = operands == NULL ? 0 : back->run(back, arguments[0], node, operands, found);
    Py_ssize_t count = operands == NULL ? 0 : PyTuple_GET_SIZE(operands);
    Py_XDECREF(operands);
    if (fits < 0)
        return NULL;
    if (!fits)
        return PyObject_Vectorcall(back->usual, arguments, 2, NULL);
    PyObject *all = PyTuple_New(count);
    for (Py_ssize_t i = 0; i < count; i++) {
        if (all != NULL)
            PyTuple_SET_ITEM(all, i, found[i] != NULL ? found[i] : Py_NewRef(Py_None));
        else
            Py_XDECREF(found[i]);
    }
    return all;
}

static PyObject *
fast_bind(PyObject *self, PyObject *object, PyObject *type)
{
    return object == NULL || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}

/* The name, documentation and signature come from the Python function. */
static PyObject *
fast_getattr(PyObject *self, PyObject *name)
{
    PyObject *found = PyObject_GenericGetAttr(self, name);
    if (found != NULL && PyUnicode_CompareWithASCIIString(name, "__doc__") != 0)
        return found;
    Py_XDECREF(found);
    PyErr_Clear();
    return PyObject_GetAttr(((Fast *)self)->usual, name);
}

static PyObject *
fast_reduce(PyObject *self, PyObject *unused)
{
    return PyObject_GetAttrString(((Fast *)self)->usual, "__qualname__"); /* pickled and copied by its name */
}

static void
fast_dealloc(PyObject *self)
{
    Fast *fast = (Fast *)self;
    Py_XDECREF(fast->usual);
    Py_XDECREF(fast->rule);
    Py_XDECREF(fast->static_);
    Py_XDECREF(fast->back);
    Py_TYPE(self)->tp_free(self);
}

static void
back_dealloc(PyObject *self)
{
    Py_XDECREF(((Back *)self)->usual);
    Py_TYPE(self)->tp_free(self);
}

static PyMethodDef fast_methods[] = {{"__reduce__", fast_reduce, METH_NOARGS}, {NULL}};
static PyMemberDef fast_members[] = {{"__wrapped__", T_OBJECT, offsetof(Fast, usual), READONLY}, {NULL}};
static PyMemberDef back_members[] = {{"__wrapped__", T_OBJECT, offsetof(Back, usual), READONLY}, {NULL}};

static PyTypeObject fast_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "adjoint.engine._core.Fast",
    .tp_basicsize = sizeof(Fast),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_vectorcall_offset = offsetof(Fast, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_descr_get = fast_bind,
    .tp_getattro = fast_getattr,
    .tp_methods = fast_methods,
    .tp_members = fast_members,
    .tp_dealloc = fast_dealloc,
};

static PyTypeObject back_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "adjoint.engine._core.Back",
    .tp_basicsize = sizeof(Back),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(Back, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_members = back_members,
    .tp_dealloc = back_dealloc,
};

static PyObject *
new_back(int (*run)(Back *, PyObject *, PyObject *, PyObject *, PyObject **), int index, PyObject *usual)
{
    Back *back = PyObject_New(Back, &back_type);
    if (back != NULL) {
        back->vectorcall = back_call;
        back->run = run;
        back->index = index;
        back->usual = Py_NewRef(usual);
    }
    return (PyObject *)back;
}

/* Steal the reference to `back`, which may be NULL after an error. */
static PyObject *
new_fast(PyObject *(*run)(Fast *, PyObject *const *, Py_ssize_t, PyObject *), PyObject *usual, PyObject *rule,
         PyObject *static_, PyObject *back, int index, int reflected)
{
    Fast *fast = back == NULL ? NULL : PyObject_New(Fast, &fast_type);
    if (fast == NULL) {
        Py_XDECREF(back);
        return NULL;
    }
    fast->vectorcall = fast_call;
    fast->run = run;
    fast->usual = Py_NewRef(usual);
    fast->rule = Py_NewRef(rule);
    fast->static_ = Py_NewRef(static_);
    fast->back = back;
    fast->index = index;
    fast->reflected = reflected;
    return (PyObject *)fast;
}

#endif
