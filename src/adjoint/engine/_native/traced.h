/* Values and numbers while a tape is recorded.
 *
 * A Value made before the recording is not changed: the tape has a table with the entries that hold its data and gradient.
 * A Value made while recording is TRACED: the entries are in its own fields. It is of a subtype of Value, so that
 * an operation on one that was kept after the recording takes the slow path, which raises an error.
 */
#ifndef ADJOINT_TRACED_H
#define ADJOINT_TRACED_H

#include "tape.h"

static PyTypeObject *tensor_type; /* see arrays.h */

typedef struct {
    PyObject_HEAD
    int32_t entry;
    uint32_t serial; /* of its tape */
    int kind;
} TracedNumber;

static PyTypeObject *number_type;
#define IS_TRACED_NUMBER(object) Py_IS_TYPE(object, number_type)
#define IS_ARRAY(object) (tensor_type != NULL && PyObject_TypeCheck(object, tensor_type))

/* --- the tape of the context ------------------------------------------------------------------- */

/* The base class of Recording in recording.py, which keeps the tape. */
typedef struct {
    Switch base;
    Tape *tape; /* owned */
} Recording;

static PyTypeObject *recording_type;

/* Return the tape that is recorded in this context, borrowed, and set the flags of the modes. NULL if there is none. */
static Tape *
current_tape(int *flags)
{
    PyObject *state = NULL;
    Tape *tape = NULL;
    *flags = 0;
    if (active_switches == 0 || PyContextVar_Get(modes_variable, NULL, &state) < 0 || state == NULL)
        return NULL;
    if (PyTuple_Check(state) && PyTuple_GET_SIZE(state) && PyLong_Check(PyTuple_GET_ITEM(state, 0)))
        *flags = (int)PyLong_AsLong(PyTuple_GET_ITEM(state, 0));
    for (Py_ssize_t i = *flags & TRACING ? PyTuple_GET_SIZE(state) - 1 : 0; i > 0 && tape == NULL; i--) {
        if (PyObject_TypeCheck(PyTuple_GET_ITEM(state, i), recording_type))
            tape = ((Recording *)PyTuple_GET_ITEM(state, i))->tape;
    }
    Py_DECREF(state);
    return tape;
}

/* --- Values made before the recording ---------------------------------------------------------- */

static inline Py_ssize_t
external_slot(const int32_t *table, Py_ssize_t mask, const External *externals, const Value *value)
{
    Py_ssize_t at = mix_bits((uint64_t)(uintptr_t)value >> 4) & mask;
    while (table[at] != 0 && externals[table[at] - 1].value != value)
        at = (at + 1) & mask;
    return at;
}

static int
grow_externals(Tape *tape)
{
    if (tape->external_count == tape->external_capacity) {
        Py_ssize_t capacity = tape->external_capacity ? 2 * tape->external_capacity : 64;
        External *externals = PyMem_Realloc(tape->externals, capacity * sizeof(External));
        if (externals == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        tape->externals = externals;
        tape->external_capacity = capacity;
    }
    if (2 * (tape->external_count + 1) <= tape->external_mask)
        return 0;
    Py_ssize_t mask = tape->external_mask ? 2 * tape->external_mask + 1 : 255;
    int32_t *table = PyMem_Calloc(mask + 1, sizeof(int32_t));
    if (table == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < tape->external_count; i++)
        table[external_slot(table, mask, tape->externals, tape->externals[i].value)] = (int32_t)i + 1;
    PyMem_Free(tape->external_table);
    tape->external_table = table;
    tape->external_mask = mask;
    return 0;
}

/* Return the record of a Value that was made before the recording, or NULL if the tape has none. */
static inline External *
find_external(const Tape *tape, const Value *value)
{
    if (tape->external_table == NULL)
        return NULL;
    int32_t index = tape->external_table[external_slot(tape->external_table, tape->external_mask, tape->externals, value)];
    return index == 0 ? NULL : &tape->externals[index - 1];
}

/* The same; make the record at the first touch. NULL after an error. */
static External *
touch_external(Tape *tape, Value *value)
{
    External *found = find_external(tape, value);
    if (found != NULL)
        return found;
    if (grow_externals(tape) < 0)
        return NULL;
    Py_ssize_t at = external_slot(tape->external_table, tape->external_mask, tape->externals, value);
    int32_t number = (int32_t)tape->input_count, entry = tape_input(tape, KIND_FLOAT);
    if (entry < 0)
        return NULL;
    found = &tape->externals[tape->external_count++];
    *found = (External){(Value *)Py_NewRef((PyObject *)value), number, -1, entry, -1, -1, NULL};
    tape->external_table[at] = (int32_t)tape->external_count;
    return found;
}

/* --- the data and the gradient of a Value ------------------------------------------------------ */

/* Return whether a node was made while recording this tape; raise if it was made while recording another one. */
static inline int
is_made_here(const Tape *tape, const Value *node)
{
    if (!(node->flags & TRACED))
        return 0;
    return tape != NULL && node->traced.serial == tape->serial ? 1 : raise_trace_error(LEAKED);
}

/* Return the entry of the data of a Value, or -1 after an error. */
static inline int32_t
data_entry_of(Tape *tape, Value *node)
{
    int here = is_made_here(tape, node);
    if (here)
        return here < 0 ? -1 : node->traced.entry;
    External *external = touch_external(tape, node);
    return external == NULL ? -1 : external->data_entry;
}

/* Return an entry as a float: the data of a Value is one, also if it was given as an int. */
static int32_t
as_float(Tape *tape, int32_t entry)
{
    if (entry < 0 || tape->kinds[entry] == KIND_FLOAT)
        return entry;
    int32_t one = tape_constant(tape, 1.0);
    return one < 0 ? -1 : tape_row(tape, mul_index, entry, one, KIND_FLOAT);
}

static int
set_data_entry(Tape *tape, Value *node, int32_t entry)
{
    int here = is_made_here(tape, node);
    External *external = here ? NULL : touch_external(tape, node);
    if (here < 0 || (!here && external == NULL))
        return -1;
    if (here)
        node->traced.entry = entry;
    else
        external->data_entry = entry;
    return 0;
}

/* Find the gradient of a Value: an entry, or a Value in *object (borrowed), and then -1 without an error. */
static int32_t
grad_entry_of(Tape *tape, Value *node, PyObject **object)
{
    int here = is_made_here(tape, node);
    *object = NULL;
    if (here < 0)
        return -1;
    if (here) {
        *object = node->flags & OBJECT_GRAD && node->attributes != NULL
            ? PyDict_GetItemWithError(node->attributes, string_grad) : NULL;
        if (*object != NULL || PyErr_Occurred())
            return -1;
        return node->grad_entry < 0 ? tape_constant(tape, 0.0) : node->grad_entry;
    }
    External *external = touch_external(tape, node);
    if (external == NULL)
        return -1;
    if (external->grad_entry < 0 && external->grad_object == NULL) { /* as before the recording */
        if (node->flags & OBJECT_GRAD && node->attributes != NULL) {
            *object = PyDict_GetItemWithError(node->attributes, string_grad);
            return -1;
        }
        int32_t number = (int32_t)tape->input_count, entry = tape_input(tape, KIND_FLOAT);
        if (entry < 0)
            return -1;
        external->grad_input = number;
        external->grad_entry = entry;
    }
    *object = external->grad_object;
    return *object != NULL ? -1 : external->grad_entry;
}

/* Set the gradient of a Value to an entry, if it is not -1, or to a Value. The attributes of a node made here hold a
 * gradient that is a Value: set_grad() in attributes.h cares for it. */
static int
set_external_grad(Tape *tape, Value *node, int32_t entry, PyObject *object)
{
    External *external = touch_external(tape, node);
    if (external == NULL)
        return -1;
    PyObject *before = external->grad_object;
    external->grad_object = Py_XNewRef(object);
    external->grad_entry = entry;
    Py_XDECREF(before);
    return 0;
}

/* --- numbers ----------------------------------------------------------------------------------- */

/* Return an entry as a number: a float if it is a constant, else a TracedNumber. -1 stands for an error. */
static PyObject *
number_of(Tape *tape, int32_t entry)
{
    if (entry < 0)
        return NULL;
    if (tape_is_constant(tape, entry))
        return PyFloat_FromDouble(tape_constant_at(tape, entry));
    TracedNumber *number = PyObject_New(TracedNumber, number_type);
    if (number == NULL)
        return NULL;
    number->entry = entry;
    number->serial = tape->serial;
    number->kind = tape->kinds[entry];
    return (PyObject *)number;
}

/* Return an entry of logic as a bool if it is a constant, else as a TracedNumber. */
static PyObject *
condition_of(Tape *tape, int32_t entry)
{
    if (entry >= 0 && tape_is_constant(tape, entry))
        return PyBool_FromLong(tape_constant_at(tape, entry) != 0);
    return number_of(tape, entry);
}

#define UNUSUAL_OPERAND (-2)

/* Return the entry of a traced number, a float, an int or a bool, and its kind; -1 after an error, or UNUSUAL_OPERAND. */
static int32_t
number_entry(Tape *tape, PyObject *object, int *kind)
{
    if (IS_TRACED_NUMBER(object)) {
        TracedNumber *number = (TracedNumber *)object;
        *kind = number->kind;
        return number->serial == tape->serial ? number->entry : raise_trace_error(LEAKED);
    }
    if (PyFloat_Check(object)) {
        *kind = KIND_FLOAT;
        return tape_constant(tape, PyFloat_AS_DOUBLE(object));
    }
    if (PyLong_CheckExact(object) || PyBool_Check(object)) {
        double x = PyLong_AsDouble(object);
        *kind = PyBool_Check(object) ? KIND_BOOL : KIND_INT;
        if (x != -1.0 || !PyErr_Occurred())
            return tape_constant(tape, x);
        PyErr_Clear();
    }
    return UNUSUAL_OPERAND;
}

/* The same for an operand, which may be a Value of one number. */
static inline int32_t
operand_entry(Tape *tape, PyObject *object, int *kind)
{
    *kind = KIND_FLOAT;
    if (IS_VALUE_OR_TRACED(object))
        return data_entry_of(tape, (Value *)object);
    if (IS_VALUE_OR_SUBCLASS(object))
        return IS_ARRAY(object) ? UNUSUAL_OPERAND : data_entry_of(tape, (Value *)object);
    return number_entry(tape, object, kind);
}

static int
is_traced(PyObject *object)
{
    return IS_TRACED_NUMBER(object) || (IS_VALUE_OR_SUBCLASS(object) && ((Value *)object)->flags & TRACED);
}

/* Raise if one of the operands was made while recording a tape. This is called where no tape is recorded. */
static int
refuse_leaked(PyObject *const *operands, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        if (is_traced(operands[i]))
            return raise_trace_error(LEAKED);
    }
    return 0;
}

#endif
