/* The native core: Value of value.py as a C type, with the same base classes and the same results to the last bit.
 *
 * Unusual cases (a NumPy scalar, a mode, an error) call the methods of the Python class, so that they are implemented
 * once.
 */
#include "attributes.h"
#include "backward.h"
#include "buffers.h"
#include "construction.h"
#include "contents.h"
#include "modes.h"
#include "node.h"
#include "numbers.h"
#include "program.h"
#include "python_side.h"
#include "rows.h"
#include "tape_object.h"
/* the parts for arrays: */
#include "accumulation.h"
#include "calls.h"
#include "elementwise.h"
#include "fast.h"
#include "images.h"
#include "layer_norm.h"
#include "products.h"
#include "pull.h"
#include "reductions.h"
#include "scatter.h"
#include "softmax.h"
#include "softmax_nodes.h"
#include "sums.h"
#include "views.h"
#include "walk.h"

/* --- backward ---------------------------------------------------------------------------------- */

/* A context manager: it counts in `reserved_gradients` how many `with` statements of all threads are inside it. It is in C,
 * so that no signal handler runs between the count and the statement. */

static PyObject *
reserve(PyObject *self, PyObject *unused)
{
    reserved_gradients++;
    Py_RETURN_NONE;
}

static PyObject *
unreserve(PyObject *self, PyObject *unused)
{
    reserved_gradients--;
    Py_RETURN_NONE;
}

static PyObject *
forget_reservations(PyObject *self, PyObject *unused)
{
    reserved_gradients = 0;
    Py_RETURN_NONE;
}

static PyMethodDef reserved_methods[] = {
    {"__enter__", reserve, METH_NOARGS},
    {"__exit__", unreserve, METH_VARARGS},
    {"forget", forget_reservations, METH_NOARGS, "Start anew, in a forked process: the other threads are not there."},
    {NULL},
};
EXTENSION static PyType_Slot reserved_slots[] = {{Py_tp_methods, reserved_methods}, {0, NULL}};
static PyType_Spec reserved_spec = {
    "adjoint.engine._core.Reserved", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT, reserved_slots,
};

static PyObject *
backward_in_python(PyObject *self, PyObject *arguments, PyObject *keywords)
{
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
value_backward(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"gradient", "retain_graph", "create_graph", NULL};
    PyObject *gradient = NULL;
    int retain_graph = 1, create_graph = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O$pp:backward", names, &gradient, &retain_graph,
                                     &create_graph))
        return NULL;
    if (((Value *)self)->flags & TRACED || modes() & TRACING) {
        int flags, kind = KIND_FLOAT;
        Tape *tape = current_tape(&flags);
        if (is_made_here(tape, (Value *)self) < 0)
            return NULL;
        int32_t entry = UNUSUAL_OPERAND;
        if (tape != NULL && !(flags & (NOT_RECORDING | ANOMALY)) && !create_graph)
            entry = gradient == NULL ? tape_constant(tape, 1.0) : number_entry(tape, gradient, &kind);
        if (entry == -1)
            return NULL;
        switch (entry >= 0 ? trace_backward(tape, (Value *)self, entry, retain_graph) : UNUSUAL) {
        case ORDINARY:
            Py_RETURN_NONE;
        case NO_MEMORY:
            return NULL;
        }
        return backward_in_python(self, arguments, keywords);
    }
    double seed = gradient != NULL && PyFloat_Check(gradient) ? PyFloat_AS_DOUBLE(gradient) : 1.0;
    int usual = !(modes() & (NOT_RECORDING | ANOMALY)) && !create_graph && (gradient == NULL || PyFloat_Check(gradient))
        && reserved_gradients <= 0 && (((Value *)self)->flags & (INNER | FROZEN | UNRECORDED)) == INNER
        && isfinite(((Value *)self)->data); /* Python names the operation */
    if (usual && PySet_GET_SIZE(switched_on) && call_guard(check_second_pass, self) < 0)
        return NULL;
    int found = usual ? EXAMINED : UNUSUAL;
    for (int is_checked = 0; found >= NOTICED; is_checked = 1) {
        if (found == NOTICED && call_guard(check_guards, self) < 0)
            return NULL;
        found = run_backward((Value *)self, seed, retain_graph, is_checked);
    }
    switch (found) {
    case ORDINARY:
        Py_RETURN_NONE;
    case NO_MEMORY:
        return PyErr_NoMemory();
    }
    return backward_in_python(self, arguments, keywords);
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

_Static_assert(ROW_COUNT < 256, "Value.row has eight bits");

#define UNARY_DEF(index, name) {#name, METHOD(name##_method), METH_FASTCALL},
#define BINARY_DEF(index, name, defaults, default_) UNARY_DEF(index, name)

static PyMethodDef value_methods[] = {
    UNARY_ROWS(UNARY_DEF) BINARY_ROWS(BINARY_DEF)
    {"backward", METHOD(value_backward), METH_VARARGS | METH_KEYWORDS},
    {"zero_grad", value_zero_grad, METH_NOARGS},
    {"item", value_item, METH_NOARGS},
    {"_apply", METHOD(value_apply), METH_FASTCALL | METH_STATIC},
    {"_free", value_free, METH_NOARGS},
    {NULL},
};

EXTENSION static PyType_Slot value_slots[] = {
    {Py_tp_doc, NULL}, /* take_documentation() sets it: the first slot */
    {Py_tp_new, value_new},
    {Py_tp_init, value_init},
    {Py_tp_dealloc, value_dealloc},
    {Py_tp_traverse, value_traverse},
    {Py_tp_clear, value_clear},
    {Py_tp_free, PyObject_GC_Del},
    {Py_tp_hash, value_hash},
    {Py_tp_richcompare, value_compare},
    {Py_tp_methods, value_methods},
    {Py_tp_getset, value_getset},
    {Py_nb_add, add_operator},
    {Py_nb_subtract, sub_operator},
    {Py_nb_multiply, mul_operator},
    {Py_nb_true_divide, div_operator},
    {Py_nb_inplace_add, add_in_place},
    {Py_nb_inplace_subtract, sub_in_place},
    {Py_nb_inplace_multiply, mul_in_place},
    {Py_nb_inplace_true_divide, div_in_place},
    {Py_nb_remainder, remainder_operator},
    {Py_nb_floor_divide, floor_divide_operator},
    {Py_nb_power, pow_operator},
    {Py_nb_negative, neg_operator},
    {Py_nb_absolute, abs_operator},
    {Py_nb_float, value_float},
    {0, NULL},
};

static PyType_Spec value_spec = {
    "adjoint.engine.value.Value", sizeof(Value), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    value_slots,
};

/* Take the documentation and the signatures of the class, its methods and properties from the Python class: see row_docs.py. */
static int
take_documentation(PyObject *docs)
{
    PyObject *own = PyDict_GetItemString(docs, "Value");
    if (own == NULL || (value_slots[0].pfunc = (void *)PyUnicode_AsUTF8(own)) == NULL)
        return -1;
    Py_INCREF(docs); /* for ever: the tables point into its texts */
    for (int i = 0; value_methods[i].ml_name != NULL; i++) {
        PyObject *text = PyDict_GetItemString(docs, value_methods[i].ml_name);
        if (text != NULL && (value_methods[i].ml_doc = PyUnicode_AsUTF8(text)) == NULL)
            return -1;
    }
    for (int i = 0; value_getset[i].name != NULL; i++) {
        PyObject *text = PyDict_GetItemString(docs, value_getset[i].name);
        if (text != NULL && (value_getset[i].doc = PyUnicode_AsUTF8(text)) == NULL)
            return -1;
    }
    return 0;
}

static int
remember_operator(int index, const char *forward, const char *reflected)
{
    operators[index][0] = PyObject_GetAttrString(python_value, forward);
    operators[index][1] = PyObject_GetAttrString(python_value, reflected);
    return operators[index][0] == NULL || operators[index][1] == NULL ? -1 : 0;
}

/* Use slabs if the header of the garbage collector has the size that slab.h assumes. */
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

/* accelerate(Value, ops, apply, number, class_for, engine, docs, special): return the C type that replaces the Python class. */
static PyObject *
accelerate(PyObject *module, PyObject *arguments)
{
    PyObject *table, *engine, *docs, *special;
    if (value_type != NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the native core serves one Value class in a process");
        return NULL;
    }
    if (!PyArg_ParseTuple(arguments, "OO!OOOOO!O", &python_value, &PyTuple_Type, &table, &python_apply, &to_number,
                          &class_for, &engine, &PyDict_Type, &docs, &special)
        || take_documentation(docs) < 0)
        return NULL;
    if (PyTuple_GET_SIZE(table) != ROW_COUNT) /* native.py compares digests before this */
        return PyErr_Format(PyExc_ImportError, "the native core was built from another ops.py; build it again");
    Py_INCREF(python_value);
    Py_INCREF(python_apply);
    Py_INCREF(to_number);
    Py_INCREF(class_for);
    rows = Py_NewRef(table);
    row_of = PyDict_New();
    for (Py_ssize_t i = 0; row_of != NULL && i < ROW_COUNT; i++) {
        PyObject *place = PyLong_FromSsize_t(i);
        if (place == NULL || PyDict_SetItem(row_of, PyTuple_GET_ITEM(rows, i), place) < 0)
            return NULL;
        Py_DECREF(place);
    }
    PyObject *guards = PyObject_GetAttrString(engine, "backward_guards");
    if (guards == NULL)
        return NULL;
    check_guards = PyObject_GetAttrString(guards, "check");
    check_second_pass = PyObject_GetAttrString(guards, "check_second_pass");
    note_read = PyObject_GetAttrString(guards, "note_read");
    check_update = PyObject_GetAttrString(guards, "check_update");
    switched_on = PyObject_GetAttrString(guards, "switched_on");
    if (check_guards == NULL || check_second_pass == NULL || note_read == NULL || check_update == NULL
        || switched_on == NULL)
        return NULL;
    Py_DECREF(guards);
    python_backward = PyObject_GetAttrString(special, "backward");
    python_history = PyObject_GetAttrString(special, "history");
    python_local_gradients = PyObject_GetAttrString(special, "local_gradients");
    python_float = PyObject_GetAttrString(python_value, "__float__");
    string_label = PyUnicode_InternFromString("label");
    string_grad = PyUnicode_InternFromString("_grad");
    string_closure = PyUnicode_InternFromString("_closure");
    string_changed = PyUnicode_InternFromString("_changed");
    string_assigned_at = PyUnicode_InternFromString("_assigned_at");
    string_retains_grad = PyUnicode_InternFromString("_retains_grad");
    empty_string = PyUnicode_InternFromString("");
    empty_tuple = PyTuple_New(0);
    if (row_of == NULL || python_backward == NULL || python_history == NULL || python_local_gradients == NULL || python_float == NULL || string_label == NULL
        || string_grad == NULL || string_closure == NULL || string_changed == NULL || string_assigned_at == NULL
        || string_retains_grad == NULL || empty_string == NULL || empty_tuple == NULL)
        return NULL;
    if (remember_operator(add_index, "__add__", "__radd__") < 0
        || remember_operator(sub_index, "__sub__", "__rsub__") < 0
        || remember_operator(mul_index, "__mul__", "__rmul__") < 0
        || remember_operator(div_index, "__truediv__", "__rtruediv__") < 0
        || remember_operator(remainder_index, "__mod__", "__rmod__") < 0
        || remember_operator(floor_divide_index, "__floordiv__", "__rfloordiv__") < 0
        || remember_operator(pow_index, "__pow__", "__rpow__") < 0)
        return NULL;
    static const char *const in_place[] = {"__iadd__", "__isub__", "__imul__", "__itruediv__"};
    for (int i = 0; i < 4; i++) {
        if ((updates[i] = PyObject_GetAttrString(python_value, in_place[i])) == NULL)
            return NULL;
    }
    if (choose_memory() < 0)
        return NULL;
    PyObject *bases = PyObject_GetAttrString(python_value, "__bases__");
    if (bases == NULL)
        return NULL;
    value_type = (PyTypeObject *)PyType_FromSpecWithBases(&value_spec, bases);
    Py_DECREF(bases);
    if (value_type == NULL || PyObject_DelAttrString((PyObject *)value_type, "div") < 0) /* arrays.div has a further argument */
        return NULL;
    value_type->tp_name = "Value"; /* error messages show the same name as for the Python class */
    if (make_traced_type() < 0)
        return NULL;
    return Py_NewRef((PyObject *)value_type);
}

static PyObject *
count_living_nodes(PyObject *module, PyObject *unused)
{
    return PyLong_FromSsize_t(made_nodes - freed_nodes);
}

static PyMethodDef core_methods[] = {
    {"living_nodes", count_living_nodes, METH_NOARGS, "Return the number of Values that exist, without those of subclasses."},
    {"erf", erf_of_buffer, METH_VARARGS, "Write the error function of a buffer of doubles into another."},
    {"select", METHOD(select_arrays), METH_FASTCALL, "Choose between two arrays by a mask."},
    {"backward", make_backward, METH_VARARGS, "Make the method backward() of arrays."},
    {"assignment", make_assignment, METH_VARARGS, "Make the setter of the data of arrays."},
    {"pull", pull_arrays, METH_VARARGS, "Run the backward pass over arrays."},
    {"start_arrays", start_arrays, METH_O, "Prepare for arrays in Values of a class."},
    {"make_array_node", METHOD(make_array_node), METH_FASTCALL, "Make the Tensor of a result."},
    {"tick", tick, METH_NOARGS, "Return the time, which counts arrays and assignments to their data."},
    {"row_method", make_row_method, METH_VARARGS, "Make a method that applies a row to arrays."},
    {"row_back", make_row_back, METH_VARARGS, "Make what passes a gradient back through a row."},
    {"sum_floats", sum_floats, METH_VARARGS, "Sum floats along the middle axis of an array of three axes."},
    {"sum_along", METHOD(sum_along), METH_FASTCALL, "Sum a contiguous array over adjoining axes."},
    {"reduction", make_reduction, METH_VARARGS, "Make a method that reduces an array along an axis, or to a number."},
    {"view", make_view, METH_VARARGS, "Make a function that returns parts or another arrangement of arrays."},
    {"product", make_product, METH_VARARGS, "Make a method that multiplies matrices."},
    {"array_ufunc", make_array_ufunc, METH_VARARGS, "Make the method that NumPy calls for an array and a Tensor."},
    {"linear", make_linear, METH_VARARGS, "Make a function that computes a layer of a network."},
    {"add_at", add_at, METH_VARARGS, "Add to the rows of an array that integer arrays name."},
    {"unfold", unfold, METH_VARARGS, "Copy windows of images into the columns of a matrix."},
    {"fold", fold_columns, METH_VARARGS, "Add the columns of a matrix to windows of images."},
    {"max_pool", max_pool, METH_VARARGS, "Return the largest number of each window of images."},
    {"max_pool_back", max_pool_back, METH_VARARGS, "Pass a gradient back to the largest number of each window."},
    {"softmax_node", make_softmax, METH_VARARGS, "Make a function that computes softmax along the last axis."},
    {"softmax", softmax_of_array, METH_O, "Return softmax along the last axis."},
    {"softmax_back", METHOD(softmax_back_of_arrays), METH_FASTCALL, "Pass a gradient back through softmax."},
    {"log_softmax", log_softmax_of_array, METH_O, "Return the logarithm of softmax along the last axis."},
    {"log_softmax_back", METHOD(log_softmax_back_of_arrays), METH_FASTCALL,
     "Pass a gradient back through the logarithm of softmax."},
    {"attention", attention_of_array, METH_VARARGS, "Return the weights of attention, given the scores."},
    {"layer_norm", layer_norm_of_arrays, METH_VARARGS, "Normalize along the last axis."},
    {"layer_norm_back", layer_norm_back_of_arrays, METH_VARARGS, "Pass a gradient back through a normalization."},
    {"read_numbers", METHOD(read_numbers), METH_FASTCALL, "Copy the numbers of Values to a buffer."},
    {"assign_numbers", METHOD(assign_numbers), METH_FASTCALL, "Assign numbers of a buffer to Values."},
    {"keep_memory", keep_memory, METH_NOARGS, "Let malloc keep the memory of arrays for the next ones."},
    {"same_contents", same_contents, METH_O, "Return whether containers hold what they held before."},
    {"make_node", METHOD(make_node), METH_VARARGS | METH_KEYWORDS, "Make the result of an operation."},
    {"record", record_row, METH_VARARGS, "Apply a row to traced numbers, Values and floats while recording."},
    {"accelerate_tape", accelerate_tape, METH_VARARGS, "Return the C types that replace Tape and TracedNumber."},
    {"accelerate", accelerate, METH_VARARGS, "Return the C type that replaces a Value class written in Python."},
    {NULL},
};

static PyModuleDef core_module = {
    PyModuleDef_HEAD_INIT, "_core", "The native core of adjoint.", -1, core_methods,
};

/* Add a type to the module, or its only instance. */
static PyTypeObject *
add_type(PyObject *module, const char *name, PyType_Spec *spec, int is_instance)
{
    PyObject *type = PyType_FromSpec(spec), *object = NULL;
    if (type != NULL)
        object = is_instance ? PyObject_CallNoArgs(type) : Py_NewRef(type);
    if (object == NULL || PyModule_AddObject(module, name, object) < 0) {
        Py_XDECREF(object);
        Py_XDECREF(type);
        return NULL;
    }
    return (PyTypeObject *)type;
}

/* Add the digest of the table: 32 bits without a sign, which do not fit into a long of Windows. */
static int
add_digest(PyObject *module)
{
    PyObject *digest = PyLong_FromUnsignedLong(TABLE_DIGEST);
    if (digest != NULL && PyModule_AddObject(module, "table_digest", digest) == 0)
        return 0;
    Py_XDECREF(digest);
    return -1;
}

PyMODINIT_FUNC
PyInit__core(void)
{
    start_day();
    if (PyType_Ready(&fast_type) < 0 || PyType_Ready(&back_type) < 0 || make_modes_variable() < 0)
        return NULL;
    PyObject *module = PyModule_Create(&core_module);
    if (module == NULL)
        return NULL;
#ifdef Py_GIL_DISABLED /* nodes, slabs and the table are shared between threads, and only the GIL guards them */
    PyUnstable_Module_SetGIL(module, Py_MOD_GIL_USED);
#endif
    if (add_type(module, "modes", &modes_spec, 1) == NULL || add_type(module, "reserved", &reserved_spec, 1) == NULL
        || (switch_type = add_type(module, "Switch", &switch_spec, 0)) == NULL
        || (tape_type = add_type(module, "Tape", &tape_spec, 0)) == NULL
        || (number_type = add_type(module, "TracedNumber", &number_spec, 0)) == NULL || make_recording_type() < 0
        || PyModule_AddObjectRef(module, "Recording", (PyObject *)recording_type) < 0
        || (assigned_type = add_type(module, "Assigned", &assigned_spec, 0)) == NULL
        || add_type(module, "Program", &program_spec, 0) == NULL
        || add_digest(module) < 0)
        Py_CLEAR(module);
    return module;
}
