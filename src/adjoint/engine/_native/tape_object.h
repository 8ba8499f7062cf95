/* Tape as a Python object: what the number back end of jit asks of a recording. */
#ifndef ADJOINT_TAPE_OBJECT_H
#define ADJOINT_TAPE_OBJECT_H

#include "tape_values.h"
#include "traced_number.h"

static PyObject *
tape_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    Tape *tape = (Tape *)type->tp_alloc(type, 0);
    if (tape != NULL) {
        tape->serial = ++tape_serials;
        tape->limit = TAPE_LIMIT;
    }
    return (PyObject *)tape;
}

static int
tape_traverse(PyObject *self, visitproc visit, void *arg)
{
    Tape *tape = (Tape *)self;
    Py_VISIT(Py_TYPE(self));
    for (Py_ssize_t i = 0; i < tape->external_count; i++) {
        Py_VISIT(tape->externals[i].value);
        Py_VISIT(tape->externals[i].grad_object);
    }
    return 0;
}

static int
tape_clear(PyObject *self)
{
    Tape *tape = (Tape *)self;
    External *externals = tape->externals;
    Py_ssize_t count = tape->external_count;
    tape->externals = NULL;
    tape->external_count = tape->external_capacity = tape->external_mask = 0;
    PyMem_Free(tape->external_table);
    tape->external_table = NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_DECREF(externals[i].value);
        Py_XDECREF(externals[i].grad_object);
    }
    PyMem_Free(externals);
    return 0;
}

static void
tape_dealloc(PyObject *self)
{
    Tape *tape = (Tape *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    tape_clear(self);
    PyMem_Free(tape->entries);
    PyMem_Free(tape->kinds);
    PyMem_Free(tape->constants);
    PyMem_Free(tape->constant_table);
    type->tp_free(self);
    Py_DECREF(type);
}

static Py_ssize_t
tape_length(PyObject *self)
{
    return ((Tape *)self)->count;
}

static PyObject *
tape_entries(PyObject *self, PyObject *unused)
{
    Tape *tape = (Tape *)self;
    return PyBytes_FromStringAndSize((const char *)tape->entries, tape->count * (Py_ssize_t)sizeof(Entry));
}

static PyObject *
tape_constants(PyObject *self, PyObject *unused)
{
    Tape *tape = (Tape *)self;
    return PyBytes_FromStringAndSize((const char *)tape->constants, tape->constant_count * (Py_ssize_t)sizeof(double));
}

static PyObject *
tape_kinds(PyObject *self, PyObject *unused)
{
    return PyBytes_FromStringAndSize((const char *)((Tape *)self)->kinds, ((Tape *)self)->count);
}

static PyObject *
tape_kind(PyObject *self, PyObject *index)
{
    int32_t entry = read_entry((Tape *)self, index);
    return entry < 0 ? NULL : PyLong_FromLong(((Tape *)self)->kinds[entry]);
}

/* Tape.from_entries(entries, constants, input_count): a tape of given entries, for tests. */
static PyObject *
tape_from_entries(PyObject *type, PyObject *arguments)
{
    const char *entries, *constants;
    Py_ssize_t size, constants_size, input_count;
    if (!PyArg_ParseTuple(arguments, "y#y#n:from_entries", &entries, &size, &constants, &constants_size, &input_count))
        return NULL;
    Py_ssize_t count = size / (Py_ssize_t)sizeof(Entry), constant_count = constants_size / (Py_ssize_t)sizeof(double);
    if (count > TAPE_LIMIT)
        return PyErr_Format(PyExc_ValueError, "a tape has at most %d entries", TAPE_LIMIT);
    Tape *tape = (Tape *)tape_new((PyTypeObject *)type, NULL, NULL);
    if (tape == NULL)
        return NULL;
    tape->entries = PyMem_Malloc(count * sizeof(Entry));
    tape->kinds = PyMem_Calloc(count, 1);
    tape->constants = PyMem_Malloc(constants_size);
    if (tape->entries == NULL || tape->kinds == NULL || tape->constants == NULL) {
        Py_DECREF(tape);
        return PyErr_NoMemory();
    }
    memcpy(tape->entries, entries, count * sizeof(Entry));
    memcpy(tape->constants, constants, constant_count * sizeof(double));
    tape->count = tape->capacity = count;
    tape->constant_count = tape->constant_capacity = constant_count;
    tape->input_count = input_count;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!is_valid_entry(&tape->entries[i], i, constant_count, input_count)) {
            PyErr_Format(PyExc_ValueError, "entry %zd refers to what is not before it", i);
            Py_DECREF(tape);
            return NULL;
        }
    }
    return (PyObject *)tape;
}

/* --- recording --------------------------------------------------------------------------------- */

static void
recording_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((Recording *)self)->tape);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *
recording_get_tape(PyObject *self, void *unused)
{
    PyObject *tape = (PyObject *)((Recording *)self)->tape;
    return Py_NewRef(tape != NULL ? tape : Py_None);
}

static int
recording_set_tape(PyObject *self, PyObject *tape, void *unused)
{
    if (tape == NULL || !Py_IS_TYPE(tape, tape_type)) {
        PyErr_SetString(PyExc_TypeError, "a recording needs a Tape");
        return -1;
    }
    Py_XSETREF(((Recording *)self)->tape, (Tape *)Py_NewRef(tape));
    return 0;
}

static PyGetSetDef recording_getset[] = {{"tape", recording_get_tape, recording_set_tape}, {NULL}};
EXTENSION static PyType_Slot recording_slots[] = {
    {Py_tp_dealloc, recording_dealloc},
    {Py_tp_getset, recording_getset},
    {0, NULL},
};
static PyType_Spec recording_spec = {
    "adjoint.engine._core.Recording", sizeof(Recording), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, recording_slots,
};

static int
make_recording_type(void)
{
    PyObject *bases = PyTuple_Pack(1, switch_type);
    recording_type = bases == NULL ? NULL : (PyTypeObject *)PyType_FromSpecWithBases(&recording_spec, bases);
    Py_XDECREF(bases);
    return recording_type == NULL ? -1 : 0;
}

static PyObject *
tape_get_limit(PyObject *self, void *unused)
{
    return PyLong_FromSsize_t(((Tape *)self)->limit);
}

static int
tape_set_limit(PyObject *self, PyObject *to, void *unused)
{
    Tape *tape = (Tape *)self;
    Py_ssize_t limit = to == NULL ? -1 : PyNumber_AsSsize_t(to, NULL);
    if (limit < 0 || limit > TAPE_LIMIT) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "the limit of a tape is at most %d entries", TAPE_LIMIT);
        return -1;
    }
    tape->limit = limit;
    if (tape->capacity > limit) /* tape_append() compares with the capacity */
        tape->capacity = Py_MAX(limit, tape->count);
    return 0;
}

/* --- the types --------------------------------------------------------------------------------- */

static PyMethodDef tape_methods[] = {
    {"input", tape_make_input, METH_VARARGS, "Return a new input as a TracedNumber of a kind."},
    {"number", tape_number, METH_O, "Return an entry as a TracedNumber, or as a float if it is a constant."},
    {"entry", tape_entry, METH_O, "Return the entry of a number, or of the data of a Value."},
    {"constant_at", tape_get_constant, METH_O, "Return the number of an entry if it is a constant, else None."},
    {"data_entry", tape_entry, METH_O, "Return the entry of the data of a Value."},
    {"grad_entry", tape_grad_entry, METH_O, "Return the entry of the gradient of a Value, or the Value that it is."},
    {"set_data", tape_set_data, METH_VARARGS, "Set the data of a Value to an entry."},
    {"set_grad", tape_set_grad, METH_VARARGS, "Set the gradient of a Value to an entry or a Value."},
    {"is_made_here", tape_is_made_here, METH_O, "Return whether a Value was made while this tape was recorded."},
    {"operand_entries", tape_operand_entries, METH_O, "Return the entries that a node was computed from."},
    {"is_changed", tape_is_changed, METH_O, "Return whether the data of a node was assigned after it was computed."},
    {"state", tape_state, METH_O, "Return the inputs and the entries of a Value."},
    {"record", METHOD(tape_record), METH_VARARGS | METH_KEYWORDS, "Append an operation."},
    {"from_entries", tape_from_entries, METH_VARARGS | METH_CLASS, "Make a tape of entries and constants given as bytes."},
    {"entries", tape_entries, METH_NOARGS, "Return the entries as bytes: four int32 (op, a, b, c) each."},
    {"constants", tape_constants, METH_NOARGS, "Return the constants as bytes of doubles."},
    {"kinds", tape_kinds, METH_NOARGS, "Return the kinds of all entries as bytes."},
    {"kind", tape_kind, METH_O, "Return the kind of an entry: 0 float, 1 int, 2 bool."},
    {NULL},
};

static PyGetSetDef tape_getset[] = {
    {"values", tape_values, NULL, "The Values from before the recording that were used."},
    {"limit", tape_get_limit, tape_set_limit, "The largest number of entries."},
    {NULL},
};

static PyMemberDef tape_members[] = {
    {"input_count", T_PYSSIZET, offsetof(Tape, input_count), READONLY},
    {NULL},
};

EXTENSION static PyType_Slot tape_slots[] = {
    {Py_tp_new, tape_new},
    {Py_tp_dealloc, tape_dealloc},
    {Py_tp_traverse, tape_traverse},
    {Py_tp_clear, tape_clear},
    {Py_tp_methods, tape_methods},
    {Py_tp_members, tape_members},
    {Py_tp_getset, tape_getset},
    {Py_sq_length, tape_length},
    {0, NULL},
};
static PyType_Spec tape_spec = {
    "adjoint.engine._core.Tape", sizeof(Tape), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, tape_slots,
};

/* Copy the attributes of a Python class that the type does not have. */
static int
share_attributes(PyTypeObject *type, PyObject *python_class)
{
    static const char *const own[] = {"__init__", "__new__", "__slots__", "__dict__", "__weakref__", "__module__", "__doc__"};
    PyObject *theirs = PyObject_GetAttrString(python_class, "__dict__");
    PyObject *items = theirs == NULL ? NULL : PyMapping_Items(theirs);
    int failed = items == NULL;
    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(items); i++) {
        PyObject *name = PyTuple_GET_ITEM(PyList_GET_ITEM(items, i), 0);
        int skip = PyDict_Contains(type->tp_dict, name);
        if (PyUnicode_CompareWithASCIIString(name, "__hash__") == 0)
            skip = 0; /* a type with comparisons has None, unless it has a hash */
        for (size_t j = 0; j < sizeof(own) / sizeof(own[0]); j++)
            skip |= PyUnicode_CompareWithASCIIString(name, own[j]) == 0;
        failed = skip < 0
            || (!skip && PyObject_SetAttr((PyObject *)type, name, PyTuple_GET_ITEM(PyList_GET_ITEM(items, i), 1)) < 0);
    }
    Py_XDECREF(theirs);
    Py_XDECREF(items);
    return failed ? -1 : 0;
}

/* accelerate_tape(Tape, TracedNumber, leaked_error, limit_error, where_op): return the C types that replace the Python classes. */
static PyObject *
accelerate_tape(PyObject *module, PyObject *arguments)
{
    PyObject *tape, *number, *leaked, *limit, *where;
    if (!PyArg_ParseTuple(arguments, "OOOOO:accelerate_tape", &tape, &number, &leaked, &limit, &where))
        return NULL;
    Py_XSETREF(python_number, Py_NewRef(number));
    Py_XSETREF(trace_errors[LEAKED], Py_NewRef(leaked));
    Py_XSETREF(trace_errors[LIMIT], Py_NewRef(limit));
    Py_XSETREF(where_op, Py_NewRef(where));
    if (share_attributes(tape_type, tape) < 0 || share_attributes(number_type, number) < 0)
        return NULL;
    return Py_BuildValue("(OO)", tape_type, number_type);
}

#endif
