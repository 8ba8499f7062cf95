/* The memory of a Value: the fields of a node, and how it is allocated, tracked and freed.
 *
 * A compact node applies a row of the table to at most two operands. If an operand is a constant, its pointer
 * is NULL and the field of its local derivative holds the constant. Every other node
 * (a user's op, a node made by hand) is GENERIC: it keeps its operands, rule and derivatives as Python objects.
 */
#ifndef ADJOINT_NODE_H
#define ADJOINT_NODE_H

#include "compiler.h"

#include <stdint.h>

typedef struct Value {
    PyObject_HEAD
    union {
        double data;
        struct Value *next_dying;
        struct {
            int32_t entry;   /* of a TRACED node: the entry of its data, on the tape with this serial number */
            uint32_t serial;
        } traced;
    };
    union {
        double grad;
        int32_t grad_entry; /* of a TRACED node; -1 for 0.0 */
    };
    union {
        struct Value *operand[2];
        struct {
            PyObject *operands; /* a tuple of Values and floats */
            PyObject *rule;     /* a tuple: an Op or the name given by hand, and the derivatives */
        } generic;
    };
    union {
        double derivative[2];
        struct {
            double received;     /* of a leaf: the gradient received so far in the current backward pass */
            int64_t assigned_at; /* of a leaf or a GENERIC node that is ASSIGNED: when; see clock.h */
        };
        struct {
            int32_t operand_entry[2]; /* of a TRACED node: the entries of its operands; [0] of a leaf as `received` */
            int32_t result_entry;     /* of its data when it was computed: the data may have been assigned since */
        };
    };
    uint32_t uses;        /* uses by nodes not yet visited in the current backward pass; otherwise 0 */
    union {
        struct {
            uint8_t row;
            uint8_t day; /* the day on which an inner node was made: see clock.h */
            uint16_t flags;
        };
        uint32_t kind; /* all three, to assign them at once */
    };
    PyObject *attributes; /* what few nodes have: a label, a gradient that is a Value, a _backward by hand; see marks.py */
} Value;

#define NODE_SIZE sizeof(Value)
#include "slab.h"

enum {
    INNER = 1,        /* has parents */
    GENERIC = 2,
    FREED = 4,        /* had parents until backward(retain_graph=False) */
    BY_HAND = 8,      /* user code takes part in the backward pass: chain_rule.py runs it */
    OBJECT_GRAD = 16, /* the gradient is a Value, stored in the attributes as "_grad" */
    TRACKED = 32,     /* tracked by the garbage collector, as is everything it depends on */
    SPENT = 64,       /* an optimizer has used the gradient since it was last set */
    TRACED = 128,     /* made while recording a tape: see traced.h */
    /* what guards notice: see backward_guards.py */
    GRAD_READ = 256,      /* the user's program has read the gradient since the gradient or the data was last assigned */
    GRAD_USED = 512,      /* its data was assigned after its gradient was read, and the gradient is still there */
    GRAD_REPLACED = 1024, /* the gradient was assigned without being read before */
    ASSIGNED = 2048,      /* its data was assigned */
    PASSED = 4096,        /* a backward pass went through it while the guard `second_backward` was on */
    FROZEN = 8192,        /* of a leaf: it receives no gradient; see freezing.py */
    UNRECORDED = 16384,   /* computed under no_grad() or returned by detach() */
    DOUBTFUL = 32768,     /* a backward pass from a result that is not finite has reached it: see non_finite.py */
};

static PyTypeObject *value_type;
static PyTypeObject *traced_type; /* the subtype of TRACED nodes: fast paths for Values do not take them */

#define IS_VALUE(object) Py_IS_TYPE(object, value_type)
#define IS_VALUE_OR_TRACED(object) (IS_VALUE(object) || Py_IS_TYPE(object, traced_type))
#define IS_VALUE_OR_SUBCLASS(object) PyObject_TypeCheck(object, value_type)

/* --- a stack of nodes -------------------------------------------------------------------------- */

typedef struct {
    Value **nodes;
    size_t count, capacity;
    Value *first[256];
} Stack;

static inline void
stack_init(Stack *stack)
{
    stack->nodes = stack->first;
    stack->count = 0;
    stack->capacity = sizeof(stack->first) / sizeof(stack->first[0]);
}

/* Make room for `capacity` nodes. Return -1, without an error set, if there is no memory. */
static int
stack_reserve(Stack *stack, size_t capacity)
{
    if (capacity <= stack->capacity)
        return 0;
    Value **nodes = PyMem_RawRealloc(stack->nodes == stack->first ? NULL : stack->nodes, capacity * sizeof(Value *));
    if (nodes == NULL)
        return -1;
    if (stack->nodes == stack->first)
        memcpy(nodes, stack->first, sizeof(stack->first));
    stack->nodes = nodes;
    stack->capacity = capacity;
    return 0;
}

static inline int
stack_push(Stack *stack, Value *node)
{
    if (stack->count == stack->capacity && stack_reserve(stack, 2 * stack->capacity) < 0)
        return -1;
    stack->nodes[stack->count++] = node;
    return 0;
}

/* Push a node where stack_reserve() has made room. */
static inline void
stack_put(Stack *stack, Value *node)
{
    stack->nodes[stack->count++] = node;
}

static inline void
stack_release(Stack *stack)
{
    if (stack->nodes != stack->first)
        PyMem_RawFree(stack->nodes);
}

/* Run the body for each parent of a node and its local derivative, in the order of the operands. */
#define FOR_EACH_PARENT(node, parent, derivative_, body)                                            \
    do {                                                                                            \
        if (LIKELY(!((node)->flags & GENERIC))) {                                                   \
            for (int i_ = 0; i_ < 2; i_++) {                                                        \
                Value *parent = (node)->operand[i_];                                                \
                double derivative_ = (node)->derivative[i_];                                        \
                if (parent != NULL) {                                                               \
                    (void)derivative_;                                                              \
                    body                                                                            \
                }                                                                                   \
            }                                                                                       \
        } else if ((node)->generic.operands != NULL) {                                              \
            PyObject *operands_ = (node)->generic.operands;                                         \
            PyObject *derivatives_ = PyTuple_GET_ITEM((node)->generic.rule, 1);                     \
            Py_ssize_t n_ = PyTuple_GET_SIZE(operands_), j_ = 0;                                    \
            for (Py_ssize_t i_ = 0; i_ < n_; i_++) {                                                \
                PyObject *operand_ = PyTuple_GET_ITEM(operands_, i_);                               \
                if (IS_VALUE_OR_SUBCLASS(operand_)) {                                               \
                    Value *parent = (Value *)operand_;                                              \
                    double derivative_ = j_ < PyTuple_GET_SIZE(derivatives_)                        \
                        ? PyFloat_AS_DOUBLE(PyTuple_GET_ITEM(derivatives_, j_)) : 0.0;              \
                    j_++;                                                                           \
                    (void)derivative_;                                                              \
                    body                                                                            \
                }                                                                                   \
            }                                                                                       \
        }                                                                                           \
    } while (0)

/* --- making ------------------------------------------------------------------------------------ */

/* Whether nodes live in slabs. They do not if the header of the garbage collector differs from the one that slab.h
 * assumes, or if a sanitizer should see each node as a separate allocation. */
static int use_slabs;

static Py_ssize_t made_nodes, freed_nodes; /* of the class itself; tests use the difference to find leaks */

#include "clock.h"

/* Allocate a leaf without label or history. Nodes are not tracked by the garbage collector until they are given
 * something that may refer back to them: see track(). */
INLINE Value *
node_new(double data)
{
    Value *node;
    if (use_slabs) {
        node = cell_new();
        if (node == NULL)
            return (Value *)PyErr_NoMemory();
        memset(node, 0, sizeof(PyObject)); /* leftover bits could be mistaken for an immortal object */
        Py_SET_REFCNT((PyObject *)node, 1);
        Py_SET_TYPE((PyObject *)node, value_type); /* borrowed: the type outlives all nodes */
    } else {
        node = PyObject_GC_New(Value, value_type);
        if (node == NULL)
            return NULL;
    }
    made_nodes++;
    node->data = data;
    node->grad = 0.0;
    node->operand[0] = node->operand[1] = NULL;
    node->uses = 0;
    node->kind = 0;
    node->attributes = NULL;
    return node;
}

/* --- tracking ---------------------------------------------------------------------------------- */

/* Let the garbage collector track a node and everything it depends on. This is called when a node is given a
 * closure, a gradient that is a Value, or any other object, because these may close a cycle. (A cycle that leads
 * through a container to a node computed from this one is not found; it lives until it is broken by hand. Nor is one
 * that leads through a node that this could not reach for lack of memory.) Return -1 after an error. */
static int
track(Value *node)
{
    Stack stack;
    stack_init(&stack);
    int failed = stack_push(&stack, node);
    while (stack.count) {
        Value *next = stack.nodes[--stack.count];
        if (next->flags & TRACKED)
            continue;
        next->flags |= TRACKED;
        if (!PyObject_GC_IsTracked((PyObject *)next))
            PyObject_GC_Track((PyObject *)next);
        FOR_EACH_PARENT(next, parent, derivative, {
            if (!(parent->flags & TRACKED))
                failed |= stack_push(&stack, parent);
        });
    }
    stack_release(&stack);
    if (failed)
        PyErr_NoMemory();
    return failed;
}

static int
value_traverse(PyObject *self, visitproc visit, void *arg)
{
    Value *node = (Value *)self;
    if (!(use_slabs && IS_VALUE_OR_TRACED(self)))
        Py_VISIT(Py_TYPE(self));
    Py_VISIT(node->operand[0]);
    Py_VISIT(node->operand[1]);
    Py_VISIT(node->attributes);
    return 0;
}

/* Cycles lead through the attributes: parents are older than their children. */
static int
value_clear(PyObject *self)
{
    Py_CLEAR(((Value *)self)->attributes);
    return 0;
}

/* --- freeing ----------------------------------------------------------------------------------- */

static inline void
node_free(Value *node)
{
    PyTypeObject *type = Py_TYPE(node);
    if (IS_VALUE_OR_TRACED(node)) {
        freed_nodes++;
        if (use_slabs) {
            cell_free(node);
            return;
        }
    }
    type->tp_free((PyObject *)node);
    Py_DECREF(type);
}

/* Release a reference to a node. If it was the last one, the node joins the list of dying nodes: no recursion. */
static inline void
drop(Value *node, Value **dying)
{
    if (node == NULL)
        return;
    if (Py_REFCNT((PyObject *)node) == 1 && IS_VALUE_OR_TRACED(node)) {
        if (node->flags & TRACKED)
            PyObject_GC_UnTrack((PyObject *)node);
        node->next_dying = *dying;
        *dying = node;
    } else {
        Py_DECREF((PyObject *)node);
    }
}

/* Release operands, rule and derivatives. */
static inline void
node_forget(Value *node, Value **dying)
{
    if (node->flags & GENERIC) {
        Py_CLEAR(node->generic.operands);
        Py_CLEAR(node->generic.rule);
    } else {
        Value *first = node->operand[0], *second = node->operand[1];
        node->operand[0] = node->operand[1] = NULL;
        drop(first, dying);
        drop(second, dying);
    }
}

static inline void
bury(Value *node, Value **dying)
{
    if (node->attributes != NULL)
        Py_CLEAR(node->attributes);
    node_forget(node, dying);
    Py_SET_REFCNT((PyObject *)node, 0);
    node_free(node);
}

static void
bury_all(Value *dying)
{
    while (dying != NULL) {
        Value *node = dying;
        dying = node->next_dying;
        bury(node, &dying);
    }
}

static void
value_dealloc(PyObject *self)
{
    Value *node = (Value *)self, *dying = NULL;
    if (!IS_VALUE_OR_TRACED(self) || node->flags & TRACKED)
        PyObject_GC_UnTrack(self);
    bury(node, &dying);
    bury_all(dying);
}

#endif
