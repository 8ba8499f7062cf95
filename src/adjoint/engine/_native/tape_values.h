/* The methods of a Tape that translate between entries, numbers and Values. */
#ifndef ADJOINT_TAPE_VALUES_H
#define ADJOINT_TAPE_VALUES_H

#include "attributes.h"
#include "traced_nodes.h"

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

static PyObject *
tape_make_input(PyObject *self, PyObject *arguments)
{
    int kind = KIND_FLOAT;
    if (!PyArg_ParseTuple(arguments, "|i:input", &kind))
        return NULL;
    return number_of((Tape *)self, tape_input((Tape *)self, kind));
}

static PyObject *
tape_number(PyObject *self, PyObject *index)
{
    return number_of((Tape *)self, read_entry((Tape *)self, index));
}

static PyObject *
index_or_error(int32_t entry)
{
    return entry < 0 ? NULL : PyLong_FromLong(entry);
}

static PyObject *
tape_entry(PyObject *self, PyObject *object)
{
    int kind;
    int32_t entry = operand_entry((Tape *)self, object, &kind);
    return index_or_error(entry == UNUSUAL_OPERAND ? read_entry_for((Tape *)self, object, "tape.entry") : entry);
}

/* tape.constant_at(entry): the number of an entry if it is a constant, else None. */
static PyObject *
tape_get_constant(PyObject *self, PyObject *index)
{
    int32_t entry = read_entry((Tape *)self, index);
    if (entry < 0)
        return NULL;
    if (!tape_is_constant((Tape *)self, entry))
        Py_RETURN_NONE;
    return PyFloat_FromDouble(tape_constant_at((Tape *)self, entry));
}

/* Check that an object is a Value of one number. */
static Value *
read_value(PyObject *object)
{
    if (IS_VALUE_OR_SUBCLASS(object) && !IS_ARRAY(object))
        return (Value *)object;
    PyErr_Format(PyExc_TypeError, "a tape knows Values of one number, not %s", Py_TYPE(object)->tp_name);
    return NULL;
}

static PyObject *
tape_grad_entry(PyObject *self, PyObject *object)
{
    Value *value = read_value(object);
    PyObject *grad = NULL;
    int32_t entry = value == NULL ? -1 : grad_entry_of((Tape *)self, value, &grad);
    return grad != NULL ? Py_NewRef(grad) : index_or_error(entry);
}

static PyObject *
tape_set_data(PyObject *self, PyObject *arguments)
{
    PyObject *object, *index;
    if (!PyArg_ParseTuple(arguments, "OO:set_data", &object, &index))
        return NULL;
    Value *value = read_value(object);
    int32_t entry = value == NULL ? -1 : read_entry((Tape *)self, index);
    if (entry < 0 || set_data_entry((Tape *)self, value, as_float((Tape *)self, entry)) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
tape_set_grad(PyObject *self, PyObject *arguments)
{
    PyObject *object, *to;
    if (!PyArg_ParseTuple(arguments, "OO:set_grad", &object, &to))
        return NULL;
    Value *value = read_value(object);
    int here = value == NULL ? -1 : is_made_here((Tape *)self, value);
    int is_object = IS_VALUE_OR_SUBCLASS(to);
    int32_t entry = is_object ? -1 : read_entry((Tape *)self, to);
    if (here < 0 || (!is_object && entry < 0))
        return NULL;
    int failed;
    if (!here) {
        failed = set_external_grad((Tape *)self, value, entry, is_object ? to : NULL);
    } else if (is_object) {
        failed = set_attribute(value, string_grad, to);
        value->flags |= failed ? 0 : OBJECT_GRAD;
    } else {
        value->flags &= ~OBJECT_GRAD;
        value->grad_entry = entry;
        failed = del_attribute(value, string_grad);
    }
    if (failed < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
tape_is_made_here(PyObject *self, PyObject *object)
{
    return PyBool_FromLong(IS_VALUE_OR_SUBCLASS(object) && ((Value *)object)->flags & TRACED
                           && ((Value *)object)->traced.serial == ((Tape *)self)->serial);
}

/* tape.operand_entries(node): the entries that a node was computed from. Tape.note() keeps those of a user's op. */
static PyObject *
tape_operand_entries(PyObject *self, PyObject *object)
{
    Value *node = read_value(object);
    if (node == NULL || is_made_here((Tape *)self, node) < 0)
        return NULL;
    if (!(node->flags & TRACED) || !(node->flags & INNER) || node->flags & GENERIC) {
        PyObject *rare = PyObject_GetAttrString(object, "_rare");
        PyObject *noted = rare == NULL ? NULL : PyMapping_GetItemString(rare, "entries");
        PyObject *entries = noted == NULL ? NULL : PySequence_GetItem(noted, 0);
        Py_XDECREF(rare);
        Py_XDECREF(noted);
        return entries;
    }
    if (row_arity(node->row) == 1)
        return Py_BuildValue("(i)", node->operand_entry[0]);
    return Py_BuildValue("(ii)", node->operand_entry[0], node->operand_entry[1]);
}

/* tape.is_changed(node): whether the data of a node was assigned after it was computed. */
static PyObject *
tape_is_changed(PyObject *self, PyObject *object)
{
    Value *node = read_value(object);
    int here = node == NULL ? -1 : is_made_here((Tape *)self, node);
    return here < 0 ? NULL : PyBool_FromLong(here && node->flags & INNER && node->traced.entry != node->result_entry);
}

/* tape.state(value): the numbers of its inputs, and the entries of its data and gradient. */
static PyObject *
tape_state(PyObject *self, PyObject *object)
{
    Tape *tape = (Tape *)self;
    Value *value = read_value(object);
    int here = value == NULL ? -1 : is_made_here(tape, value);
    if (here < 0)
        return NULL;
    if (here) {
        PyObject *grad, *grad_entry;
        int32_t entry = grad_entry_of(tape, value, &grad);
        grad_entry = grad != NULL ? Py_NewRef(grad) : index_or_error(entry);
        return grad_entry == NULL ? NULL : Py_BuildValue("(iiiN)", -1, -1, value->traced.entry, grad_entry);
    }
    External *found = find_external(tape, value);
    if (found == NULL)
        return Py_BuildValue("(iiii)", -1, -1, -1, -1);
    if (found->grad_object != NULL)
        return Py_BuildValue("(iiiO)", found->data_input, found->grad_input, found->data_entry, found->grad_object);
    return Py_BuildValue("(iiii)", found->data_input, found->grad_input, found->data_entry, found->grad_entry);
}

static PyObject *
tape_values(PyObject *self, void *unused)
{
    Tape *tape = (Tape *)self;
    PyObject *values = PyList_New(tape->external_count);
    for (Py_ssize_t i = 0; values != NULL && i < tape->external_count; i++)
        PyList_SET_ITEM(values, i, Py_NewRef((PyObject *)tape->externals[i].value));
    return values;
}

/* tape.record(op, a, b=-1, c=-1, kind=0): append an entry, or compute it from constants, and return its index. */
static PyObject *
tape_record(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"op", "a", "b", "c", "kind", NULL};
    Tape *tape = (Tape *)self;
    Entry entry = {0, -1, -1, -1};
    int kind = KIND_FLOAT;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "ii|iii:record", names, &entry.op, &entry.a, &entry.b, &entry.c,
                                     &kind))
        return NULL;
    if (entry.op < TAPE_LT || !is_valid_entry(&entry, tape->count, 0, 0))
        return PyErr_Format(PyExc_ValueError, "a tape has no operation %d of the entries (%d, %d, %d)", entry.op, entry.a,
                            entry.b, entry.c);
    if (entry.op < TAPE_WHERE)
        return index_or_error(tape_logic(tape, entry.op, entry.a, entry.b));
    if (entry.op == TAPE_WHERE)
        return index_or_error(tape_where(tape, entry.a, entry.b, entry.c, kind));
    int row = (entry.op - TAPE_FIRST_ROW) % ROW_COUNT, part = (entry.op - TAPE_FIRST_ROW) / ROW_COUNT;
    return index_or_error(part == 0 ? tape_row(tape, row, entry.a, entry.b, kind)
                                    : tape_partial(tape, row, part - 1, entry.a, entry.b, entry.c));
}

/* record(op, operands): apply a row while recording, to operands that Python has prepared. */
static PyObject *
record_row(PyObject *module, PyObject *arguments)
{
    PyObject *op, *operands;
    if (!PyArg_ParseTuple(arguments, "OO!:record", &op, &PyTuple_Type, &operands))
        return NULL;
    PyObject *place = PyDict_GetItemWithError(row_of, op), *made = NULL;
    if (place != NULL)
        made = trace_row((int)PyLong_AsLong(place), &PyTuple_GET_ITEM(operands, 0), PyTuple_GET_SIZE(operands));
    if (made == NULL && !PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "record() applies a row to numbers and Values while a tape is recorded");
    return made;
}

#endif
