/* The attributes of a Value: data, gradient, label, and how it was made. */
#ifndef ADJOINT_ATTRIBUTES_H
#define ADJOINT_ATTRIBUTES_H

#include "node.h"
#include "python_side.h"
#include "trace_backward.h"

static int
read_number(PyObject *object, const char *who, double *x)
{
    if (PyFloat_CheckExact(object)) {
        *x = PyFloat_AS_DOUBLE(object);
        return 0;
    }
    if (IS_TRACED_NUMBER(object))
        return raise_trace_error(LEAKED);
    PyObject *number = PyObject_CallFunction(to_number, "Os", object, who);
    if (number == NULL)
        return -1;
    *x = PyFloat_AsDouble(number);
    Py_DECREF(number);
    return 0;
}

/* Return whether an object holds no references, so that an attribute with this value cannot close a cycle. */
static int
is_atomic(PyObject *object)
{
    return object == NULL || object == Py_None || PyUnicode_CheckExact(object) || PyFloat_CheckExact(object)
        || PyLong_CheckExact(object) || PyBool_Check(object);
}

static int
set_attribute(Value *node, PyObject *name, PyObject *to)
{
    if (node->attributes == NULL && (node->attributes = PyDict_New()) == NULL)
        return -1;
    if (!is_atomic(to) && (track(node) < 0 || (IS_VALUE_OR_SUBCLASS(to) && track((Value *)to) < 0)))
        return -1;
    return PyDict_SetItem(node->attributes, name, to);
}

static PyObject *
get_attribute(Value *node, PyObject *name)
{
    return node->attributes == NULL ? NULL : PyDict_GetItemWithError(node->attributes, name);
}

static int
del_attribute(Value *node, PyObject *name)
{
    int found = node->attributes == NULL ? 0 : PyDict_Contains(node->attributes, name);
    return found <= 0 ? found : PyDict_DelItem(node->attributes, name);
}

/* Return when the data of an ASSIGNED node was assigned. */
static int64_t
time_assigned(Value *node)
{
    if (HAS_TIME_ASSIGNED(node))
        return node->assigned_at;
    PyObject *when = get_attribute(node, string_assigned_at);
    return when == NULL ? 0 : PyLong_AsLongLong(when);
}

/* Note that the data of a node is assigned now. */
static int
note_assignment(Value *node)
{
    int64_t when = tick_of_assignment();
    node->flags |= ASSIGNED;
    if (HAS_TIME_ASSIGNED(node)) {
        node->assigned_at = when;
        return 0;
    }
    PyObject *number = PyLong_FromLongLong(when); /* the fields of other nodes are all in use */
    int failed = number == NULL ? -1 : set_attribute(node, string_assigned_at, number);
    Py_XDECREF(number);
    return failed;
}

static int
cannot_delete(PyObject *to)
{
    if (to == NULL)
        PyErr_SetString(PyExc_AttributeError, "this attribute of a Value cannot be deleted");
    return to == NULL;
}

/* Whether tracing may have to do with a Value: see traced.h. */
static inline int
may_be_traced(Value *node)
{
    return active_switches != 0 || node->flags & TRACED;
}

/* Return the tape of the context. Raise if there is none and the node was made while recording one. */
static Tape *
tape_for(Value *node)
{
    int flags;
    Tape *tape = current_tape(&flags);
    if (is_made_here(tape, node) < 0)
        return NULL;
    return tape;
}

/* Return the entry of a number that is assigned to a Value, as a float; -1 after an error. */
static int32_t
read_entry_for(Tape *tape, PyObject *to, const char *who)
{
    int kind;
    int32_t entry = number_entry(tape, to, &kind);
    if (entry != UNUSUAL_OPERAND)
        return as_float(tape, entry);
    double x = 0.0;
    return read_number(to, who, &x) < 0 ? -1 : tape_constant(tape, x);
}

static PyObject *
get_data(PyObject *self, void *unused)
{
    if (may_be_traced((Value *)self)) {
        Tape *tape = tape_for((Value *)self);
        if (tape != NULL)
            return number_of(tape, data_entry_of(tape, (Value *)self));
        if (PyErr_Occurred())
            return NULL;
    }
    return PyFloat_FromDouble(((Value *)self)->data);
}

/* Let a function of backward_guards.py look at a node. Return -1 after an error, such as a warning that is one. */
static int
call_guard(PyObject *guard, PyObject *node)
{
    PyObject *none = PyObject_CallOneArg(guard, node);
    Py_XDECREF(none);
    return none == NULL ? -1 : 0;
}

static int
set_data(PyObject *self, PyObject *to, void *by_the_engine)
{
    Value *node = (Value *)self;
    if (cannot_delete(to))
        return -1;
    if (may_be_traced((Value *)self)) {
        Tape *tape = tape_for((Value *)self);
        int32_t entry = tape == NULL ? -1 : read_entry_for(tape, to, "data");
        if (tape != NULL)
            return entry < 0 ? -1 : set_data_entry(tape, (Value *)self, entry);
        if (PyErr_Occurred())
            return -1;
    }
    if (read_number(to, "data", &node->data) < 0)
        return -1;
    if (by_the_engine != NULL)
        return 0;
    int is_update = node->flags & GRAD_READ;
    if (is_update) {
        node->flags &= ~GRAD_READ;
        if (!(node->flags & INNER) && (node->grad != 0.0 || node->flags & OBJECT_GRAD))
            node->flags |= GRAD_USED;
    }
    if (note_assignment(node) < 0)
        return -1;
    return is_update && UNLIKELY(node->flags & DOUBTFUL) ? call_guard(check_update, self) : 0;
}

/* Note that the program reads the gradient of an inner node, if it is the sum or difference of a Value and a constant. */
static int
note_read_of_inner(Value *node)
{
    int is_shift = !(node->flags & (GENERIC | OBJECT_GRAD)) && (node->row == add_index || node->row == sub_index)
        && (node->operand[0] == NULL || node->operand[1] == NULL);
    if (!is_shift || node->grad == 0.0)
        return 0;
    PyObject *none = PyObject_CallFunction(note_read, "OLL", node, (long long)time_made(node),
                                           (long long)tick_of_assignment());
    Py_XDECREF(none);
    return none == NULL ? -1 : 0;
}

static PyObject *
get_grad(PyObject *self, void *by_the_engine)
{
    Value *node = (Value *)self;
    PyObject *grad;
    if (may_be_traced(node)) {
        Tape *tape = tape_for(node);
        int32_t entry = tape == NULL ? -1 : grad_entry_of(tape, node, &grad);
        if (tape != NULL)
            return entry < 0 ? Py_XNewRef(grad) : number_of(tape, entry);
        if (PyErr_Occurred())
            return NULL;
    }
    if (by_the_engine == NULL) {
        node->flags |= GRAD_READ;
        if (UNLIKELY(node->flags & INNER) && note_read_of_inner(node) < 0)
            return NULL;
    }
    grad = node->flags & OBJECT_GRAD ? get_attribute(node, string_grad) : NULL;
    return grad != NULL ? Py_NewRef(grad) : PyFloat_FromDouble(node->grad);
}

/* Note that the user's program assigns the gradient. */
static inline void
note_assigned_grad(Value *node)
{
    node->flags = (node->flags & ~(SPENT | GRAD_USED | GRAD_READ)) | (node->flags & GRAD_READ ? 0 : GRAD_REPLACED);
}

static int
set_grad(PyObject *self, PyObject *to, void *by_the_engine)
{
    Value *node = (Value *)self;
    double grad = 0.0;
    int32_t entry = -1;
    if (cannot_delete(to))
        return -1;
    if (may_be_traced(node)) {
        Tape *tape = tape_for(node);
        if (PyErr_Occurred())
            return -1;
        int is_object = IS_VALUE_OR_SUBCLASS(to);
        if (tape != NULL && is_object && IS_ARRAY(to))
            return raise_arrays_needed();
        if (tape != NULL && !is_object) {
            entry = to == Py_None ? tape_constant(tape, 0.0) : read_entry_for(tape, to, "grad");
            if (entry < 0)
                return -1;
        }
        if (tape != NULL && !(node->flags & TRACED))
            return set_external_grad(tape, node, entry, is_object ? to : NULL);
    }
    if (by_the_engine == NULL)
        note_assigned_grad(node);
    if (IS_VALUE_OR_SUBCLASS(to)) {
        if (set_attribute(node, string_grad, to) < 0)
            return -1;
        node->flags |= OBJECT_GRAD;
        return 0;
    }
    if (entry < 0 && to != Py_None && read_number(to, "grad", &grad) < 0)
        return -1;
    if (node->flags & OBJECT_GRAD) {
        node->flags &= ~OBJECT_GRAD;
        if (del_attribute(node, string_grad) < 0)
            return -1;
    }
    if (node->flags & TRACED)
        node->grad_entry = entry;
    else
        node->grad = grad;
    return 0;
}

static PyObject *
get_spent(PyObject *self, void *unused)
{
    return PyBool_FromLong(((Value *)self)->flags & SPENT);
}

static int
set_spent(PyObject *self, PyObject *to, void *unused)
{
    int on = to == NULL ? 0 : PyObject_IsTrue(to);
    if (modes() & TRACING && !(((Value *)self)->flags & TRACED)) /* it is not changed while recording */
        return on < 0 ? -1 : 0;
    if (on >= 0)
        ((Value *)self)->flags = on ? ((Value *)self)->flags | SPENT : ((Value *)self)->flags & ~SPENT;
    return on < 0 ? -1 : 0;
}

static PyObject *
get_flag(PyObject *self, void *flag)
{
    return PyBool_FromLong(((Value *)self)->flags & (uintptr_t)flag);
}

static int
set_flag(PyObject *self, PyObject *to, void *flag)
{
    Value *node = (Value *)self;
    int on = to == NULL ? 0 : PyObject_IsTrue(to);
    if (on >= 0)
        node->flags = (uint16_t)(on ? node->flags | (uintptr_t)flag : node->flags & ~(uintptr_t)flag);
    return on < 0 ? -1 : 0;
}

/* All marks at once: see marks.py. */
static PyObject *
get_marks(PyObject *self, void *unused)
{
    return PyLong_FromLong(((Value *)self)->flags);
}

static PyObject *
get_made_at(PyObject *self, void *unused)
{
    return PyLong_FromLongLong(time_made((Value *)self));
}

static PyObject *
get_assigned_at(PyObject *self, void *unused)
{
    Value *node = (Value *)self;
    return PyLong_FromLongLong(node->flags & ASSIGNED && !(node->flags & TRACED) ? time_assigned(node) : 0);
}

static PyObject *
value_zero_grad(PyObject *self, PyObject *unused)
{
    if (set_grad(self, Py_None, NULL) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
get_label(PyObject *self, void *unused)
{
    PyObject *label = get_attribute((Value *)self, string_label);
    return Py_NewRef(label != NULL ? label : empty_string);
}

static int
set_label(PyObject *self, PyObject *to, void *unused)
{
    return cannot_delete(to) ? -1 : set_attribute((Value *)self, string_label, to);
}

static PyObject *
get_closure(PyObject *self, void *unused)
{
    PyObject *closure = get_attribute((Value *)self, string_closure);
    return Py_NewRef(closure != NULL ? closure : Py_None);
}

static int
set_closure(PyObject *self, PyObject *to, void *unused)
{
    if (cannot_delete(to) || set_attribute((Value *)self, string_closure, to) < 0)
        return -1;
    ((Value *)self)->flags |= BY_HAND; /* stays set if the closure is removed: chain_rule.py handles that */
    return 0;
}

static PyObject *
get_by_hand(PyObject *self, void *unused)
{
    return PyBool_FromLong(((Value *)self)->flags & BY_HAND);
}

static int
set_by_hand(PyObject *self, PyObject *to, void *unused)
{
    int on = cannot_delete(to) ? -1 : PyObject_IsTrue(to);
    if (on >= 0)
        ((Value *)self)->flags = on ? ((Value *)self)->flags | BY_HAND : ((Value *)self)->flags & ~BY_HAND;
    return on < 0 ? -1 : 0;
}

static PyObject *
get_rule(PyObject *self, void *unused)
{
    Value *node = (Value *)self;
    if (node->flags & GENERIC)
        return Py_NewRef(PyTuple_GET_ITEM(node->generic.rule, 0));
    return Py_NewRef(node->flags & (INNER | FREED) ? PyTuple_GET_ITEM(rows, node->row) : empty_string);
}

static PyObject *
get_parents(PyObject *self, void *unused)
{
    Py_ssize_t count = 0;
    FOR_EACH_PARENT((Value *)self, parent, derivative, { (void)parent; count++; });
    PyObject *parents = PyTuple_New(count);
    if (parents == NULL)
        return NULL;
    count = 0;
    FOR_EACH_PARENT((Value *)self, parent, derivative, {
        PyTuple_SET_ITEM(parents, count++, Py_NewRef((PyObject *)parent));
    });
    return parents;
}

static PyObject *
get_operands(PyObject *self, void *unused)
{
    Value *node = (Value *)self;
    if (node->flags & GENERIC)
        return Py_NewRef(node->generic.operands != NULL ? node->generic.operands : empty_tuple);
    if (!(node->flags & INNER))
        return Py_NewRef(empty_tuple);
    PyObject *names = PyObject_GetAttrString(PyTuple_GET_ITEM(rows, node->row), "operands");
    Py_ssize_t count = names == NULL ? -1 : PyTuple_Size(names);
    Py_XDECREF(names);
    PyObject *operands = count < 0 ? NULL : PyTuple_New(count);
    Tape *tape = node->flags & TRACED ? tape_for(node) : NULL;
    for (Py_ssize_t i = 0; operands != NULL && i < count; i++) {
        PyObject *operand = node->operand[i] != NULL ? Py_NewRef((PyObject *)node->operand[i])
            : tape != NULL ? number_of(tape, node->operand_entry[i])
            : node->flags & TRACED ? NULL : PyFloat_FromDouble(node->derivative[i]);
        if (operand == NULL)
            Py_CLEAR(operands);
        else
            PyTuple_SET_ITEM(operands, i, operand);
    }
    return operands;
}

static PyObject *
get_derivatives(PyObject *self, void *unused)
{
    Value *node = (Value *)self;
    if (node->flags & FREED)
        Py_RETURN_NONE;
    if (node->flags & GENERIC)
        return Py_NewRef(PyTuple_GET_ITEM(node->generic.rule, 1));
    PyObject *found[2];
    Py_ssize_t count = 0;
    int failed = 0;
    Tape *tape = node->flags & TRACED ? tape_for(node) : NULL;
    if (tape == NULL && PyErr_Occurred())
        return NULL;
    FOR_EACH_PARENT(node, parent, derivative, {
        (void)parent;
        found[count] = tape != NULL ? number_of(tape, traced_derivative(tape, node, i_)) : PyFloat_FromDouble(derivative);
        failed |= found[count++] == NULL;
    });
    PyObject *derivatives = failed ? NULL : PyTuple_New(count);
    for (Py_ssize_t i = 0; i < count; i++) {
        if (derivatives != NULL)
            PyTuple_SET_ITEM(derivatives, i, found[i]);
        else
            Py_XDECREF(found[i]);
    }
    return derivatives;
}

/* When the data of an array was last assigned. It is a field of the core, so that storing what a compiled step has changed runs
 * no Python code, and an interrupt finds all of it or nothing. */
static PyObject *
get_changed(PyObject *self, void *unused)
{
    PyObject *when = get_attribute((Value *)self, string_changed);
    return when != NULL ? Py_NewRef(when) : PyErr_Occurred() ? NULL : PyLong_FromLong(0);
}

static int
set_changed(PyObject *self, PyObject *to, void *unused)
{
    return cannot_delete(to) ? -1 : set_attribute((Value *)self, string_changed, to);
}

/* The dictionary of the attributes that few nodes have, or None: see marks.py. */
static PyObject *
get_rare(PyObject *self, void *unused)
{
    PyObject *attributes = ((Value *)self)->attributes;
    return Py_NewRef(attributes == NULL ? Py_None : attributes);
}

static int
set_rare(PyObject *self, PyObject *to, void *unused)
{
    Value *node = (Value *)self;
    PyObject *name, *x;
    Py_ssize_t place = 0;
    if (to == NULL || !PyDict_CheckExact(to)) {
        PyErr_SetString(PyExc_TypeError, "the attributes of a Value are in a dictionary");
        return -1;
    }
    Py_XSETREF(node->attributes, Py_NewRef(to));
    while (PyDict_Next(to, &place, &name, &x)) {
        if (!is_atomic(x) && (track(node) < 0 || (IS_VALUE_OR_SUBCLASS(x) && track((Value *)x) < 0)))
            return -1;
    }
    return 0;
}

static PyGetSetDef value_getset[] = {
    {"data", get_data, set_data},
    {"_data", get_data, set_data, NULL, (void *)1},
    {"grad", get_grad, set_grad},
    {"_grad", get_grad, set_grad, NULL, (void *)1},
    {"_spent", get_spent, set_spent},
    {"_grad_read", get_flag, set_flag, NULL, (void *)GRAD_READ},
    {"_grad_used", get_flag, set_flag, NULL, (void *)GRAD_USED},
    {"_grad_replaced", get_flag, set_flag, NULL, (void *)GRAD_REPLACED},
    {"_frozen", get_flag, set_flag, NULL, (void *)FROZEN},
    {"_unrecorded", get_flag, set_flag, NULL, (void *)UNRECORDED},
    {"_doubtful", get_flag, set_flag, NULL, (void *)DOUBTFUL},
    {"_marks", get_marks},
    {"_passed", get_flag, set_flag, NULL, (void *)PASSED},
    {"_computed_at", get_made_at},
    {"_assigned_at", get_assigned_at},
    {"label", get_label, set_label},
    {"parents", get_parents},
    {"_operands", get_operands},
    {"_rule", get_rule},
    {"_derivatives", get_derivatives},
    {"_closure", get_closure, set_closure},
    {"_by_hand", get_by_hand, set_by_hand},
    {"_changed", get_changed, set_changed},
    {"_rare", get_rare, set_rare},
    {NULL},
};

#endif
