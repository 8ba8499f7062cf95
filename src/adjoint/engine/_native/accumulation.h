/* backward() of an array, and the assignment of data, in the common cases. backward_pass.py and tensor.py have them all. */
#ifndef ADJOINT_ACCUMULATION_H
#define ADJOINT_ACCUMULATION_H

#include "calls.h"
#include "pull.h"

static Py_ssize_t reserved_gradients; /* how many threads add to gradients in Python: see `reserved` in locks.py */

/* --- the gradients of leaves ------------------------------------------------------------------- */

/* the flags of a leaf that mean nothing to the pass */
#define ORDINARY_FLAGS (TRACKED | SPENT | GRAD_READ | GRAD_REPLACED | ASSIGNED | PASSED | DOUBTFUL)

/* Compute the new gradient of each leaf. Return 0 if Python must do it, with *made of them in `sums`. No other thread runs
 * after the gradients were read: sums of long arrays, which would let one run, are left to Python. */
static int
add_totals(PyObject *received, PyObject **sums, Py_ssize_t *made)
{
    PyObject *leaf, *total;
    for (Py_ssize_t place = 0; PyDict_Next(received, &place, &leaf, &total); ++*made) {
        if (!IS_TENSOR(leaf) || ((Value *)leaf)->flags & ~ORDINARY_FLAGS)
            return 0;
        if (SLOT(leaf, at.grad) == Py_None && !is_scalar(total) && !PyArray_CheckExact(total))
            return 0;
        sums[*made] = SLOT(leaf, at.grad) == Py_None ? own_total(total) : Py_NewRef(total);
        if (sums[*made] == NULL)
            return 0;
    }
    if (reserved_gradients > 0)
        return 0;
    for (Py_ssize_t place = 0, i = 0; PyDict_Next(received, &place, &leaf, &total); i++) {
        PyObject *before = SLOT(leaf, at.grad);
        if (before == NULL || (before == Py_None && sums[i] == total && !is_scalar(total) && Py_REFCNT(total) > 2))
            return 0; /* another thread has set it to zero meanwhile */
        if (before == Py_None)
            continue;
        if (PyArray_CheckExact(before) && PyArray_SIZE((PyArrayObject *)before) >= LONG)
            return 0;
        PyObject *sum = is_scalar(before) || PyArray_CheckExact(before) ? add_arrays(before, sums[i], 0) : NULL;
        if (sum == NULL)
            return 0;
        Py_SETREF(sums[i], sum);
    }
    return 1;
}

/* Add what the leaves received to their gradients. Return 1; 0, with nothing changed, leaves it to Python; -1 is an error. */
static int
add_to_leaves(PyObject *received)
{
    PyObject *leaf, *total;
    Py_ssize_t count = PyDict_GET_SIZE(received), made = 0;
    PyObject **sums = PyMem_Calloc((size_t)count + 1, sizeof(PyObject *));
    if (sums == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    int done = add_totals(received, sums, &made);
    for (Py_ssize_t place = 0, i = 0; done && PyDict_Next(received, &place, &leaf, &total); i++) {
        PyObject *before = SLOT(leaf, at.grad);
        SLOT(leaf, at.grad) = sums[i];
        sums[i] = before;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        Py_XDECREF(sums[i]);
    PyMem_Free(sums);
    return done ? 1 : PyErr_Occurred() ? -1 : 0;
}

/* --- backward() -------------------------------------------------------------------------------- */

/* What backward() needs of backward_pass.py, in the order in which it is given. */
enum { CLOCK, CONTRIBUTIONS, REQUIRE_UNCHANGED, FREED_BACK, NOT_KEPT, OBSERVER, HOOKS, QUIET, FINISH, NEEDED };

static struct {
    PyTypeObject *type; /* the class NotKept */
    Py_ssize_t root, gradient, is_hooked;
} not_kept;

/* Return a new NotKept of a pass. */
static PyObject *
new_not_kept(PyObject *root, PyObject *gradient)
{
    PyObject *reference = PyWeakref_NewRef(root, NULL);
    PyObject *made = reference == NULL ? NULL : not_kept.type->tp_alloc(not_kept.type, 0);
    if (made == NULL) {
        Py_XDECREF(reference);
        return NULL;
    }
    SLOT(made, not_kept.root) = reference;
    SLOT(made, not_kept.gradient) = Py_NewRef(gradient);
    SLOT(made, not_kept.is_hooked) = Py_NewRef(Py_False);
    return made;
}

/* Return the gradient of the root as a new reference: one for a number, or a copy of the array that is given. Return NULL
 * without an error to leave it to Python. */
static PyObject *
seed_of(PyObject *data, PyObject *given)
{
    char *one;
    if (given == NULL || given == Py_None) {
        if (data == NULL || !is_scalar(data))
            return NULL;
        int type = Py_IS_TYPE(data, &PyDoubleArrType_Type) ? DOUBLE : FLOAT;
        if (!isfinite(type == DOUBLE ? PyArrayScalar_VAL(data, Double) : PyArrayScalar_VAL(data, Float)))
            return NULL; /* Python names the operation */
        PyObject *seed = new_array(type, 0, NULL, &one);
        if (seed != NULL)
            store_number(one, type, 1.0);
        return seed;
    }
    if (data == NULL || !PyArray_CheckExact(data) || !PyArray_CheckExact(given)
        || PyArray_DESCR((PyArrayObject *)data) != PyArray_DESCR((PyArrayObject *)given)
        || !PyArray_SAMESHAPE((PyArrayObject *)data, (PyArrayObject *)given))
        return NULL;
    return PyArray_NewCopy((PyArrayObject *)given, NPY_KEEPORDER);
}

/* Return whether an attribute is there and not true. */
static int
is_off(PyObject *object, const char *name)
{
    PyObject *found = PyObject_GetAttrString(object, name);
    int is_true = found == NULL ? -1 : PyObject_IsTrue(found);
    Py_XDECREF(found);
    return is_true == 0;
}

/* Return whether nothing unusual takes part in a pass: no observer of jit, no hook, no guard that is off by default, and no
 * data that was assigned since an earlier pass through a graph that was kept. */
static int
is_plain_pass(PyObject *const *needed, PyObject *root, int retain_graph)
{
    PyObject *operands = SLOT(root, at.operands), *serial = SLOT(root, at.serial), *back = SLOT(root, at.back);
    if (operands == NULL || !PyTuple_Check(operands) || PyTuple_GET_SIZE(operands) == 0 || serial == NULL
        || !PyLong_Check(serial) || back == NULL || back == needed[FREED_BACK] || SLOT(root, at.grad) == NULL)
        return 0;
    if (((Value *)root)->flags & ~(ORDINARY_FLAGS | GRAD_USED) || PySet_GET_SIZE(switched_on))
        return 0;
    if (retain_graph && SLOT(root, at.grad) != Py_None
        && ((Assigned *)needed[CLOCK])->last > PyLong_AsLongLong(serial))
        return 0;
    return is_off(needed[OBSERVER], "before_backward") && is_off(needed[HOOKS], "registered");
}

static PyObject *
backward_of_array(Fast *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *const *needed = &PyTuple_GET_ITEM(self->static_, 0);
    Py_ssize_t used = 1;
    if (count < 1 || !IS_TENSOR(arguments[0]))
        return NULL;
    PyObject *root = arguments[0], *given = argument(arguments, count, names, 1, "gradient", NULL, &used);
    PyObject *retain = argument(arguments, count, names, NPY_MAXDIMS, "retain_graph", Py_True, &used);
    if (used != count + count_names(names) || !PyBool_Check(retain) || !is_plain_pass(needed, root, retain == Py_True))
        return NULL;
    PyObject *data = Py_XNewRef(SLOT(root, at.data)), *seed = seed_of(data, given);
    PyObject *mark = seed == NULL ? NULL : new_not_kept(root, seed), *received = NULL;
    Py_XDECREF(data);
    if (mark != NULL) {
        Pass walk = {root, needed[CONTRIBUTIONS], needed[REQUIRE_UNCHANGED], needed[FREED_BACK], mark, needed[QUIET], NULL,
                     (const Assigned *)needed[CLOCK], retain == Py_True};
        received = run_pass(&walk, seed);
    }
    Py_XDECREF(seed);
    Py_XDECREF(mark);
    if (received == NULL)
        return NULL;
    int done = add_to_leaves(received);
    PyObject *none = done < 0 ? NULL : Py_NewRef(Py_None);
    if (done == 0)
        Py_SETREF(none, PyObject_CallFunctionObjArgs(needed[FINISH], root, received, retain, NULL));
    Py_DECREF(received);
    return none;
}

/* backward(usual, needed): return the method backward() of arrays, with a fast path. */
static PyObject *
make_backward(PyObject *module, PyObject *arguments)
{
    PyObject *usual, *needed;
    if (!PyArg_ParseTuple(arguments, "OO!:backward", &usual, &PyTuple_Type, &needed))
        return NULL;
    if (PyTuple_GET_SIZE(needed) != NEEDED || !PyObject_TypeCheck(PyTuple_GET_ITEM(needed, CLOCK), assigned_type)
        || !PyType_Check(PyTuple_GET_ITEM(needed, NOT_KEPT)))
        return PyErr_Format(PyExc_TypeError, "backward takes the parts of backward_pass.py");
    PyTypeObject *type = (PyTypeObject *)PyTuple_GET_ITEM(needed, NOT_KEPT);
    if (slot_offset(type, "root", &not_kept.root) < 0 || slot_offset(type, "gradient", &not_kept.gradient) < 0
        || slot_offset(type, "is_hooked", &not_kept.is_hooked) < 0)
        return NULL;
    not_kept.type = (PyTypeObject *)Py_NewRef((PyObject *)type);
    return new_fast(backward_of_array, usual, Py_None, needed, Py_NewRef(Py_None), 0, 0);
}

/* --- data = array ------------------------------------------------------------------------------ */

/* Assign a copy of an array of the same shape and type. */
static PyObject *
assign_array(Fast *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    if (names != NULL || count != 2 || !IS_TENSOR(arguments[0]) || !PyArray_CheckExact(arguments[1]))
        return NULL;
    PyObject *own = SLOT(arguments[0], at.data);
    PyArrayObject *given = (PyArrayObject *)arguments[1];
    if (own == NULL || own == arguments[1] || !PyArray_CheckExact(own) || ((Value *)arguments[0])->flags & DOUBTFUL
        || PyArray_DESCR((PyArrayObject *)own) != PyArray_DESCR(given)
        || !PyArray_SAMESHAPE((PyArrayObject *)own, given))
        return NULL;
    PyObject *copy = PyArray_NewCopy(given, NPY_KEEPORDER), *pair[] = {arguments[0], copy};
    PyObject *none = copy == NULL ? NULL : replace_data(self->static_, pair, 2);
    Py_XDECREF(copy);
    Value *node = (Value *)arguments[0];
    if (none != NULL && node->flags & GRAD_READ) {
        PyObject *grad = SLOT(node, at.grad), *operands = SLOT(node, at.operands);
        int is_used = grad != Py_None && operands != NULL && PyTuple_Check(operands) && PyTuple_GET_SIZE(operands) == 0;
        node->flags = (uint16_t)((node->flags & ~(GRAD_READ | GRAD_USED)) | (is_used ? GRAD_USED : 0));
    }
    return none;
}

/* assignment(usual, assigned): return the setter of the data of arrays, with a fast path. */
static PyObject *
make_assignment(PyObject *module, PyObject *arguments)
{
    PyObject *usual, *assigned;
    if (!PyArg_ParseTuple(arguments, "OO!:assignment", &usual, assigned_type, &assigned))
        return NULL;
    return new_fast(assign_array, usual, Py_None, assigned, Py_NewRef(Py_None), 0, 0);
}

#endif
