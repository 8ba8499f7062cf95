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

/* Pass a contribution to a parent: add it to its total, or put the parent on the heap. A node on the heap
 * counts the references from the graph in `uses`. */
static int
receive_array(PyObject *received, Heap *heap, PyObject *parent, PyObject *contribution, PyObject *freed_back)
{
    PyObject *before = PyDict_GetItemWithError(received, parent);
    if (before == NULL && PyErr_Occurred())
        return -1;
    if (before != NULL) {
        PyObject *total = add_arrays(before, contribution, 1);
        if (total == NULL && !PyErr_Occurred())
            total = PyNumber_Add(before, contribution);
        int failed = total == NULL || (total != before && PyDict_SetItem(received, parent, total) < 0);
        Py_XDECREF(total);
        if (HOLDS_ARRAY(parent) && ((Value *)parent)->uses)
            ((Value *)parent)->uses++;
        return failed ? -1 : 0;
    }
    if (PyDict_SetItem(received, parent, contribution) < 0)
        return -1;
    if (!HOLDS_ARRAY(parent))
        return 0; /* a number: backward_pass.py continues from these */
    if (SLOT(parent, at.back) == freed_back) {
        PyObject *none = PyObject_CallFunctionObjArgs(freed_back, contribution, parent, NULL); /* raises */
        Py_XDECREF(none);
        return -1;
    }
    PyObject *operands = SLOT(parent, at.operands);
    if (PyTuple_GET_SIZE(operands) == 0)
        return 0;
    if (heap_push(heap, parent, PyLong_AsLongLong(SLOT(parent, at.serial))) < 0)
        return -1;
    ((Value *)parent)->uses = 1;
    return 0;
}

static int
visit(Waiting *waiting, PyObject *root, PyObject *received, Heap *heap, long long last_assigned, PyObject *contributions,
      PyObject *freed_back, PyObject *not_kept, int retain_graph)
{
    PyObject *node = waiting->node, *total = PyDict_GetItemWithError(received, node);
    uint32_t uses = ((Value *)node)->uses;
    ((Value *)node)->uses = 0;
    if (total == NULL)
        return -1;
    Py_INCREF(total);
    if (PyDict_DelItem(received, node) < 0) {
        Py_DECREF(total);
        return -1;
    }
    if (not_kept != Py_None) { /* a node with a label or with references from outside the pass keeps its gradient */
        PyObject *label = get_attribute((Value *)node, string_label);
        if (label == NULL && PyErr_Occurred()) {
            Py_DECREF(total);
            return -1;
        }
        Py_ssize_t own = 1 + (retain_graph ? (Py_ssize_t)uses : 0); /* otherwise its users are already freed */
        int is_kept = Py_REFCNT(node) > own || node == root || (label != NULL && PyObject_IsTrue(label));
        PyObject *before = SLOT(node, at.grad);
        SLOT(node, at.grad) = Py_NewRef(is_kept ? total : not_kept);
        Py_XDECREF(before);
    }
    PyObject *operands = Py_NewRef(SLOT(node, at.operands)), *found[MOST_OPERANDS] = {NULL}, *sequence = NULL;
    int fits = 0, failed = 0;
    if (waiting->serial > last_assigned) {
        PyObject *back = SLOT(node, at.back), *arguments[] = {total, node};
        if (Py_IS_TYPE(back, &back_type) && IS_TENSOR(node))
            fits = ((Back *)back)->run((Back *)back, total, node, found);
        if (fits == 0)
            sequence = PyObject_Vectorcall(Py_IS_TYPE(back, &back_type) ? ((Back *)back)->usual : back, arguments, 2, NULL);
    } else {
        PyObject *arguments[] = {node, total};
        sequence = PyObject_Vectorcall(contributions, arguments, 2, NULL);
    }
    Py_DECREF(total);
    if (sequence != NULL)
        Py_SETREF(sequence, PySequence_Fast(sequence, "contributions are a tuple"));
    if (fits <= 0 && sequence == NULL)
        failed = -1;
    Py_ssize_t count = PyTuple_GET_SIZE(operands);
    if (sequence != NULL)
        count = Py_MIN(count, PySequence_Fast_GET_SIZE(sequence));
    for (Py_ssize_t i = 0; !failed && i < count; i++) {
        PyObject *contribution = fits ? found[i] : PySequence_Fast_GET_ITEM(sequence, i);
        if (contribution != NULL && contribution != Py_None)
            failed = receive_array(received, heap, PyTuple_GET_ITEM(operands, i), contribution, freed_back);
        if (fits)
            Py_CLEAR(found[i]); /* leaves the receiver as the only owner */
    }
    for (int i = 0; i < MOST_OPERANDS; i++)
        Py_XDECREF(found[i]);
    Py_XDECREF(sequence);
    Py_DECREF(operands);
    if (!failed && !retain_graph) {
        PyObject *none = PyObject_CallMethod(node, "_free", NULL);
        failed = none == NULL;
        Py_XDECREF(none);
    }
    return failed ? -1 : 0;
}

/* pull(root, gradient, last_assigned, contributions, freed_back, not_kept, retain_graph): return the gradients of
 * the leaves, and of the numbers among the parents of arrays. Inner nodes that do not keep their gradient hold `not_kept`;
 * if that is None, no inner node is assigned its gradient. */
static PyObject *
pull_arrays(PyObject *module, PyObject *arguments)
{
    PyObject *root, *gradient, *contributions, *freed_back, *not_kept;
    long long last_assigned;
    int retain_graph;
    if (!PyArg_ParseTuple(arguments, "OOLOOOp:pull", &root, &gradient, &last_assigned, &contributions, &freed_back,
                          &not_kept, &retain_graph))
        return NULL;
    PyObject *received = PyDict_New();
    Heap heap = {NULL, 0, 0};
    int failed = received == NULL || receive_array(received, &heap, root, gradient, freed_back) < 0;
    while (!failed && heap.count) {
        Waiting waiting = heap_pop(&heap);
        failed = visit(&waiting, root, received, &heap, last_assigned, contributions, freed_back, not_kept, retain_graph) < 0;
        Py_DECREF(waiting.node);
    }
    while (heap.count) {
        PyObject *node = heap.items[--heap.count].node;
        ((Value *)node)->uses = 0;
        Py_DECREF(node);
    }
    PyMem_Free(heap.items);
    if (failed)
        Py_CLEAR(received);
    return received;
}

#endif
