/* Nodes made while a tape is recorded: their type, and how rows and comparisons make entries. */
#ifndef ADJOINT_TRACED_NODES_H
#define ADJOINT_TRACED_NODES_H

#include "traced.h"

/* --- the type ---------------------------------------------------------------------------------- */

static PyObject *
get_class(PyObject *self, void *unused)
{
    return Py_NewRef((PyObject *)value_type);
}

static PyGetSetDef traced_getset[] = {{"__class__", get_class, NULL, "Value, although type() gives a subtype."}, {NULL}};

EXTENSION static PyType_Slot traced_slots[] = {
    {Py_tp_dealloc, value_dealloc},
    {Py_tp_traverse, value_traverse},
    {Py_tp_clear, value_clear},
    {Py_tp_free, PyObject_GC_Del},
    {Py_tp_getset, traced_getset},
    {0, NULL},
};

static PyType_Spec traced_spec = {
    "adjoint.engine.value.Value", sizeof(Value), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, traced_slots,
};

/* Make the type of nodes that are made while recording. */
static int
make_traced_type(void)
{
    PyObject *bases = PyTuple_Pack(1, value_type);
    traced_type = bases == NULL ? NULL : (PyTypeObject *)PyType_FromSpecWithBases(&traced_spec, bases);
    Py_XDECREF(bases);
    if (traced_type != NULL)
        traced_type->tp_name = "Value";
    return traced_type == NULL ? -1 : 0;
}

/* --- nodes ------------------------------------------------------------------------------------- */

static inline void
trace_node(Value *node, const Tape *tape, int32_t entry)
{
    node->traced.entry = entry;
    node->traced.serial = tape->serial;
    node->grad_entry = -1;
    node->flags |= TRACED;
}

/* Make a leaf of an entry. The class is Value or a subclass; an entry of -1 stands for an error. */
static Value *
traced_node(Tape *tape, PyTypeObject *kind, int32_t entry)
{
    if (entry < 0)
        return NULL;
    Value *node;
    if (kind == value_type || kind == traced_type) {
        node = node_new(0.0);
        if (node == NULL)
            return NULL;
        if (!use_slabs) {
            Py_INCREF(traced_type);
            Py_DECREF(value_type);
        }
        Py_SET_TYPE((PyObject *)node, traced_type);
    } else {
        node = (Value *)kind->tp_alloc(kind, 0);
        if (node == NULL)
            return NULL;
    }
    trace_node(node, tape, entry);
    return node;
}

/* --- rows -------------------------------------------------------------------------------------- */

/* Return the operand that a call may leave out, as Python's apply() does. */
static int
row_default(int row, double *x)
{
    switch (row) {
#define DEFAULT_OPERAND(index, name, defaults, default_) case index: *x = default_; return defaults;
        BINARY_ROWS(DEFAULT_OPERAND)
    }
    return 0;
}

/* Apply a row while recording. Return NULL without an error if no tape is recorded, or if Python must read an operand. */
static PyObject *
trace_row(int row, PyObject *const *operands, Py_ssize_t count)
{
    int flags, arity = row_arity(row), kind;
    Tape *tape = current_tape(&flags);
    if (tape == NULL) {
        refuse_leaked(operands, count);
        return NULL;
    }
    PyTypeObject *made = NULL;
    int32_t entries[2] = {-1, -1};
    Value *nodes[2] = {NULL, NULL};
    if (count > arity || count < 1)
        return NULL;
    for (int i = 0; i < count; i++) {
        entries[i] = operand_entry(tape, operands[i], &kind);
        if (entries[i] < 0)
            return NULL;
        if (IS_VALUE_OR_SUBCLASS(operands[i])) {
            nodes[i] = (Value *)operands[i];
            if (made == NULL || !IS_VALUE_OR_TRACED(operands[i]))
                made = Py_TYPE(operands[i]); /* the last subclass, as in operands.py */
        }
    }
    if (count < arity) {
        double default_;
        if (!row_default(row, &default_) || (entries[1] = tape_constant(tape, default_)) < 0)
            return NULL;
    }
    int32_t y = tape_row(tape, row, entries[0], entries[1], KIND_FLOAT);
    if (made == NULL)
        return number_of(tape, y);
    Value *node = traced_node(tape, made, y);
    if (node != NULL && flags & NOT_RECORDING)
        node->flags |= UNRECORDED;
    if (node == NULL || flags & NOT_RECORDING)
        return (PyObject *)node;
    for (int i = 0; i < 2; i++) {
        node->operand[i] = (Value *)Py_XNewRef((PyObject *)nodes[i]);
        node->operand_entry[i] = entries[i];
    }
    node->result_entry = y;
    node->row = (uint8_t)row;
    node->flags |= INNER;
    return (PyObject *)node;
}

/* Compare numbers or Values while recording, by <, <=, > or >=. NULL without an error: see trace_row(). */
static PyObject *
trace_compare(PyObject *left, PyObject *right, int op)
{
    static const int32_t logic[] = {TAPE_LT, TAPE_LE, TAPE_EQ, TAPE_NE, TAPE_GT, TAPE_GE};
    PyObject *const operands[] = {left, right};
    int flags, kind;
    Tape *tape = current_tape(&flags);
    if (tape == NULL) {
        refuse_leaked(operands, 2);
        return NULL;
    }
    int32_t x = operand_entry(tape, left, &kind), z = x < 0 ? -1 : operand_entry(tape, right, &kind);
    return x < 0 || z < 0 ? NULL : condition_of(tape, tape_logic(tape, logic[op], x, z));
}

#endif
