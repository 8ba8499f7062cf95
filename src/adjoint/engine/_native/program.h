/* Program: a folded tape as a Python object; compile/numbers/replay.py is the same in Python.
 *
 *     program = Program(entries, constants, outputs, shared)
 *     program.connect(inputs, outputs)     # where numbers come from and go to
 *     program.run(values, numbers)         # returns the outputs of the kind NUMBER, and stores the others
 *
 * prepare() and assignments() are the two halves of run(), for callers that store more than Values at the same moment.
 */
#ifndef ADJOINT_PROGRAM_H
#define ADJOINT_PROGRAM_H

#include "attributes.h"
#include "fold.h"
#include "replay.h"

enum { NUMBER, DATA, GRAD, EXACT }; /* EXACT: an output that is only checked: an integer that a double must hold */

#define EXACT_LIMIT 9007199254740992.0 /* 2**53 */

typedef struct {
    int32_t slot, index; /* index: of the number of a call, or of a Value */
    int32_t kind;
} Connection;

typedef struct {
    PyObject_HEAD
    int32_t *code;
    void *allocated;
    double *memory; /* the slots, in `allocated`, at the start of a cache line */
    size_t code_count, slots;
    Connection *inputs, *outputs;
    Py_ssize_t input_count, output_count, entry_count;
    Py_ssize_t numbers, returned, values; /* how many a call gives and gets, as connected */
    int is_connected;
    int64_t operations, instructions, dots, dots_in_lanes, lane_instructions, lane_operations, gathers, runs, widest;
} Program;

static void
program_dealloc(PyObject *self)
{
    Program *program = (Program *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyMem_RawFree(program->code);
    PyMem_RawFree(program->allocated);
    PyMem_RawFree(program->inputs);
    PyMem_RawFree(program->outputs);
    type->tp_free(self);
    Py_DECREF(type);
}

static int
check_entries(const Entry *entries, Py_ssize_t count, Py_ssize_t constants, Py_ssize_t inputs)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        const Entry *entry = &entries[i];
        if (entry->op == TAPE_CONST || entry->op == TAPE_INPUT) {
            if (entry->a < 0 || entry->a >= (entry->op == TAPE_CONST ? constants : inputs))
                return -1;
            continue;
        }
        if (entry->op < 0 || entry->op >= FIRST_PULL || (entry->op > TAPE_WHERE && entry->op < TAPE_FIRST_ROW))
            return -1;
        int32_t found[3];
        int operands = operands_of(entry, found);
        for (int k = 0; k < operands; k++) {
            if (found[k] >= i || (found[k] < 0 && !IS_PARTIAL(entry->op)))
                return -1;
        }
    }
    return 0;
}

/* Take what a Fold found. */
static int
take_fold(Program *program, Fold *fold, const int32_t *outputs)
{
    size_t bytes = (fold->slots + 4 * WIDTH) * sizeof(double);
    program->allocated = PyMem_RawCalloc(1, bytes + 64);
    program->inputs = PyMem_RawCalloc((size_t)program->input_count + 1, sizeof(Connection));
    program->outputs = PyMem_RawCalloc((size_t)program->output_count + 1, sizeof(Connection));
    if (program->allocated == NULL || program->inputs == NULL || program->outputs == NULL)
        return -1;
    program->memory = (double *)(((uintptr_t)program->allocated + 63) / 64 * 64);
    for (Py_ssize_t k = 0; k < program->output_count; k++)
        program->outputs[k].slot = slot_of(fold, outputs[k]);
    if (fold->failed || fold->slots * sizeof(double) > bytes - 2 * WIDTH * sizeof(double)) {
        /* outputs that are inputs or constants took further slots */
        bytes = (fold->slots + 4 * WIDTH) * sizeof(double);
        PyMem_RawFree(program->allocated);
        if ((program->allocated = PyMem_RawCalloc(1, bytes + 64)) == NULL || fold->failed)
            return -1;
        program->memory = (double *)(((uintptr_t)program->allocated + 63) / 64 * 64);
    }
    memcpy(program->memory, fold->image, fold->slots * sizeof(double));
    for (Py_ssize_t k = 0; k < program->input_count; k++)
        program->inputs[k].slot = -1;
    for (int32_t i = 0; i < fold->count; i++) {
        if (fold->entries[i].op == TAPE_INPUT)
            program->inputs[fold->entries[i].a].slot = fold->slot[i];
    }
    program->code = PyMem_RawRealloc(fold->code, fold->code_count * sizeof(int32_t));
    fold->code = NULL;
    program->code_count = fold->code_count;
    program->slots = fold->slots;
    program->operations = fold->operations;
    program->instructions = fold->instructions;
    program->dots = fold->dots;
    program->dots_in_lanes = fold->dots_in_lanes;
    program->lane_instructions = fold->lane_instructions;
    program->lane_operations = fold->lane_operations;
    program->gathers = fold->gathers;
    program->runs = fold->runs;
    program->widest = fold->widest;
    return 0;
}

static PyObject *
program_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"entries", "constants", "outputs", "shared", NULL};
    Py_buffer entries, constants, shared;
    PyObject *listed;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "y*y*Oy*:Program", names, &entries, &constants, &listed, &shared))
        return NULL;
    Program *program = (Program *)type->tp_alloc(type, 0);
    PyObject *items = PySequence_Fast(listed, "the outputs of a program are a list of entries");
    int32_t *outputs = NULL;
    Fold fold = {0};
    fold.entries = entries.buf;
    fold.constants = constants.buf;
    fold.shared = shared.buf;
    fold.count = (int32_t)(entries.len / (Py_ssize_t)sizeof(Entry));
    if (program == NULL || items == NULL)
        goto done;
    program->input_count = shared.len;
    program->output_count = PySequence_Fast_GET_SIZE(items);
    program->entry_count = fold.count;
    if (entries.len % (Py_ssize_t)sizeof(Entry) || entries.len / (Py_ssize_t)sizeof(Entry) > INT32_MAX / 4
        || check_entries(fold.entries, fold.count, constants.len / (Py_ssize_t)sizeof(double), shared.len) < 0) {
        PyErr_SetString(PyExc_ValueError, "these bytes are not the entries of a tape");
        goto done;
    }
    if ((outputs = PyMem_RawCalloc((size_t)program->output_count + 1, sizeof(int32_t))) == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t k = 0; k < program->output_count; k++) {
        long entry = PyLong_AsLong(PySequence_Fast_GET_ITEM(items, k));
        if (entry < 0 || entry >= fold.count) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "an output of a program is not an entry of its tape");
            goto done;
        }
        outputs[k] = (int32_t)entry;
    }
    fold_tape(&fold, outputs, program->output_count);
    if (fold.failed || take_fold(program, &fold, outputs) < 0)
        PyErr_NoMemory();
done:
    fold_release(&fold);
    PyMem_RawFree(outputs);
    Py_XDECREF(items);
    PyBuffer_Release(&entries);
    PyBuffer_Release(&constants);
    PyBuffer_Release(&shared);
    if (PyErr_Occurred())
        Py_CLEAR(program);
    return (PyObject *)program;
}

/* Read a list of pairs (kind, index), of kinds up to `last`. */
static int
read_connections(PyObject *listed, Connection *found, Py_ssize_t count, int last, Py_ssize_t *numbers, Py_ssize_t *values)
{
    PyObject *items = PySequence_Fast(listed, "connections are a list of pairs");
    if (items == NULL)
        return -1;
    int failed = PySequence_Fast_GET_SIZE(items) != count;
    for (Py_ssize_t k = 0; !failed && k < count; k++) {
        PyObject *pair = PySequence_Fast_GET_ITEM(items, k);
        int kind, index;
        if (!PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "ii", &kind, &index) || kind < NUMBER || kind > last || index < 0) {
            failed = 1;
            break;
        }
        found[k].kind = kind;
        found[k].index = index;
        Py_ssize_t *most = kind == NUMBER ? numbers : values, next = (Py_ssize_t)index + 1;
        if (kind != EXACT && next > *most)
            *most = next;
    }
    Py_DECREF(items);
    if (failed && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "a program needs a connection (kind, index) for each of its inputs and outputs");
    return failed ? -1 : 0;
}

/* Return whether each number that a call gets is an output. */
static int
returns_all(const Program *program)
{
    if (program->returned > program->output_count)
        return 0;
    char *found = PyMem_RawCalloc((size_t)program->returned + 1, 1);
    if (found == NULL) {
        PyErr_NoMemory();
        return 0;
    }
    for (Py_ssize_t k = 0; k < program->output_count; k++) {
        if (program->outputs[k].kind == NUMBER)
            found[program->outputs[k].index] = 1;
    }
    int all = memchr(found, 0, (size_t)program->returned) == NULL;
    PyMem_RawFree(found);
    return all;
}

static PyObject *
program_connect(PyObject *self, PyObject *arguments)
{
    Program *program = (Program *)self;
    PyObject *inputs, *outputs;
    if (!PyArg_ParseTuple(arguments, "OO:connect", &inputs, &outputs))
        return NULL;
    program->numbers = program->returned = program->values = 0;
    program->is_connected = 0;
    if (read_connections(inputs, program->inputs, program->input_count, GRAD, &program->numbers, &program->values) < 0
        || read_connections(outputs, program->outputs, program->output_count, EXACT, &program->returned, &program->values) < 0)
        return NULL;
    if (!returns_all(program)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "the outputs that a program returns have the indices 0, 1, 2, ...");
        return NULL;
    }
    program->is_connected = 1;
    Py_RETURN_NONE;
}

/* Return whether a Value, or its gradient, was made while recording, so that it holds no number. */
static int
is_leaked(Value *node)
{
    PyObject *grad = node->flags & OBJECT_GRAD ? get_attribute(node, string_grad) : NULL;
    return node->flags & TRACED || (grad != NULL && is_traced(grad));
}

static double
gradient_of(Value *node)
{
    PyObject *grad = node->flags & OBJECT_GRAD ? get_attribute(node, string_grad) : NULL;
    return grad != NULL && IS_VALUE_OR_SUBCLASS(grad) ? ((Value *)grad)->data : node->grad;
}

/* Read the inputs and compute, without storing anything. Return -1 and set an error if that fails. */
static int
compute_outputs(Program *program, PyObject *values, PyObject *listed)
{
    PyObject *numbers = PySequence_Fast(listed, "run takes a sequence of numbers");
    if (numbers == NULL)
        return -1;
    double *given = PyMem_RawMalloc(((size_t)program->numbers + 1) * sizeof(double));
    int failed = given == NULL;
    if (failed)
        PyErr_NoMemory();
    if (!failed && (!program->is_connected || PyTuple_GET_SIZE(values) < program->values
                    || PySequence_Fast_GET_SIZE(numbers) < program->numbers)) {
        PyErr_SetString(PyExc_ValueError, "the Values and numbers of a call do not match the program");
        failed = 1;
    }
    for (Py_ssize_t i = 0; !failed && i < program->values; i++) {
        if (!IS_VALUE_OR_SUBCLASS(PyTuple_GET_ITEM(values, i))) {
            PyErr_SetString(PyExc_TypeError, "a program of numbers works on Values");
            failed = 1;
        } else if (is_leaked((Value *)PyTuple_GET_ITEM(values, i))) {
            raise_trace_error(LEAKED);
            failed = 1;
        }
    }
    for (Py_ssize_t i = 0; !failed && i < program->numbers; i++) { /* may run Python code, so it comes first */
        PyObject *number = i < PySequence_Fast_GET_SIZE(numbers) ? Py_NewRef(PySequence_Fast_GET_ITEM(numbers, i)) : NULL;
        if (number == NULL)
            PyErr_SetString(PyExc_ValueError, "the numbers of a call changed while they were read");
        else
            given[i] = PyFloat_AsDouble(number);
        failed = number == NULL || (given[i] == -1.0 && PyErr_Occurred());
        Py_XDECREF(number);
    }
    double *memory = program->memory;
    for (Py_ssize_t k = 0; !failed && k < program->input_count; k++) {
        const Connection *input = &program->inputs[k];
        if (input->slot < 0)
            continue;
        Value *node = input->kind == NUMBER ? NULL : (Value *)PyTuple_GET_ITEM(values, input->index);
        memory[input->slot] = input->kind == NUMBER ? given[input->index] : input->kind == DATA ? node->data : gradient_of(node);
    }
    if (!failed)
        run_code(memory, program->code);
    for (Py_ssize_t k = 0; k < program->output_count && !failed; k++) {
        double x = memory[program->outputs[k].slot];
        if (program->outputs[k].kind == EXACT && !(fabs(x) < EXACT_LIMIT)) {
            PyObject *number = PyFloat_FromDouble(x);
            if (number != NULL)
                PyErr_SetObject(PyExc_ArithmeticError, number);
            Py_XDECREF(number);
            failed = 1;
        }
    }
    PyMem_RawFree(given);
    Py_DECREF(numbers);
    return failed ? -1 : 0;
}

/* Return the outputs that a call gets as a list; if `with_stores`, those that it stores too, in their order. */
static PyObject *
list_outputs(const Program *program, int with_stores)
{
    Py_ssize_t stores = 0, next = program->returned;
    for (Py_ssize_t k = 0; with_stores && k < program->output_count; k++)
        stores += program->outputs[k].kind == DATA || program->outputs[k].kind == GRAD;
    PyObject *found = PyList_New(program->returned + stores);
    for (Py_ssize_t k = 0; found != NULL && k < program->output_count; k++) {
        const Connection *output = &program->outputs[k];
        if (output->kind != NUMBER && (output->kind == EXACT || !with_stores))
            continue;
        PyObject *number = PyFloat_FromDouble(program->memory[output->slot]);
        if (number == NULL)
            Py_CLEAR(found);
        else
            PyList_SetItem(found, output->kind == NUMBER ? output->index : next++, number);
    }
    return found;
}

/* Store the outputs that belong to Values: those of `found`, which list_outputs() returned, or else those in memory. */
static int
store_outputs(const Program *program, PyObject *values, PyObject *found)
{
    Py_ssize_t next = program->returned;
    for (Py_ssize_t k = 0; k < program->output_count; k++) {
        const Connection *output = &program->outputs[k];
        if (output->kind != DATA && output->kind != GRAD)
            continue;
        Value *node = (Value *)PyTuple_GET_ITEM(values, output->index);
        double x = found == NULL ? program->memory[output->slot] : PyFloat_AS_DOUBLE(PyList_GET_ITEM(found, next++));
        if (output->kind == DATA) {
            node->data = x;
            if (HAS_TIME_ASSIGNED(node)) /* a parameter; other nodes would need memory */
                note_assignment(node);
        } else {
            node->grad = x;
            node->flags &= ~(SPENT | GRAD_USED);
        }
    }
    for (Py_ssize_t k = 0; k < program->output_count; k++) { /* last: it may free a graph, and run Python code */
        const Connection *output = &program->outputs[k];
        Value *node = output->kind == GRAD ? (Value *)PyTuple_GET_ITEM(values, output->index) : NULL;
        if (node != NULL && node->flags & OBJECT_GRAD) {
            node->flags &= ~OBJECT_GRAD;
            if (del_attribute(node, string_grad) < 0)
                return -1;
        }
    }
    return 0;
}

static PyObject *
program_run(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    Program *program = (Program *)self;
    if (count != 2 || !PyTuple_Check(arguments[0]))
        return PyErr_Format(PyExc_TypeError, "run takes a tuple of Values and a sequence of numbers");
    if (compute_outputs(program, arguments[0], arguments[1]) < 0)
        return NULL;
    PyObject *found = list_outputs(program, 0);
    if (found != NULL && store_outputs(program, arguments[0], NULL) < 0)
        Py_CLEAR(found);
    return found;
}

static PyObject *
program_prepare(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 2 || !PyTuple_Check(arguments[0]))
        return PyErr_Format(PyExc_TypeError, "prepare takes a tuple of Values and a sequence of numbers");
    return compute_outputs((Program *)self, arguments[0], arguments[1]) < 0 ? NULL : list_outputs((Program *)self, 1);
}

static PyObject *
program_store(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    Program *program = (Program *)self;
    int fits = count == 2 && PyTuple_Check(arguments[0]) && PyList_Check(arguments[1]) && program->is_connected
        && PyTuple_GET_SIZE(arguments[0]) >= program->values;
    Py_ssize_t needed = program->returned;
    for (Py_ssize_t k = 0; fits && k < program->output_count; k++)
        needed += program->outputs[k].kind == DATA || program->outputs[k].kind == GRAD;
    fits = fits && PyList_GET_SIZE(arguments[1]) == needed;
    for (Py_ssize_t i = 0; fits && i < needed; i++)
        fits = PyFloat_Check(PyList_GET_ITEM(arguments[1], i));
    for (Py_ssize_t i = 0; fits && i < program->values; i++)
        fits = IS_VALUE_OR_SUBCLASS(PyTuple_GET_ITEM(arguments[0], i));
    if (!fits)
        return PyErr_Format(PyExc_TypeError, "store takes a tuple of Values and the list that prepare returned");
    if (store_outputs(program, arguments[0], arguments[1]) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* program.assignments(values, outputs): how to store what prepare returned: functions and their arguments. */
static PyObject *
program_assignments(PyObject *self, PyObject *arguments)
{
    PyObject *values, *outputs, *store = PyObject_GetAttrString(self, "store");
    if (store == NULL || !PyArg_ParseTuple(arguments, "OO:assignments", &values, &outputs)) {
        Py_XDECREF(store);
        return NULL;
    }
    return Py_BuildValue("[(NOO)]", store, values, outputs);
}

static PyObject *
program_describe(PyObject *self, PyObject *unused)
{
    Program *program = (Program *)self;
    size_t bytes = sizeof(Program) + program->code_count * sizeof(int32_t) + (program->slots + 4 * WIDTH) * sizeof(double)
        + (size_t)(program->input_count + program->output_count) * sizeof(Connection);
    return Py_BuildValue(
        "{sL sL sL sL sL sL sL sL sL sn sn}", "operations", program->operations, "instructions", program->instructions,
        "dot_products", program->dots, "dot_products_in_lanes", program->dots_in_lanes, "lane_instructions",
        program->lane_instructions, "lane_operations", program->lane_operations, "gathers", program->gathers, "reordered_sums",
        program->runs, "lanes", program->widest, "slots", (Py_ssize_t)program->slots, "bytes", (Py_ssize_t)bytes);
}

/* Return the instructions as bytes of int32: instructions.h describes them. */
static PyObject *
program_code(PyObject *self, PyObject *unused)
{
    Program *program = (Program *)self;
    return PyBytes_FromStringAndSize((const char *)program->code, (Py_ssize_t)(program->code_count * sizeof(int32_t)));
}

/* Return the slots of the inputs, -1 for one that no instruction reads, and of the outputs, as bytes of int32; and the
 * numbers in all slots as bytes of doubles: those that nothing writes are constants. */
static PyObject *
program_layout(PyObject *self, PyObject *unused)
{
    Program *program = (Program *)self;
    PyObject *inputs = PyBytes_FromStringAndSize(NULL, program->input_count * (Py_ssize_t)sizeof(int32_t));
    PyObject *outputs = PyBytes_FromStringAndSize(NULL, program->output_count * (Py_ssize_t)sizeof(int32_t));
    PyObject *numbers = PyBytes_FromStringAndSize((const char *)program->memory, (Py_ssize_t)(program->slots * sizeof(double)));
    PyObject *found = NULL;
    if (inputs != NULL && outputs != NULL && numbers != NULL) {
        for (Py_ssize_t k = 0; k < program->input_count; k++)
            memcpy(PyBytes_AS_STRING(inputs) + k * (Py_ssize_t)sizeof(int32_t), &program->inputs[k].slot, sizeof(int32_t));
        for (Py_ssize_t k = 0; k < program->output_count; k++)
            memcpy(PyBytes_AS_STRING(outputs) + k * (Py_ssize_t)sizeof(int32_t), &program->outputs[k].slot, sizeof(int32_t));
        found = PyTuple_Pack(3, inputs, outputs, numbers);
    }
    Py_XDECREF(inputs);
    Py_XDECREF(outputs);
    Py_XDECREF(numbers);
    return found;
}

static PyMethodDef program_methods[] = {
    {"connect", program_connect, METH_VARARGS, "Say where the inputs come from, and where the outputs go."},
    {"run", METHOD(program_run), METH_FASTCALL, "Run the program on Values and numbers."},
    {"prepare", METHOD(program_prepare), METH_FASTCALL, "Run the program, and store nothing."},
    {"store", METHOD(program_store), METH_FASTCALL, "Store what prepare returned."},
    {"assignments", program_assignments, METH_VARARGS, "Return how to store what prepare returned."},
    {"describe", program_describe, METH_NOARGS, "Return what was found, as a dict of counts."},
    {"code", program_code, METH_NOARGS, "Return the instructions as bytes."},
    {"layout", program_layout, METH_NOARGS, "Return the slots of inputs and outputs, and the numbers in all slots."},
    {NULL},
};
EXTENSION static PyType_Slot program_slots[] = {
    {Py_tp_new, program_new}, {Py_tp_dealloc, program_dealloc}, {Py_tp_methods, program_methods}, {0, NULL},
};
static PyType_Spec program_spec = {
    "adjoint.engine._core.Program", sizeof(Program), 0, Py_TPFLAGS_DEFAULT, program_slots,
};

#endif
