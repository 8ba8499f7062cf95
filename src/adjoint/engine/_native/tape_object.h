/* Tape as a Python object: what the number back end of jit asks of a recording. */
#ifndef ADJOINT_TAPE_OBJECT_H
#define ADJOINT_TAPE_OBJECT_H

#include "tape.h"

static PyObject *
tape_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    Tape *tape = (Tape *)type->tp_alloc(type, 0);
    if (tape != NULL)
        tape->serial = ++tape_serials;
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

/* Check an entry given as an int. Return it, or -1 after an error. */
static int32_t
read_entry(Tape *tape, PyObject *index)
{
    Py_ssize_t entry = PyNumber_AsSsize_t(index, PyExc_IndexError);
    if (entry == -1 && PyErr_Occurred())
        return -1;
    if (entry < 0 || entry >= tape->count) {
        PyErr_Format(PyExc_IndexError, "the tape has %zd entries and no entry %zd", tape->count, entry);
        return -1;
    }
    return (int32_t)entry;
}

static PyObject *
tape_kind(PyObject *self, PyObject *index)
{
    int32_t entry = read_entry((Tape *)self, index);
    return entry < 0 ? NULL : PyLong_FromLong(((Tape *)self)->kinds[entry]);
}

/* Return whether an entry refers only to entries before it, to constants and to inputs that exist. */
static int
is_valid_entry(const Entry *entry, Py_ssize_t index, Py_ssize_t constants, Py_ssize_t inputs)
{
    if (entry->op == TAPE_CONST || entry->op == TAPE_INPUT)
        return entry->a >= 0 && entry->a < (entry->op == TAPE_CONST ? constants : inputs);
    if (entry->op < 0 || (entry->op > TAPE_WHERE && entry->op < TAPE_FIRST_ROW) || entry->op >= TAPE_OP_COUNT)
        return 0;
    int needed = entry->op == TAPE_WHERE ? 3 : entry->op == TAPE_NOT ? 1 : 2;
    if (entry->op >= TAPE_FIRST_ROW) {
        int row = (entry->op - TAPE_FIRST_ROW) % ROW_COUNT, part = (entry->op - TAPE_FIRST_ROW) / ROW_COUNT;
        needed = row_arity(row) + (part > 0);
        if (part > row_arity(row))
            return 0;
    }
    const int32_t operands[] = {entry->a, entry->b, entry->c};
    for (int i = 0; i < 3; i++) {
        if (operands[i] >= index || operands[i] < (i < needed ? 0 : -1))
            return 0;
    }
    return 1;
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

static PyMethodDef tape_methods[] = {
    {"from_entries", tape_from_entries, METH_VARARGS | METH_CLASS, "Make a tape of entries and constants given as bytes."},
    {"entries", tape_entries, METH_NOARGS, "Return the entries as bytes: four int32 (op, a, b, c) each."},
    {"constants", tape_constants, METH_NOARGS, "Return the constants as bytes of doubles."},
    {"kind", tape_kind, METH_O, "Return the kind of an entry: 0 float, 1 int, 2 bool."},
    {NULL},
};

static PyMemberDef tape_members[] = {
    {"input_count", T_PYSSIZET, offsetof(Tape, input_count), READONLY},
    {NULL},
};

static PyType_Slot tape_slots[] = {
    {Py_tp_new, tape_new},
    {Py_tp_dealloc, tape_dealloc},
    {Py_tp_traverse, tape_traverse},
    {Py_tp_clear, tape_clear},
    {Py_tp_methods, tape_methods},
    {Py_tp_members, tape_members},
    {Py_sq_length, tape_length},
    {0, NULL},
};
static PyType_Spec tape_spec = {
    "adjoint.engine._core.Tape", sizeof(Tape), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, tape_slots,
};

#endif
