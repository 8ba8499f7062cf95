/* The native core: the hot half of value.py's Value as a C type, with the same results to the last bit.
 *
 * ops.h, generated from ops.py, holds the calculus. What is unusual (a subclass, a NumPy scalar, a mode, an
 * error) is handed to the methods of the Python class, so that it is written once.
 */
#include "node.h"

#include <math.h>
#include <structmember.h>

#include "backward.h"

static inline double maximum(double x, double z) { return x > z || x != x ? x : z; }
static inline double minimum(double x, double z) { return x < z || x != x ? x : z; }

#include "ops.h"

static PyObject *rows;           /* a tuple of Ops, in the order of the table */
static PyObject *row_of;         /* a dict from Op to its place in it */
static PyObject *python_value;   /* the class that this type stands in for */
static PyObject *python_backward, *python_init, *python_float, *python_apply, *to_number;
static PyObject *operators[ROW_COUNT][2]; /* its __add__ and __radd__, by row */
static PyObject *string_label, *string_grad, *string_closure, *empty_string, *empty_tuple;

/* --- modes: what the thread has switched on ---------------------------------------------------- */

enum { NOT_RECORDING = 1, ANOMALY = 2, READING = 4 };

#if defined(__GNUC__) && defined(__linux__)
static _Thread_local int modes __attribute__((tls_model("initial-exec")));
#else
static _Thread_local int modes;
#endif

static PyObject *
modes_get(PyObject *self, void *flag)
{
    int on = (modes & (int)(intptr_t)flag) != 0;
    return PyBool_FromLong((intptr_t)flag == NOT_RECORDING ? !on : on);
}

static int
modes_set(PyObject *self, PyObject *to, void *flag)
{
    int on = to == NULL ? -1 : PyObject_IsTrue(to);
    if (on < 0) {
        if (to == NULL)
            PyErr_SetString(PyExc_AttributeError, "a mode cannot be deleted");
        return -1;
    }
    if ((intptr_t)flag == NOT_RECORDING)
        on = !on;
    modes = on ? modes | (int)(intptr_t)flag : modes & ~(int)(intptr_t)flag;
    return 0;
}

static PyObject *
modes_are_plain(PyObject *self, void *unused)
{
    return PyBool_FromLong(!(modes & (NOT_RECORDING | ANOMALY)));
}

static PyGetSetDef modes_getset[] = {
    {"recording", modes_get, modes_set, NULL, (void *)NOT_RECORDING},
    {"anomaly", modes_get, modes_set, NULL, (void *)ANOMALY},
    {"reading", modes_get, modes_set, NULL, (void *)READING},
    {"plain", modes_are_plain},
    {NULL},
};

static PyType_Slot modes_slots[] = {{Py_tp_getset, modes_getset}, {0, NULL}};
static PyType_Spec modes_spec = {"adjoint._core.Modes", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT, modes_slots};

/* --- applying a row of the table --------------------------------------------------------------- */

/* Read an operand: a Value, or a number that is a constant (then *node is NULL). Return whether it is one
 * that needs no help from Python. */
static inline int
read_operand(PyObject *object, Value **node, double *x)
{
    if (IS_VALUE(object)) {
        *node = (Value *)object;
        *x = (*node)->data;
        return 1;
    }
    *node = NULL;
    if (PyFloat_Check(object)) {
        *x = PyFloat_AS_DOUBLE(object);
        return 1;
    }
    if (PyLong_CheckExact(object)) {
        *x = PyLong_AsDouble(object);
        if (*x != -1.0 || !PyErr_Occurred())
            return 1;
        PyErr_Clear();
    }
    return 0;
}

static inline void
set_operand(Value *node, int i, Value *operand, double derivative_or_constant)
{
    Py_XINCREF((PyObject *)operand);
    node->operand[i] = operand;
    node->derivative[i] = derivative_or_constant;
}

/* For each row: NAME_row(operands) returns the new node, or NULL without an error if Python must do it. */

#define UNARY(index, name)                                                                          \
    static inline PyObject *name##_row(PyObject *operand)                                           \
    {                                                                                               \
        Value *node;                                                                                \
        double x;                                                                                   \
        if (!read_operand(operand, &node, &x) || node == NULL || modes & ANOMALY)                   \
            return NULL;                                                                            \
        double y = name##_y(x);                                                                     \
        Value *result = node_new(y);                                                                \
        if (result == NULL || modes & NOT_RECORDING)                                                \
            return (PyObject *)result;                                                              \
        set_operand(result, 0, node, name##_d0(y, x));                                              \
        result->row = index;                                                                        \
        result->flags = INNER;                                                                      \
        return (PyObject *)result;                                                                  \
    }
UNARY_ROWS(UNARY)

#define BINARY(index, name, defaults, default_)                                                     \
    static inline PyObject *name##_row(PyObject *left, PyObject *right)                             \
    {                                                                                               \
        Value *first, *second;                                                                      \
        double x, z;                                                                                \
        if (!read_operand(left, &first, &x) || !read_operand(right, &second, &z)                    \
            || modes & ANOMALY || (first == NULL && second == NULL))                                \
            return NULL;                                                                            \
        double y = name##_y(x, z);                                                                  \
        Value *result = node_new(y);                                                                \
        if (result == NULL || modes & NOT_RECORDING)                                                \
            return (PyObject *)result;                                                              \
        set_operand(result, 0, first, first ? name##_d0(y, x, z) : x);                              \
        set_operand(result, 1, second, second ? name##_d1(y, x, z) : z);                            \
        result->row = index;                                                                        \
        result->flags = INNER;                                                                      \
        return (PyObject *)result;                                                                  \
    }
BINARY_ROWS(BINARY)

/* Let Python's apply() do it, unless the row has done it or failed. */
static PyObject *
or_python(PyObject *result, int index, PyObject *const *operands, Py_ssize_t count)
{
    if (result != NULL || PyErr_Occurred())
        return result;
    PyObject *tuple = PyTuple_New(count);
    if (tuple == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < count; i++)
        PyTuple_SET_ITEM(tuple, i, Py_NewRef(operands[i]));
    result = PyObject_CallFunctionObjArgs(python_apply, PyTuple_GET_ITEM(rows, index), tuple, NULL);
    Py_DECREF(tuple);
    return result;
}

/* --- methods: value.tanh(), value.maximum(other), value.elu() ---------------------------------- */

/* Let Python's apply() say how many operands the row has. */
static PyObject *
wrong_count(int index, PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    PyObject *operands[8] = {self};
    Py_ssize_t shown = count < 7 ? count : 7;
    for (Py_ssize_t i = 0; i < shown; i++)
        operands[i + 1] = arguments[i];
    return or_python(NULL, index, operands, shown + 1);
}

#define UNARY_METHOD(index, name)                                                                   \
    static PyObject *name##_method(PyObject *self, PyObject *const *arguments, Py_ssize_t count)    \
    {                                                                                               \
        if (count > 0)                                                                              \
            return wrong_count(index, self, arguments, count);                                      \
        return or_python(name##_row(self), index, &self, 1);                                        \
    }
UNARY_ROWS(UNARY_METHOD)

#define BINARY_METHOD(index, name, defaults, default_)                                              \
    static PyObject *name##_method(PyObject *self, PyObject *const *arguments, Py_ssize_t count)    \
    {                                                                                               \
        PyObject *operands[] = {self, NULL};                                                        \
        if (count > 1 || (count == 0 && !defaults))                                                 \
            return wrong_count(index, self, arguments, count);                                      \
        if (count == 1)                                                                             \
            operands[1] = Py_NewRef(arguments[0]);                                                  \
        else if ((operands[1] = PyFloat_FromDouble(default_)) == NULL)                              \
            return NULL;                                                                            \
        PyObject *result = or_python(name##_row(self, operands[1]), index, operands, 2);            \
        Py_DECREF(operands[1]);                                                                     \
        return result;                                                                              \
    }
BINARY_ROWS(BINARY_METHOD)

/* apply(op, operands), for calls such as adjoint.tanh(value). */
static PyObject *
value_apply(PyObject *unused, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "_apply takes an op and its operands");
    PyObject *op = arguments[0], *operands = arguments[1], *result = NULL;
    PyObject *place = PyDict_GetItemWithError(row_of, op);
    if (place != NULL && PyTuple_CheckExact(operands)) {
        PyObject **items = &PyTuple_GET_ITEM(operands, 0);
        Py_ssize_t size = PyTuple_GET_SIZE(operands);
        switch (PyLong_AsLong(place)) {
#define UNARY_CASE(index, name)                                                                     \
        case index:                                                                                 \
            result = size == 1 ? name##_row(items[0]) : NULL;                                       \
            break;
#define BINARY_CASE(index, name, defaults, default_)                                                \
        case index:                                                                                 \
            result = size == 2 ? name##_row(items[0], items[1]) : NULL;                             \
            break;
        UNARY_ROWS(UNARY_CASE)
        BINARY_ROWS(BINARY_CASE)
        }
    }
    if (result != NULL || PyErr_Occurred())
        return result;
    return PyObject_CallFunctionObjArgs(python_apply, op, operands, NULL);
}

/* --- operators --------------------------------------------------------------------------------- */

#define ROW_INDEX(index, name) name##_index = index,
#define BINARY_ROW_INDEX(index, name, defaults, default_) name##_index = index,
enum { UNARY_ROWS(ROW_INDEX) BINARY_ROWS(BINARY_ROW_INDEX) };

static PyObject *
python_operator(int index, PyObject *left, PyObject *right)
{
    if (PyErr_Occurred())
        return NULL;
    if (IS_VALUE_OR_SUBCLASS(left))
        return PyObject_CallFunctionObjArgs(operators[index][0], left, right, NULL);
    return PyObject_CallFunctionObjArgs(operators[index][1], right, left, NULL);
}

#define BINARY_OPERATOR(name)                                                                       \
    static PyObject *name##_operator(PyObject *left, PyObject *right)                               \
    {                                                                                               \
        PyObject *result = name##_row(left, right);                                                 \
        return result != NULL ? result : python_operator(name##_index, left, right);                \
    }
BINARY_OPERATOR(add)
BINARY_OPERATOR(sub)
BINARY_OPERATOR(mul)
BINARY_OPERATOR(div)

static PyObject *
pow_operator(PyObject *left, PyObject *right, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    PyObject *result = pow_row(left, right);
    return result != NULL ? result : python_operator(pow_index, left, right);
}

static PyObject *neg_operator(PyObject *self) { return neg_method(self, NULL, 0); }
static PyObject *abs_operator(PyObject *self) { return abs_method(self, NULL, 0); }

static PyObject *
value_float(PyObject *self)
{
    if (modes & READING)
        return PyObject_CallOneArg(python_float, self); /* which raises */
    return PyFloat_FromDouble(((Value *)self)->data);
}

static PyObject *
value_item(PyObject *self, PyObject *unused)
{
    return PyFloat_FromDouble(((Value *)self)->data);
}

static PyObject *
value_compare(PyObject *left, PyObject *right, int op)
{
    Value *first, *second;
    double x, z;
    if (op == Py_EQ || op == Py_NE) /* by identity */
        Py_RETURN_NOTIMPLEMENTED;
    if (read_operand(left, &first, &x) && (IS_VALUE(right) || PyFloat_CheckExact(right))) {
        read_operand(right, &second, &z);
        Py_RETURN_RICHCOMPARE(x, z, op);
    }
    static const char *const names[] = {"__lt__", "__le__", "", "", "__gt__", "__ge__"};
    PyObject *compare = PyObject_GetAttrString(python_value, names[op]);
    if (compare == NULL)
        return NULL;
    PyObject *result = PyObject_CallFunctionObjArgs(compare, left, right, NULL);
    Py_DECREF(compare);
    return result;
}

static Py_hash_t
value_hash(PyObject *self)
{
    return PyBaseObject_Type.tp_hash(self);
}

/* --- attributes -------------------------------------------------------------------------------- */

static int
read_number(PyObject *object, const char *who, double *x)
{
    if (PyFloat_CheckExact(object)) {
        *x = PyFloat_AS_DOUBLE(object);
        return 0;
    }
    PyObject *number = PyObject_CallFunction(to_number, "Os", object, who);
    if (number == NULL)
        return -1;
    *x = PyFloat_AsDouble(number);
    Py_DECREF(number);
    return 0;
}

/* Objects that can refer to nothing: giving one to a node closes no cycle. */
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
    if (!is_atomic(to)) {
        track(node);
        if (IS_VALUE_OR_SUBCLASS(to))
            track((Value *)to);
    }
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

static int
cannot_delete(PyObject *to)
{
    if (to == NULL)
        PyErr_SetString(PyExc_AttributeError, "an attribute of a Value that it always has cannot be deleted");
    return to == NULL;
}

static PyObject *
get_data(PyObject *self, void *unused)
{
    return PyFloat_FromDouble(((Value *)self)->data);
}

static int
set_data(PyObject *self, PyObject *to, void *unused)
{
    return cannot_delete(to) ? -1 : read_number(to, "data", &((Value *)self)->data);
}

static PyObject *
get_grad(PyObject *self, void *unused)
{
    Value *node = (Value *)self;
    PyObject *grad = node->flags & OBJECT_GRAD ? get_attribute(node, string_grad) : NULL;
    return grad != NULL ? Py_NewRef(grad) : PyFloat_FromDouble(node->grad);
}

static int
set_grad(PyObject *self, PyObject *to, void *unused)
{
    Value *node = (Value *)self;
    double grad = 0.0;
    if (cannot_delete(to))
        return -1;
    if (IS_VALUE_OR_SUBCLASS(to)) {
        if (set_attribute(node, string_grad, to) < 0)
            return -1;
        node->flags |= OBJECT_GRAD;
        return 0;
    }
    if (to != Py_None && read_number(to, "grad", &grad) < 0)
        return -1;
    if (node->flags & OBJECT_GRAD) {
        node->flags &= ~OBJECT_GRAD;
        if (del_attribute(node, string_grad) < 0)
            return -1;
    }
    node->grad = grad;
    return 0;
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
    ((Value *)self)->flags |= BY_HAND; /* stays: value.py's backward copes with a closure taken back */
    return 0;
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
    for (Py_ssize_t i = 0; operands != NULL && i < count; i++) {
        PyObject *operand = node->operand[i] != NULL ? Py_NewRef((PyObject *)node->operand[i])
                                                     : PyFloat_FromDouble(node->derivative[i]);
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
    FOR_EACH_PARENT(node, parent, derivative, {
        (void)parent;
        if ((found[count++] = PyFloat_FromDouble(derivative)) == NULL)
            return NULL;
    });
    PyObject *derivatives = PyTuple_New(count);
    for (Py_ssize_t i = 0; i < count; i++) {
        if (derivatives != NULL)
            PyTuple_SET_ITEM(derivatives, i, found[i]);
        else
            Py_DECREF(found[i]);
    }
    return derivatives;
}

static PyObject *
get_dict(PyObject *self, void *unused)
{
    track((Value *)self); /* whatever its holder puts into it */
    return PyObject_GenericGetDict(self, unused);
}

static int
value_setattr(PyObject *self, PyObject *name, PyObject *to)
{
    Value *node = (Value *)self;
    if (PyObject_GenericSetAttr(self, name, to) < 0)
        return -1;
    if (node->attributes != NULL && !is_atomic(to)) {
        track(node);
        if (IS_VALUE_OR_SUBCLASS(to))
            track((Value *)to);
    }
    return 0;
}

static PyGetSetDef value_getset[] = {
    {"data", get_data, set_data, "The number itself."},
    {"_data", get_data, set_data},
    {"grad", get_grad, set_grad, "The gradient: a float, or a Value after backward(create_graph=True)."},
    {"_grad", get_grad, set_grad},
    {"label", get_label, set_label, "A name to show."},
    {"parents", get_parents, NULL, "The Values that this one was computed from."},
    {"_operands", get_operands},
    {"_rule", get_rule},
    {"_derivatives", get_derivatives},
    {"_closure", get_closure, set_closure},
    {"__dict__", get_dict, PyObject_GenericSetDict},
    {NULL},
};

static PyMemberDef value_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(Value, attributes), READONLY},
    {NULL},
};

/* --- construction ------------------------------------------------------------------------------ */

static PyObject *
value_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    if (type == value_type)
        return (PyObject *)node_new(0.0);
    return type->tp_alloc(type, 0); /* a subclass: all zero, and tracked from the start */
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
    node->flags |= GENERIC | (PyTuple_GET_SIZE(operands) ? INNER : 0) | (PyUnicode_Check(rule) ? BY_HAND : 0);
    return 0;
}

static int
value_init(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"data", "_children", "_op", "label", NULL};
    Value *node = (Value *)self, *dying = NULL;
    PyObject *data, *children = empty_tuple, *op = empty_string, *label = NULL;
    if (keywords == NULL && PyTuple_GET_SIZE(arguments) == 1)
        data = PyTuple_GET_ITEM(arguments, 0);
    else if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OOO:Value", names, &data, &children, &op, &label))
        return -1;
    if (PyUnicode_Check(children)) {
        label = children;
        children = empty_tuple;
    }
    PyObject *given = children;
    children = PySequence_Tuple(given);
    if (children == NULL && !PyErr_ExceptionMatches(PyExc_TypeError))
        return -1;
    PyErr_Clear();
    int refused = children == NULL;
    for (Py_ssize_t i = 0; !refused && i < PyTuple_GET_SIZE(children); i++)
        refused = !IS_VALUE_OR_SUBCLASS(PyTuple_GET_ITEM(children, i));
    if (refused) { /* value.py says why */
        PyObject *none = PyObject_CallFunctionObjArgs(python_init, self, data, children ? children : given, op, NULL);
        Py_XDECREF(children);
        Py_XDECREF(none);
        return -1;
    }
    if (modes & NOT_RECORDING)
        Py_SETREF(children, Py_NewRef(empty_tuple));
    double x;
    if (read_number(data, "Value", &x) < 0) {
        Py_DECREF(children);
        return -1;
    }
    node_forget(node, &dying);
    bury_all(dying);
    node->data = x;
    node->grad = 0.0;
    node->flags &= TRACKED;
    int made_by_hand = PyTuple_GET_SIZE(children) || PyObject_IsTrue(op);
    int failed = made_by_hand && set_generic(node, op, children, empty_tuple) < 0;
    Py_DECREF(children);
    if (failed || (label != NULL && label != empty_string && set_attribute(node, string_label, label) < 0))
        return -1;
    return 0;
}

/* make_node(kind, data, rule, operands, derivatives), for value.py and whatever else makes nodes in Python. */
static PyObject *
make_node(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"kind", "data", "rule", "operands", "derivatives", NULL};
    PyTypeObject *kind;
    double data;
    PyObject *rule = empty_string, *operands = empty_tuple, *derivatives = empty_tuple;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!d|OO!O!:make_node", names, &PyType_Type, &kind, &data,
                                     &rule, &PyTuple_Type, &operands, &PyTuple_Type, &derivatives))
        return NULL;
    if (!PyType_IsSubtype(kind, value_type))
        return PyErr_Format(PyExc_TypeError, "make_node makes Values, not %s", kind->tp_name);
    Py_ssize_t variables = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(operands); i++) {
        PyObject *operand = PyTuple_GET_ITEM(operands, i);
        if (IS_VALUE_OR_SUBCLASS(operand))
            variables++;
        else if (!PyFloat_Check(operand))
            return PyErr_Format(PyExc_TypeError, "make_node takes Values and floats as operands");
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(derivatives); i++) {
        if (!PyFloat_Check(PyTuple_GET_ITEM(derivatives, i)))
            return PyErr_Format(PyExc_TypeError, "make_node takes floats as derivatives");
    }
    if (variables != PyTuple_GET_SIZE(derivatives))
        return PyErr_Format(PyExc_TypeError, "make_node takes a derivative for each Value among the operands");
    Value *node = (Value *)value_new(kind, NULL, NULL);
    if (node == NULL)
        return NULL;
    node->data = data;
    if (variables == 0) { /* a leaf, though perhaps one with the name of an operation */
        if (PyUnicode_Check(rule) && PyObject_IsTrue(rule) && set_generic(node, rule, empty_tuple, empty_tuple) < 0)
            Py_CLEAR(node);
        return (PyObject *)node;
    }
    PyObject *place = PyDict_GetItemWithError(row_of, rule);
    if (place == NULL || PyTuple_GET_SIZE(operands) > 2) {
        if (PyErr_Occurred() || set_generic(node, rule, operands, derivatives) < 0)
            Py_CLEAR(node);
        return (PyObject *)node;
    }
    for (Py_ssize_t i = 0, d = 0; i < PyTuple_GET_SIZE(operands); i++) {
        PyObject *operand = PyTuple_GET_ITEM(operands, i);
        if (IS_VALUE_OR_SUBCLASS(operand))
            set_operand(node, i, (Value *)operand, PyFloat_AS_DOUBLE(PyTuple_GET_ITEM(derivatives, d++)));
        else
            set_operand(node, i, NULL, PyFloat_AS_DOUBLE(operand));
    }
    node->row = (uint16_t)PyLong_AsLong(place);
    node->flags |= INNER;
    return (PyObject *)node;
}

/* --- backward ---------------------------------------------------------------------------------- */

static PyObject *
value_backward(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"gradient", "retain_graph", "create_graph", NULL};
    PyObject *gradient = NULL;
    int retain_graph = 1, create_graph = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O$pp:backward", names, &gradient, &retain_graph,
                                     &create_graph))
        return NULL;
    double seed = gradient != NULL && PyFloat_Check(gradient) ? PyFloat_AS_DOUBLE(gradient) : 1.0;
    int usual = !(modes & (NOT_RECORDING | ANOMALY)) && !create_graph && (gradient == NULL || PyFloat_Check(gradient));
    if (usual && run_backward((Value *)self, seed, retain_graph))
        Py_RETURN_NONE;
    PyObject *with_self = PyTuple_New(PyTuple_GET_SIZE(arguments) + 1);
    if (with_self == NULL)
        return NULL;
    PyTuple_SET_ITEM(with_self, 0, Py_NewRef(self));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arguments); i++)
        PyTuple_SET_ITEM(with_self, i + 1, Py_NewRef(PyTuple_GET_ITEM(arguments, i)));
    PyObject *result = PyObject_Call(python_backward, with_self, keywords);
    Py_DECREF(with_self);
    return result;
}

static PyObject *
value_free(PyObject *self, PyObject *unused)
{
    Value *dying = NULL;
    free_graph((Value *)self, &dying);
    bury_all(dying);
    Py_RETURN_NONE;
}

/* --- the type ---------------------------------------------------------------------------------- */

#define ROW_DOC(name) "Apply " #name "; print(adjoint." #name ") shows its rule."
#define UNARY_DEF(index, name) {#name, (PyCFunction)(void *)name##_method, METH_FASTCALL, ROW_DOC(name)},
#define BINARY_DEF(index, name, defaults, default_) {#name, (PyCFunction)(void *)name##_method, METH_FASTCALL, ROW_DOC(name)},

static PyMethodDef value_methods[] = {
    UNARY_ROWS(UNARY_DEF) BINARY_ROWS(BINARY_DEF)
    {"backward", (PyCFunction)(void *)value_backward, METH_VARARGS | METH_KEYWORDS},
    {"zero_grad", value_zero_grad, METH_NOARGS},
    {"item", value_item, METH_NOARGS},
    {"_apply", (PyCFunction)(void *)value_apply, METH_FASTCALL | METH_STATIC},
    {"_free", value_free, METH_NOARGS},
    {NULL},
};

static PyType_Slot value_slots[] = {
    {Py_tp_new, value_new},
    {Py_tp_init, value_init},
    {Py_tp_dealloc, value_dealloc},
    {Py_tp_traverse, value_traverse},
    {Py_tp_clear, value_clear},
    {Py_tp_free, PyObject_GC_Del},
    {Py_tp_hash, value_hash},
    {Py_tp_richcompare, value_compare},
    {Py_tp_setattro, value_setattr},
    {Py_tp_methods, value_methods},
    {Py_tp_members, value_members},
    {Py_tp_getset, value_getset},
    {Py_nb_add, add_operator},
    {Py_nb_subtract, sub_operator},
    {Py_nb_multiply, mul_operator},
    {Py_nb_true_divide, div_operator},
    {Py_nb_power, pow_operator},
    {Py_nb_negative, neg_operator},
    {Py_nb_absolute, abs_operator},
    {Py_nb_float, value_float},
    {0, NULL},
};

static PyType_Spec value_spec = {
    "adjoint.value.Value", sizeof(Value), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    value_slots,
};

/* Give the type what only the Python class has, and take away what that has not. */
static int
share_methods(PyObject *type)
{
    PyObject *own = PyObject_GetAttrString(type, "__dict__"), *theirs = PyObject_GetAttrString(python_value, "__dict__");
    PyObject *items = theirs == NULL ? NULL : PyMapping_Items(theirs), *doc = NULL;
    int failed = own == NULL || items == NULL;
    for (Py_ssize_t i = 0; !failed && i < PyList_GET_SIZE(items); i++) {
        PyObject *item = PyList_GET_ITEM(items, i), *name = PyTuple_GET_ITEM(item, 0);
        int has = PySequence_Contains(own, name);
        int skip = PyUnicode_CompareWithASCIIString(name, "__slots__") == 0;
        failed = has < 0 || (!has && !skip && PyObject_SetAttr(type, name, PyTuple_GET_ITEM(item, 1)) < 0);
    }
    for (int i = 0; !failed && value_methods[i].ml_name != NULL; i++) {
        if (!PyObject_HasAttrString(python_value, value_methods[i].ml_name))
            failed = PyObject_DelAttrString(type, value_methods[i].ml_name) < 0;
    }
    if (!failed) {
        doc = PyObject_GetAttrString(python_value, "__doc__");
        failed = doc == NULL || PyObject_SetAttrString(type, "__doc__", doc) < 0;
    }
    Py_XDECREF(own);
    Py_XDECREF(theirs);
    Py_XDECREF(items);
    Py_XDECREF(doc);
    return failed ? -1 : 0;
}

static int
remember_operator(int index, const char *forward, const char *reflected)
{
    operators[index][0] = PyObject_GetAttrString(python_value, forward);
    operators[index][1] = PyObject_GetAttrString(python_value, reflected);
    return operators[index][0] == NULL || operators[index][1] == NULL ? -1 : 0;
}

/* Use slabs if the collector's header has the size that they lay out. */
static int
choose_memory(void)
{
#ifndef ADJOINT_NO_SLABS
    PyObject *getsizeof = PySys_GetObject("getsizeof");
    PyObject *object = PyList_New(0), *whole = NULL, *bare = NULL;
    if (getsizeof != NULL && object != NULL) {
        whole = PyObject_CallOneArg(getsizeof, object);
        bare = PyObject_CallMethod(object, "__sizeof__", NULL);
    }
    if (whole != NULL && bare != NULL)
        use_slabs = PyLong_AsSize_t(whole) - PyLong_AsSize_t(bare) == GC_HEADER_SIZE;
    Py_XDECREF(object);
    Py_XDECREF(whole);
    Py_XDECREF(bare);
#endif
    return PyErr_Occurred() ? -1 : 0;
}

/* accelerate(Value, ops, apply, number): return the C type that stands in for the Python class. */
static PyObject *
accelerate(PyObject *module, PyObject *arguments)
{
    PyObject *table;
    if (value_type != NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the native core serves one Value class in a process");
        return NULL;
    }
    if (!PyArg_ParseTuple(arguments, "OO!OO", &python_value, &PyTuple_Type, &table, &python_apply, &to_number))
        return NULL;
    if (PyTuple_GET_SIZE(table) != ROW_COUNT)
        return PyErr_Format(PyExc_ImportError, "the native core was built from another ops.py; build it again");
    Py_INCREF(python_value);
    Py_INCREF(python_apply);
    Py_INCREF(to_number);
    rows = Py_NewRef(table);
    row_of = PyDict_New();
    for (Py_ssize_t i = 0; row_of != NULL && i < ROW_COUNT; i++) {
        PyObject *place = PyLong_FromSsize_t(i);
        if (place == NULL || PyDict_SetItem(row_of, PyTuple_GET_ITEM(rows, i), place) < 0)
            return NULL;
        Py_DECREF(place);
    }
    python_backward = PyObject_GetAttrString(python_value, "backward");
    python_init = PyObject_GetAttrString(python_value, "__init__");
    python_float = PyObject_GetAttrString(python_value, "__float__");
    string_label = PyUnicode_InternFromString("label");
    string_grad = PyUnicode_InternFromString("_grad");
    string_closure = PyUnicode_InternFromString("_closure");
    empty_string = PyUnicode_InternFromString("");
    empty_tuple = PyTuple_New(0);
    if (row_of == NULL || python_backward == NULL || python_init == NULL || python_float == NULL || string_label == NULL
        || string_grad == NULL || string_closure == NULL || empty_string == NULL || empty_tuple == NULL)
        return NULL;
    if (remember_operator(add_index, "__add__", "__radd__") < 0
        || remember_operator(sub_index, "__sub__", "__rsub__") < 0
        || remember_operator(mul_index, "__mul__", "__rmul__") < 0
        || remember_operator(div_index, "__truediv__", "__rtruediv__") < 0
        || remember_operator(pow_index, "__pow__", "__rpow__") < 0)
        return NULL;
    if (choose_memory() < 0)
        return NULL;
    value_type = (PyTypeObject *)PyType_FromSpec(&value_spec);
    if (value_type == NULL || share_methods((PyObject *)value_type) < 0)
        return NULL;
    value_type->tp_name = "Value"; /* as the interpreter's own messages name a class written in Python */
    return Py_NewRef((PyObject *)value_type);
}

static PyMethodDef core_methods[] = {
    {"make_node", (PyCFunction)(void *)make_node, METH_VARARGS | METH_KEYWORDS, "Make the result of an operation."},
    {"accelerate", accelerate, METH_VARARGS, "Return the C type that stands in for a Value class written in Python."},
    {NULL},
};

static PyModuleDef core_module = {
    PyModuleDef_HEAD_INIT, "_core", "The native core of adjoint.", -1, core_methods,
};

PyMODINIT_FUNC
PyInit__core(void)
{
    PyObject *module = PyModule_Create(&core_module);
    PyObject *type = module == NULL ? NULL : PyType_FromSpec(&modes_spec);
    PyObject *object = type == NULL ? NULL : PyObject_CallNoArgs(type);
    Py_XDECREF(type);
    if (object == NULL || PyModule_AddObject(module, "modes", object) < 0) {
        Py_XDECREF(object);
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}
