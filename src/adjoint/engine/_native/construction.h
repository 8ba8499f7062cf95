/* How a Value is made: by Value(...), and by make_node() for the results of operations. */
#ifndef ADJOINT_CONSTRUCTION_H
#define ADJOINT_CONSTRUCTION_H

#include "attributes.h"
#include "traced_nodes.h"

static PyObject *
value_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    int flags;
    Tape *tape = active_switches == 0 ? NULL : current_tape(&flags);
    if (type != value_type && type != traced_type) {
        if (tape != NULL && !(tensor_type != NULL && PyType_IsSubtype(type, tensor_type)))
            return (PyObject *)traced_node(tape, type, tape_constant(tape, 0.0));
        return type->tp_alloc(type, 0); /* a subclass: zero-initialized, and tracked from the start */
    }
    PyObject *data = NULL;
    if (arguments != NULL && PyTuple_GET_SIZE(arguments))
        data = PyTuple_GET_ITEM(arguments, 0);
    else if (keywords != NULL)
        data = PyDict_GetItemString(keywords, "data");
    if (data == NULL || PyFloat_Check(data) || PyLong_CheckExact(data) || IS_TRACED_NUMBER(data))
        return tape == NULL ? (PyObject *)node_new(0.0)
                            : (PyObject *)traced_node(tape, value_type, tape_constant(tape, 0.0));
    PyObject *kind = PyObject_CallOneArg(class_for, data); /* Tensor for an array, None for a number */
    if (kind == NULL)
        return NULL;
    PyObject *made = kind != Py_None ? ((PyTypeObject *)kind)->tp_alloc((PyTypeObject *)kind, 0)
        : tape == NULL ? (PyObject *)node_new(0.0)
        : (PyObject *)traced_node(tape, value_type, tape_constant(tape, 0.0));
    Py_DECREF(kind);
    return made;
}

/* Give a node a rule that is not a row of the table. */
static int
set_generic(Value *node, PyObject *rule, PyObject *operands, PyObject *derivatives)
{
    PyObject *pair = PyTuple_Pack(2, rule, derivatives);
    if (pair == NULL)
        return -1;
    node->generic.rule = pair;
    node->generic.operands = Py_NewRef(operands);
    node->day = PyTuple_GET_SIZE(operands) ? today : 0;
    made_before = -1; /* nodes of subclasses are not counted */
    node->flags |= GENERIC | (PyTuple_GET_SIZE(operands) ? INNER : 0) | (PyUnicode_Check(rule) && !PyTuple_GET_SIZE(derivatives) ? BY_HAND : 0);
    return 0;
}

/* Return the local gradients that are given with children; NULL after an error. */
static PyObject *
read_local_gradients(PyObject *children, PyObject *given)
{
    int is_usual = PyTuple_CheckExact(given) && PyTuple_GET_SIZE(given) == PyTuple_GET_SIZE(children);
    for (Py_ssize_t i = 0; is_usual && i < PyTuple_GET_SIZE(given); i++)
        is_usual = PyFloat_CheckExact(PyTuple_GET_ITEM(given, i)) && IS_VALUE_OR_TRACED(PyTuple_GET_ITEM(children, i));
    return is_usual ? Py_NewRef(given) : PyObject_CallFunctionObjArgs(python_local_gradients, children, given, NULL);
}

static int
value_init(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"data", "_children", "_op", "label", "requires_grad", NULL};
    Value *node = (Value *)self, *dying = NULL;
    PyObject *data, *children = empty_tuple, *op = empty_string, *label = NULL, *requires_grad = Py_True;
    if (keywords == NULL && PyTuple_GET_SIZE(arguments) == 1)
        data = PyTuple_GET_ITEM(arguments, 0);
    else if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OOO$O:Value", names, &data, &children, &op, &label,
                                          &requires_grad))
        return -1;
    if (PyUnicode_Check(children)) {
        label = children;
        children = empty_tuple;
    }
    PyObject *given = children;
    children = IS_VALUE_OR_SUBCLASS(given) ? NULL : PySequence_Tuple(given); /* a single Value is not a tuple */
    if (children == NULL && PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError))
        return -1;
    PyErr_Clear();
    int flags, refused = children == NULL;
    Tape *tape = current_tape(&flags);
    for (Py_ssize_t i = 0; !refused && i < PyTuple_GET_SIZE(children); i++)
        refused = !IS_VALUE_OR_SUBCLASS(PyTuple_GET_ITEM(children, i));
    for (Py_ssize_t i = 0; !refused && i < PyTuple_GET_SIZE(children); i++) {
        if (is_made_here(tape, (Value *)PyTuple_GET_ITEM(children, i)) < 0) {
            Py_DECREF(children);
            return -1;
        }
    }
    PyObject *derivatives = Py_NewRef(empty_tuple);
    int is_sequence = PyTuple_Check(op) || PyList_Check(op);
    if (is_sequence && PyObject_Size(op) > 0 && !refused)
        Py_SETREF(derivatives, read_local_gradients(children, op));
    if (derivatives == NULL) {
        Py_DECREF(children);
        return -1;
    }
    if (op == Py_None || is_sequence)
        op = empty_string;
    if (refused || !PyUnicode_Check(op)) { /* special.py raises the error */
        PyObject *none = PyObject_CallFunctionObjArgs(python_history, children ? children : given, op, empty_string, NULL);
        Py_XDECREF(children);
        Py_XDECREF(none);
        Py_DECREF(derivatives);
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "Value takes children that are Values and the name of an operation");
        return -1;
    }
    if (flags & NOT_RECORDING) {
        Py_SETREF(children, Py_NewRef(empty_tuple));
        Py_SETREF(derivatives, Py_NewRef(empty_tuple));
    }
    double x = 0.0;
    int32_t entry = -1;
    if ((node->flags & TRACED) != (tape != NULL) * TRACED)
        raise_trace_error(LEAKED); /* made before the recording and initialized again, or after it */
    else if (tape != NULL)
        entry = read_entry_for(tape, data, "Value");
    else
        read_number(data, "Value", &x);
    if (PyErr_Occurred()) {
        Py_DECREF(children);
        Py_DECREF(derivatives);
        return -1;
    }
    node_forget(node, &dying);
    bury_all(dying);
    node->data = x;
    node->grad = 0.0;
    node->flags &= TRACKED;
    if (tape != NULL)
        trace_node(node, tape, entry);
    int made_by_hand = PyTuple_GET_SIZE(children) || PyObject_IsTrue(op);
    int failed = made_by_hand && set_generic(node, op, children, derivatives) < 0;
    Py_DECREF(children);
    Py_DECREF(derivatives);
    if (failed || (label != NULL && label != empty_string && PyObject_SetAttr(self, string_label, label) < 0))
        return -1; /* a subclass may have its own attribute `label` */
    return requires_grad == Py_True ? 0 : PyObject_SetAttrString(self, "requires_grad", requires_grad);
}

/* make_node(kind, data, rule, operands, derivatives): make a node; value.py and other Python code call it. */
static PyObject *
make_node(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"kind", "data", "rule", "operands", "derivatives", NULL};
    PyTypeObject *kind;
    PyObject *data;
    PyObject *rule = empty_string, *operands = empty_tuple, *derivatives = empty_tuple;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!O|OO!O!:make_node", names, &PyType_Type, &kind, &data,
                                     &rule, &PyTuple_Type, &operands, &PyTuple_Type, &derivatives))
        return NULL;
    if (!PyType_IsSubtype(kind, value_type))
        return PyErr_Format(PyExc_TypeError, "make_node makes Values, not %s", kind->tp_name);
    Py_ssize_t variables = 0;
    int flags, is_tracing = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(operands); i++) {
        PyObject *operand = PyTuple_GET_ITEM(operands, i);
        is_tracing |= is_traced(operand);
        if (IS_VALUE_OR_SUBCLASS(operand))
            variables++;
        else if (!PyFloat_Check(operand) && !IS_TRACED_NUMBER(operand))
            return PyErr_Format(PyExc_TypeError, "make_node takes Values and floats as operands");
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(derivatives); i++) {
        is_tracing |= IS_TRACED_NUMBER(PyTuple_GET_ITEM(derivatives, i));
        if (!PyFloat_Check(PyTuple_GET_ITEM(derivatives, i)) && !IS_TRACED_NUMBER(PyTuple_GET_ITEM(derivatives, i)))
            return PyErr_Format(PyExc_TypeError, "make_node takes floats as derivatives");
    }
    if (variables != PyTuple_GET_SIZE(derivatives))
        return PyErr_Format(PyExc_TypeError, "make_node takes a derivative for each Value among the operands");
    Tape *tape = current_tape(&flags);
    double x = tape != NULL || IS_TRACED_NUMBER(data) ? 0.0 : PyFloat_AsDouble(data);
    if (x == -1.0 && PyErr_Occurred())
        return NULL;
    if (tape == NULL && (is_tracing || IS_TRACED_NUMBER(data))) {
        raise_trace_error(LEAKED);
        return NULL;
    }
    Value *node = (Value *)value_new(kind, NULL, NULL);
    if (node == NULL)
        return NULL;
    if (node->flags & TRACED) {
        node->traced.entry = read_entry_for(tape, data, "Value");
        if (node->traced.entry < 0)
            Py_CLEAR(node);
        if (node == NULL)
            return NULL;
    } else {
        node->data = x;
    }
    if (variables == 0) { /* a leaf, possibly with the name of an operation */
        if (PyUnicode_Check(rule) && PyObject_IsTrue(rule) && set_generic(node, rule, empty_tuple, empty_tuple) < 0)
            Py_CLEAR(node);
        return (PyObject *)node;
    }
    PyObject *place = PyDict_GetItemWithError(row_of, rule);
    if (node->flags & TRACED)
        node->result_entry = node->traced.entry;
    if (place == NULL || PyTuple_GET_SIZE(operands) > 2) {
        if (PyErr_Occurred() || set_generic(node, rule, operands, derivatives) < 0)
            Py_CLEAR(node);
        return (PyObject *)node;
    }
    for (Py_ssize_t i = 0, d = 0; i < PyTuple_GET_SIZE(operands); i++) {
        PyObject *operand = PyTuple_GET_ITEM(operands, i);
        if (node->flags & TRACED) {
            int kind;
            node->operand_entry[i] = operand_entry(tape, operand, &kind);
            if (node->operand_entry[i] < 0) {
                Py_DECREF(node);
                return NULL;
            }
            if (IS_VALUE_OR_SUBCLASS(operand))
                node->operand[i] = (Value *)Py_NewRef(operand);
        } else if (IS_VALUE_OR_SUBCLASS(operand))
            set_operand(node, i, (Value *)operand, PyFloat_AS_DOUBLE(PyTuple_GET_ITEM(derivatives, d++)));
        else
            set_operand(node, i, NULL, PyFloat_AS_DOUBLE(operand));
    }
    node->row = (uint8_t)PyLong_AsLong(place);
    node->day = today;
    made_before = -1; /* nodes of subclasses are not counted */
    node->flags |= INNER;
    return (PyObject *)node;
}

#endif
