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
slot_offset(PyTypeObject *type, const char *name, Py_ssize_t *offset)
{
    PyObject *member = PyObject_GetAttrString((PyObject *)type, name);
    if (member == NULL)
        return -1;
    int is_slot = Py_IS_TYPE(member, &PyMemberDescr_Type);
    if (is_slot)
        *offset = ((PyMemberDescrObject *)member)->d_member->offset;
    else
        PyErr_Format(PyExc_TypeError, "%s.%s is not a slot", type->tp_name, name);
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
    if (slot_offset(tensor_type, "_data", &at.data) < 0 || slot_offset(tensor_type, "_grad", &at.grad) < 0
        || slot_offset(tensor_type, "_operands", &at.operands) < 0 || slot_offset(tensor_type, "_rule", &at.rule) < 0
        || slot_offset(tensor_type, "_static", &at.static_) < 0 || slot_offset(tensor_type, "_back", &at.back) < 0
        || slot_offset(tensor_type, "_serial", &at.serial) < 0) {
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
    /* this may allocate, and so run the garbage collector; assigning the attribute again does not */
    int failed = later == NULL || set_attribute((Value *)node, string_changed, later) < 0;
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
    int failed = when == NULL || set_attribute((Value *)node, string_changed, when) < 0;
    Py_XDECREF(when);
    return failed ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef assigned_methods[] = {
    {"replace", METHOD(replace_data), METH_FASTCALL, "Assign the data of an array and note the time."},
    {"settle", settle_data, METH_O, "Remove the mark of an assignment that ran out of memory."},
    {NULL},
};
static PyMemberDef assigned_members[] = {{"last", T_LONGLONG, offsetof(Assigned, last), 0}, {NULL}};
EXTENSION static PyType_Slot assigned_slots[] = {{Py_tp_methods, assigned_methods}, {Py_tp_members, assigned_members}, {0, NULL}};
static PyType_Spec assigned_spec = {
    "adjoint.engine._core.Assigned", sizeof(Assigned), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, assigned_slots,
};

/* --- reading ----------------------------------------------------------------------------------- */

enum { DOUBLE, FLOAT, WEAK }; /* WEAK: a Python number, which takes the type of the other operand */

#define STRIDED -1 /* the step of an array whose memory has gaps or another order */
typedef struct {
    const char *data;
    npy_intp count;
    const npy_intp *dims, *strides;
    int ndim;
    int step; /* 1, 0 if one element is repeated, or STRIDED */
    int type;
} Array;

/* Read an array or a number. Return whether `object` is one; the result borrows its memory. */
static inline int
read_any_array(PyObject *object, Array *array)
{
    array->count = array->step = 1;
    array->ndim = 0;
    array->dims = array->strides = NULL;
    if (PyArray_CheckExact(object)) {
        PyArrayObject *given = (PyArrayObject *)object;
        int number = PyArray_DESCR(given)->type_num;
        if ((number != NPY_DOUBLE && number != NPY_FLOAT) || !PyArray_ISBEHAVED_RO(given))
            return 0;
        array->type = number == NPY_DOUBLE ? DOUBLE : FLOAT;
        array->data = PyArray_BYTES(given);
        array->ndim = PyArray_NDIM(given);
        array->dims = PyArray_DIMS(given);
        array->strides = PyArray_STRIDES(given);
        array->count = PyArray_SIZE(given);
        if (!PyArray_IS_C_CONTIGUOUS(given)) {
            array->step = 0;
            for (int i = 0; i < array->ndim; i++) {
                if (array->strides[i] != 0 && array->dims[i] != 1)
                    array->step = STRIDED;
            }
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

/* Read a contiguous array, an array broadcast from a single number, or a number. */
static inline int
read_array(PyObject *object, Array *array)
{
    return read_any_array(object, array) && array->step != STRIDED;
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

/* make_array_node(serial, data, rule, operands, static, back): return the Tensor that `rule` computed from `operands`. */
static PyObject *
make_array_node(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    long long when = count == 6 ? PyLong_AsLongLong(arguments[0]) : 0;
    if (PyErr_Occurred())
        return NULL;
    if (count != 6 || tensor_type == NULL || !PyTuple_Check(arguments[3]))
        return PyErr_Format(PyExc_TypeError, "make_array_node takes a serial number, data, rule, operands, static and back");
    return new_tensor(when, Py_NewRef(arguments[1]), arguments[2], Py_NewRef(arguments[3]), arguments[4], arguments[5]);
}

#endif
