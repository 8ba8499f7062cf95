/* The backward pass over arrays: the loop of backward_pass.py, for passes without hooks, anomaly detection or create_graph.
 *
 * The function of each node, in C or Python, computes its contributions. This file determines the order (the
 * newest node first), adds up the contributions, and decides which gradients are kept.
 */
#ifndef ADJOINT_PULL_H
#define ADJOINT_PULL_H

#include "elementwise.h"

typedef struct {
    long long serial;
    PyObject *node; /* owned */
} Waiting;

typedef struct {
    Waiting *items;
    size_t count, capacity;
} Heap;

static int
heap_push(Heap *heap, PyObject *node, long long serial)
{
    if (heap->count == heap->capacity) {
        size_t capacity = heap->capacity ? 2 * heap->capacity : 64;
        Waiting *items = PyMem_Realloc(heap->items, capacity * sizeof(Waiting));
        if (items == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        heap->items = items;
        heap->capacity = capacity;
    }
    size_t i = heap->count++;
    while (i > 0 && heap->items[(i - 1) / 2].serial < serial) {
        heap->items[i] = heap->items[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->items[i] = (Waiting){serial, Py_NewRef(node)};
    return 0;
}

static Waiting
heap_pop(Heap *heap)
{
    Waiting top = heap->items[0], last = heap->items[--heap->count];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && heap->items[child + 1].serial > heap->items[child].serial)
            child++;
        if (heap->items[child].serial <= last.serial)
            break;
        heap->items[i] = heap->items[child];
        i = child;
    }
    if (heap->count)
        heap->items[i] = last;
    return top;
}

#define HOLDS_ARRAY(value) PyObject_TypeCheck(value, tensor_type)

static int
not_initialized(void)
{
    PyErr_SetString(PyExc_AttributeError, "the graph has a Tensor that was not initialized: Tensor.__new__ made it "
                                          "without __init__, or one of its attributes was deleted");
    return -1;
}

/* What a pass is given: the Assigned and functions of backward_pass.py. */
typedef struct {
    PyObject *root, *contributions, *require_unchanged, *freed_back, *not_kept;
    PyObject *quiet; /* makes a context manager in which NumPy does not warn; NULL if the caller is within one */
    PyObject *entered; /* that context manager, once Python computes a part of the pass */
    const Assigned *assigned;
    int retain_graph;
} Pass;

/* Let NumPy be quiet for the rest of the pass. */
static int
be_quiet(Pass *walk)
{
    if (walk->quiet == NULL || walk->entered != NULL)
        return 0;
    PyObject *manager = PyObject_CallNoArgs(walk->quiet);
    PyObject *none = manager == NULL ? NULL : PyObject_CallMethod(manager, "__enter__", NULL);
    if (none == NULL)
        Py_XDECREF(manager);
    else
        walk->entered = manager;
    Py_XDECREF(none);
    return none == NULL ? -1 : 0;
}

/* Leave what be_quiet() entered; an error that is set stays set. */
static void
end_quiet(Pass *walk)
{
    if (walk->entered == NULL)
        return;
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyObject *none = PyObject_CallMethod(walk->entered, "__exit__", "OOO", Py_None, Py_None, Py_None);
    if (none == NULL)
        PyErr_WriteUnraisable(walk->entered);
    Py_XDECREF(none);
    Py_CLEAR(walk->entered);
    PyErr_Restore(type, error, traceback);
}

/* Pass a contribution to a parent: add it to its total, or put the parent on the heap. */
static int
receive_array(Pass *walk, PyObject *received, Heap *heap, PyObject *parent, PyObject *contribution)
{
    PyObject *before = PyDict_GetItemWithError(received, parent);
    if (before == NULL && PyErr_Occurred())
        return -1;
    if (before != NULL) {
        PyObject *total = add_arrays(before, contribution, 1);
        if (total == NULL && !PyErr_Occurred() && be_quiet(walk) == 0)
            total = PyNumber_Add(before, contribution);
        int failed = total == NULL || (total != before && PyDict_SetItem(received, parent, total) < 0);
        Py_XDECREF(total);
        return failed ? -1 : 0;
    }
    if (PyDict_SetItem(received, parent, contribution) < 0)
        return -1;
    if (!HOLDS_ARRAY(parent))
        return 0; /* a number: backward_pass.py continues from these */
    if (SLOT(parent, at.back) == walk->freed_back) {
        PyObject *none = PyObject_CallFunctionObjArgs(walk->freed_back, contribution, parent, NULL); /* raises */
        Py_XDECREF(none);
        return -1;
    }
    PyObject *operands = SLOT(parent, at.operands), *serial = SLOT(parent, at.serial);
    if (operands == NULL || !PyTuple_Check(operands) || serial == NULL || !PyLong_Check(serial))
        return not_initialized();
    if (PyTuple_GET_SIZE(operands) == 0)
        return 0;
    return heap_push(heap, parent, PyLong_AsLongLong(serial));
}

/* Compute the contributions of a node in C, into `found`, or as a new reference to a sequence. Return 0, or -1 after an
 * error. */
static int
compute_contributions(Pass *walk, Waiting *waiting, PyObject *total, PyObject *operands, PyObject **found,
                      PyObject **sequence)
{
    PyObject *node = waiting->node, *back = Py_XNewRef(SLOT(node, at.back)), *made = NULL;
    if (back == NULL)
        return not_initialized();
    long long last = walk->assigned->last;
    int fits = 0;
    if (waiting->serial > last) {
        PyObject *arguments[] = {total, node};
        int is_native = Py_IS_TYPE(back, &back_type);
        if (is_native && IS_TENSOR(node))
            fits = ((Back *)back)->run((Back *)back, total, node, operands, found);
        if (fits == 0 && be_quiet(walk) == 0)
            made = PyObject_Vectorcall(is_native ? ((Back *)back)->usual : back, arguments, 2, NULL);
    } else {
        PyObject *arguments[] = {node, total};
        if (be_quiet(walk) == 0)
            made = PyObject_Vectorcall(walk->contributions, arguments, 2, NULL);
    }
    Py_DECREF(back);
    if (fits <= 0 && made == NULL)
        return -1;
    if (walk->assigned->last != last) { /* another thread assigned data meanwhile: it may be the data that was read here */
        PyObject *none = PyObject_CallOneArg(walk->require_unchanged, node);
        if (none == NULL) {
            Py_XDECREF(made);
            return -1;
        }
        Py_DECREF(none);
    }
    if (made != NULL) {
        *sequence = PySequence_Fast(made, "contributions are a tuple");
        Py_DECREF(made);
        return *sequence == NULL ? -1 : 0;
    }
    return 0;
}

/* Return whether an inner array keeps its gradient: `keeps_gradient` of backward_pass.py. -1 is an error. */
static int
keeps_gradient(Value *node)
{
    PyObject *const names[] = {string_label, string_retains_grad, string_closure};
    int keeps = 0;
    for (int i = 0; node->attributes != NULL && !keeps && i < 3; i++) {
        PyObject *found = get_attribute(node, names[i]);
        keeps = found != NULL ? PyObject_IsTrue(found) : PyErr_Occurred() ? -1 : 0;
    }
    return keeps;
}

static int
is_scalar(PyObject *object)
{
    return Py_IS_TYPE(object, &PyDoubleArrType_Type) || Py_IS_TYPE(object, &PyFloatArrType_Type);
}

/* Return what a node keeps of its gradient: the array itself if nothing else holds it, or a copy of an array of NumPy. */
static PyObject *
own_total(PyObject *total)
{
    PyArrayObject *array = (PyArrayObject *)total;
    if (!PyArray_CheckExact(total)
        || (Py_REFCNT(total) == 1 && PyArray_BASE(array) == NULL && PyArray_ISWRITEABLE(array)))
        return Py_NewRef(total);
    return PyArray_NewCopy(array, NPY_KEEPORDER);
}

static int
visit(Waiting *waiting, Pass *walk, PyObject *received, Heap *heap)
{
    PyObject *node = waiting->node, *total = PyDict_GetItemWithError(received, node);
    if (total == NULL)
        return -1;
    Py_INCREF(total);
    if (PyDict_DelItem(received, node) < 0) {
        Py_DECREF(total);
        return -1;
    }
    int is_kept = node == walk->root ? 1 : keeps_gradient((Value *)node);
    PyObject *kept = is_kept < 0 ? NULL : is_kept ? own_total(total) : Py_NewRef(walk->not_kept);
    if (kept == NULL) {
        Py_DECREF(total);
        return -1;
    }
    PyObject *before = SLOT(node, at.grad);
    SLOT(node, at.grad) = kept;
    Py_XDECREF(before);
    PyObject *operands = hold_operands(node), *found[MOST_OPERANDS] = {NULL}, *sequence = NULL;
    if (operands == NULL) {
        Py_DECREF(total);
        return not_initialized();
    }
    int failed = compute_contributions(walk, waiting, total, operands, found, &sequence);
    Py_DECREF(total);
    Py_ssize_t count = PyTuple_GET_SIZE(operands);
    if (sequence != NULL)
        count = Py_MIN(count, PySequence_Fast_GET_SIZE(sequence));
    for (Py_ssize_t i = 0; !failed && i < count; i++) {
        PyObject *contribution = sequence == NULL ? found[i] : PySequence_Fast_GET_ITEM(sequence, i);
        if (contribution != NULL && contribution != Py_None)
            failed = receive_array(walk, received, heap, PyTuple_GET_ITEM(operands, i), contribution);
        if (sequence == NULL)
            Py_CLEAR(found[i]); /* leaves the receiver as the only owner */
    }
    for (int i = 0; i < MOST_OPERANDS; i++)
        Py_XDECREF(found[i]);
    Py_XDECREF(sequence);
    Py_DECREF(operands);
    if (!failed && !walk->retain_graph) {
        PyObject *none = PyObject_CallMethod(node, "_free", NULL);
        failed = none == NULL;
        Py_XDECREF(none);
    }
    return failed ? -1 : 0;
}

/* Run a pass. Return the gradients of the leaves, and of the numbers among the parents of arrays. Inner nodes that do not
 * keep their gradient hold `not_kept`. */
static PyObject *
run_pass(Pass *walk, PyObject *gradient)
{
    PyObject *received = PyDict_New();
    Heap heap = {NULL, 0, 0};
    int failed = received == NULL || receive_array(walk, received, &heap, walk->root, gradient) < 0;
    while (!failed && heap.count) {
        Waiting waiting = heap_pop(&heap);
        failed = visit(&waiting, walk, received, &heap) < 0;
        Py_DECREF(waiting.node);
    }
    while (heap.count)
        Py_DECREF(heap.items[--heap.count].node);
    PyMem_Free(heap.items);
    end_quiet(walk);
    if (failed)
        Py_CLEAR(received);
    return received;
}

/* pull(assigned, contributions, require_unchanged, freed_back, root, gradient, not_kept, retain_graph): run a pass; NumPy
 * must be quiet. */
static PyObject *
pull_arrays(PyObject *module, PyObject *arguments)
{
    PyObject *gradient;
    Pass walk = {NULL};
    if (!PyArg_ParseTuple(arguments, "O!OOOOOOp:pull", assigned_type, &walk.assigned, &walk.contributions,
                          &walk.require_unchanged, &walk.freed_back, &walk.root, &gradient, &walk.not_kept,
                          &walk.retain_graph))
        return NULL;
    return run_pass(&walk, gradient);
}

#endif
