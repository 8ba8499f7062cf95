/* NumPy arrays and the nodes that hold them: reading an array, allocating one, and making a Tensor from it.
 *
 * NumPy is loaded with the first array, not with the core: nothing here is used before start_arrays() is called.
 * The Python side handles arrays that are not ordinary (another dtype, strides, a subclass).
 */
#ifndef ADJOINT_ARRAYS_H
#define ADJOINT_ARRAYS_H

#include "modes.h"
#include "node.h"
#include "python_side.h"

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <structmember.h>

static PyTypeObject *tensor_type; /* the Python class Tensor */
static struct {
    Py_ssize_t data, grad, operands, rule, static_, back, serial;
} at; /* the offsets of its slots */

#define SLOT(node, offset) (*(PyObject **)((char *)(node) + (offset)))
#define IS_TENSOR(object) Py_IS_TYPE(object, tensor_type)

static int
slot_offset(const char *name, Py_ssize_t *offset)
{
    PyObject *member = PyObject_GetAttrString((PyObject *)tensor_type, name);
    if (member == NULL)
        return -1;
    int is_slot = Py_IS_TYPE(member, &PyMemberDescr_Type);
    if (is_slot)
        *offset = ((PyMemberDescrObject *)member)->d_member->offset;
    else
        PyErr_Format(PyExc_TypeError, "start_arrays: %s is not a slot", name);
    Py_DECREF(member);
    return is_slot ? 0 : -1;
}

/* start_arrays(Tensor): prepare the core for arrays in Values of this class. */
static PyObject *
start_arrays(PyObject *module, PyObject *type)
{
    if (!PyType_Check(type) || !PyType_IsSubtype((PyTypeObject *)type, value_type))
        return PyErr_Format(PyExc_TypeError, "start_arrays takes the class of Values that hold arrays");
    if (PyArray_ImportNumPyAPI() < 0)
        return NULL;
    tensor_type = (PyTypeObject *)Py_NewRef(type);
    if (slot_offset("_data", &at.data) < 0 || slot_offset("_grad", &at.grad) < 0
        || slot_offset("_operands", &at.operands) < 0 || slot_offset("_rule", &at.rule) < 0
        || slot_offset("_static", &at.static_) < 0 || slot_offset("_back", &at.back) < 0
        || slot_offset("_serial", &at.serial) < 0) {
        tensor_type = NULL;
        return NULL;
    }
    Py_RETURN_NONE;
}

/* --- serial numbers ---------------------------------------------------------------------------- */

static long long now; /* counts the nodes that hold arrays, and the assignments to their data */

static PyObject *
tick(PyObject *module, PyObject *unused)
{
    return PyLong_FromLongLong(++now);
}

/* The base class of `assigned` in assignments.py: when the data of any array was last assigned. */
typedef struct {
    PyObject_HEAD
    long long last;
} Assigned;

static PyTypeObject *assigned_type;

/* replace(node, data): assign the data of an array and note the time, in one step for other threads: a node made before
 * it is older than the assignment, and a node made after it reads the new data. */
static PyObject *
replace_data(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 2 || tensor_type == NULL || !PyObject_TypeCheck(arguments[0], tensor_type))
        return PyErr_Format(PyExc_TypeError, "replace takes a Tensor and its new data");
    PyObject *node = arguments[0], *later = PyLong_FromLongLong(LLONG_MAX);
    /* this may allocate, and so run the garbage collector and other threads; assigning the attribute again does not */
    int failed = later == NULL || PyObject_SetAttr(node, string_changed, later) < 0;
    Py_XDECREF(later);
    PyObject *when = failed ? NULL : PyLong_FromLongLong(++now);
    if (when == NULL || PyDict_SetItem(((Value *)node)->attributes, string_changed, when) < 0) {
        Py_XDECREF(when);
        return NULL;
    }
    PyObject *before = SLOT(node, at.data);
    SLOT(node, at.data) = Py_NewRef(arguments[1]);
    ((Assigned *)self)->last = now;
    Py_DECREF(when);
    Py_XDECREF(before);
    Py_RETURN_NONE;
}

/* settle(node): remove the mark of an assignment that ran out of memory. */
static PyObject *
settle_data(PyObject *self, PyObject *node)
{
    PyObject *when = PyLong_FromLongLong(++now);
    int failed = when == NULL || PyObject_SetAttr(node, string_changed, when) < 0;
    Py_XDECREF(when);
    return failed ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef assigned_methods[] = {
    {"replace", (PyCFunction)(void *)replace_data, METH_FASTCALL, "Assign the data of an array and note the time."},
    {"settle", settle_data, METH_O, "Remove the mark of an assignment that ran out of memory."},
    {NULL},
};
static PyMemberDef assigned_members[] = {{"last", T_LONGLONG, offsetof(Assigned, last), 0}, {NULL}};
static PyType_Slot assigned_slots[] = {{Py_tp_methods, assigned_methods}, {Py_tp_members, assigned_members}, {0, NULL}};
static PyType_Spec assigned_spec = {
    "adjoint.engine._core.Assigned", sizeof(Assigned), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, assigned_slots,
};

/* --- reading ----------------------------------------------------------------------------------- */

enum { DOUBLE, FLOAT, WEAK }; /* WEAK: a Python number, which takes the type of the other operand */

typedef struct {
    const char *data;
    npy_intp count;
    const npy_intp *dims;
    int ndim;
    int step; /* 1, or 0 if one element is repeated */
    int type;
} Array;

/* Read a contiguous array, an array broadcast from a single number, or a number. Return
 * whether `object` is one of these; the result borrows its memory. */
static inline int
read_array(PyObject *object, Array *array)
{
    array->count = array->step = 1;
    array->ndim = 0;
    array->dims = NULL;
    if (PyArray_CheckExact(object)) {
        PyArrayObject *given = (PyArrayObject *)object;
        int number = PyArray_DESCR(given)->type_num;
        if ((number != NPY_DOUBLE && number != NPY_FLOAT) || !PyArray_ISBEHAVED_RO(given))
            return 0;
        array->type = number == NPY_DOUBLE ? DOUBLE : FLOAT;
        array->data = PyArray_BYTES(given);
        array->ndim = PyArray_NDIM(given);
        array->dims = PyArray_DIMS(given);
        array->count = PyArray_SIZE(given);
        if (!PyArray_IS_C_CONTIGUOUS(given)) {
            for (int i = 0; i < array->ndim; i++) {
                if (PyArray_STRIDE(given, i) != 0 && PyArray_DIM(given, i) != 1)
                    return 0;
            }
            array->step = 0;
        }
        return 1;
    }
    if (Py_IS_TYPE(object, &PyDoubleArrType_Type)) {
        array->type = DOUBLE;
        array->data = (const char *)&PyArrayScalar_VAL(object, Double);
        return 1;
    }
    if (Py_IS_TYPE(object, &PyFloatArrType_Type)) {
        array->type = FLOAT;
        array->data = (const char *)&PyArrayScalar_VAL(object, Float);
        return 1;
    }
    if (PyFloat_CheckExact(object)) {
        array->type = WEAK;
        array->data = (const char *)&((PyFloatObject *)object)->ob_fval;
        return 1;
    }
    return 0;
}

static inline int
same_shape(const Array *a, const Array *b)
{
    if (a->ndim != b->ndim)
        return 0;
    for (int i = 0; i < a->ndim; i++) {
        if (a->dims[i] != b->dims[i])
            return 0;
    }
    return 1;
}

/* Return whether an array owns its memory and has one reference, so that its memory may be reused. */
static inline int
is_own(PyObject *object)
{
    return Py_REFCNT(object) == 1 && PyArray_CheckExact(object)
        && PyArray_CHKFLAGS((PyArrayObject *)object, NPY_ARRAY_CARRAY | NPY_ARRAY_OWNDATA);
}

/* Return the array or number of an operand of a row: a new reference, so that it can be read while the GIL is released,
 * whatever other threads assign. Return NULL for any other object and for a Tensor without data. */
static inline PyObject *
hold_data(PyObject *operand)
{
    if (IS_TENSOR(operand))
        return Py_XNewRef(SLOT(operand, at.data));
    return PyFloat_CheckExact(operand) || PyArray_CheckExact(operand) ? Py_NewRef(operand) : NULL;
}

static inline void
release_data(PyObject *const *datas, int count)
{
    for (int i = 0; i < count; i++)
        Py_XDECREF(datas[i]);
}

/* --- making ------------------------------------------------------------------------------------ */

/* Return a new array, or a scalar if there are no axes, as NumPy does; *data points to its memory. */
static PyObject *
new_array(int type, int ndim, const npy_intp *dims, char **data)
{
    PyObject *made;
    if (ndim == 0) {
        PyTypeObject *kind = type == DOUBLE ? &PyDoubleArrType_Type : &PyFloatArrType_Type;
        made = kind->tp_alloc(kind, 0);
        if (made != NULL)
            *data = type == DOUBLE ? (char *)&PyArrayScalar_VAL(made, Double) : (char *)&PyArrayScalar_VAL(made, Float);
        return made;
    }
    made = PyArray_SimpleNew(ndim, dims, type == DOUBLE ? NPY_DOUBLE : NPY_FLOAT);
    if (made != NULL)
        *data = PyArray_BYTES((PyArrayObject *)made);
    return made;
}

static inline void
store_number(char *data, int type, double x)
{
    if (type == DOUBLE)
        *(double *)data = x;
    else
        *(float *)data = (float)x;
}

/* Return a read-only array of this shape that repeats one number, which it stores once. */
static PyObject *
new_constant(int type, int ndim, const npy_intp *dims, double x)
{
    char *data;
    if (ndim == 0) {
        PyObject *number = new_array(type, 0, NULL, &data);
        if (number != NULL)
            store_number(data, type, x);
        return number;
    }
    npy_intp one = 1, strides[NPY_MAXDIMS];
    PyObject *base = new_array(type, 1, &one, &data), *made = NULL;
    if (base == NULL)
        return NULL;
    store_number(data, type, x);
    memset(strides, 0, (size_t)ndim * sizeof(npy_intp));
    PyArray_Descr *descr = PyArray_DESCR((PyArrayObject *)base);
    Py_INCREF(descr);
    made = PyArray_NewFromDescr(&PyArray_Type, descr, ndim, dims, strides, data, 0, NULL);
    if (made == NULL)
        Py_DECREF(base);
    else if (PyArray_SetBaseObject((PyArrayObject *)made, base) < 0)
        Py_CLEAR(made);
    return made;
}

/* Return the Tensor that `rule` computed from `operands`. It steals the references to `data` and `operands`, even if
 * it fails; either may be NULL, after an error. `when` is a serial number taken before the data of the operands was read:
 * data that is assigned during the computation is then newer than the node. */
static PyObject *
new_tensor(long long when, PyObject *data, PyObject *rule, PyObject *operands, PyObject *static_, PyObject *back)
{
    PyObject *serial = PyLong_FromLongLong(when), *node = NULL;
    if (data != NULL && operands != NULL && serial != NULL)
        node = tensor_type->tp_alloc(tensor_type, 0);
    if (node == NULL) {
        Py_XDECREF(data);
        Py_XDECREF(operands);
        Py_XDECREF(serial);
        return NULL;
    }
    SLOT(node, at.data) = data;
    SLOT(node, at.grad) = Py_NewRef(Py_None);
    SLOT(node, at.operands) = operands;
    SLOT(node, at.rule) = Py_NewRef(rule);
    SLOT(node, at.static_) = Py_NewRef(static_);
    SLOT(node, at.back) = Py_NewRef(back);
    SLOT(node, at.serial) = serial;
    return node;
}

/* --- functions with a fast path, and their backward functions ---------------------------------------- */

/* A Python function with a fast path for ordinary NumPy arrays. `run` returns NULL without an error to leave a
 * call to Python. It works as a function and as a method. */
typedef struct Fast {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *(*run)(struct Fast *self, PyObject *const *arguments, Py_ssize_t count);
    PyObject *usual;  /* the Python function, for everything else */
    PyObject *rule;   /* the rule of the nodes that it makes */
    PyObject *static_; /* their static arguments, or a list of these indexed by the number of axes */
    PyObject *back;   /* their _back */
    int index, reflected;
} Fast;

/* The _back of a node: back(gradient, node) returns the contribution to each operand. `run` computes
 * them in C: it stores new references, or NULL, in `found` and returns 1; 0 leaves it to Python; -1 is an error. The
 * caller holds the references to the gradient and to the tuple of operands. */
#define MOST_OPERANDS 3
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
    if (names == NULL && tensor_type != NULL && !(modes() & (NOT_RECORDING | ANOMALY | TRACING))) {
        PyObject *made = fast->run(fast, arguments, PyVectorcall_NARGS(flags));
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
new_fast(PyObject *(*run)(Fast *, PyObject *const *, Py_ssize_t), PyObject *usual, PyObject *rule, PyObject *static_,
         PyObject *back, int index, int reflected)
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
