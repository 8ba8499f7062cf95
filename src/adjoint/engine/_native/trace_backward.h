/* The backward pass while a tape is recorded: the chain rule as entries, in the order in which backward.h adds. */
#ifndef ADJOINT_TRACE_BACKWARD_H
#define ADJOINT_TRACE_BACKWARD_H

#include "backward.h"
#include "traced_nodes.h"

/* Return whether a node needs the Python backward: see count_uses(); also a history from before the recording. */
static int
is_unusual(const Tape *tape, const Value *node)
{
    if (node->flags & (FREED | BY_HAND))
        return 1;
    if (node->flags & TRACED)
        return node->flags & OBJECT_GRAD || !Py_IS_TYPE(node, traced_type) || node->traced.serial != tape->serial;
    if (node->flags & INNER)
        return 1;
    External *external = find_external(tape, node);
    return external != NULL && (external->grad_entry >= 0 || external->grad_object != NULL) ? external->grad_object != NULL
                                                                                           : node->flags & OBJECT_GRAD;
}

/* count_uses() of backward.h for nodes of a tape. */
static int
count_traced_uses(const Tape *tape, Value *root, Stack *stack, size_t *inner)
{
    int unusual = ORDINARY;
    stack_put(stack, root);
    while (stack->count) {
        Value *node = stack->nodes[--stack->count];
        *inner += node->flags & INNER;
        if (is_unusual(tape, node))
            unusual = UNUSUAL;
        FOR_EACH_PARENT(node, parent, derivative, {
            if (parent->uses == 0) {
                if (stack_push(stack, parent) < 0)
                    return NO_MEMORY;
                parent->uses = UNTOUCHED | 1;
            } else {
                parent->uses++;
            }
        });
    }
    return unusual;
}

/* Return a * b; a if b, a gradient, is the constant 1. Other constants are not simplified: they may be data, and what is
 * computed for each sample must stay the same for all of them. */
static int32_t
multiply_entries(Tape *tape, int32_t a, int32_t b)
{
    if (tape_is_constant(tape, b) && tape_constant_at(tape, b) == 1.0)
        return a;
    return tape_row(tape, mul_index, a, b, KIND_FLOAT);
}

static int
is_zero(const Tape *tape, int32_t entry)
{
    return tape_is_constant(tape, entry) && tape_constant_at(tape, entry) == 0;
}

static int32_t
add_entries(Tape *tape, int32_t a, int32_t b)
{
    if (is_zero(tape, a))
        return b;
    return is_zero(tape, b) ? a : tape_row(tape, add_index, a, b, KIND_FLOAT);
}

/* Return the local derivative of a compact node for operand i. */
static int32_t
traced_derivative(Tape *tape, const Value *node, int i)
{
    int32_t x = node->operand_entry[0], z = row_arity(node->row) == 2 ? node->operand_entry[1] : -1;
    switch (node->row) {
    case add_index:
        return tape_constant(tape, 1.0);
    case sub_index:
        return tape_constant(tape, i == 0 ? 1.0 : -1.0);
    case neg_index:
        return tape_constant(tape, -1.0);
    case mul_index:
        return i == 0 ? z : x;
    }
    return tape_partial(tape, node->row, i, node->result_entry, x, z);
}

static PyObject *where_op; /* ops.choice: a choice by a condition, the first operand */

/* Return what operand i of a user's op receives; `variable` counts the Values among the operands. */
static int32_t
generic_contribution(Tape *tape, const Value *node, Py_ssize_t i, Py_ssize_t variable, int32_t grad)
{
    int kind;
    if (PyTuple_GET_ITEM(node->generic.rule, 0) == where_op) { /* not a product: zero times infinity would be NaN */
        int32_t condition = number_entry(tape, PyTuple_GET_ITEM(node->generic.operands, 0), &kind);
        int32_t zero = condition < 0 ? -1 : tape_constant(tape, 0.0);
        if (zero < 0)
            return -1;
        return i == 1 ? tape_where(tape, condition, grad, zero, KIND_FLOAT) : tape_where(tape, condition, zero, grad, KIND_FLOAT);
    }
    int32_t derivative = number_entry(tape, PyTuple_GET_ITEM(PyTuple_GET_ITEM(node->generic.rule, 1), variable), &kind);
    return derivative < 0 ? -1 : multiply_entries(tape, derivative, grad);
}

/* Return what operand i of a compact node receives. */
static int32_t
traced_contribution(Tape *tape, const Value *node, int i, int32_t grad)
{
    if (node->row == add_index || (node->row == sub_index && i == 0))
        return grad;
    if (node->row == sub_index || node->row == neg_index)
        return tape_row(tape, neg_index, grad, -1, KIND_FLOAT);
    int32_t derivative = traced_derivative(tape, node, i);
    return derivative < 0 ? -1 : multiply_entries(tape, derivative, grad);
}

/* Add a total to the gradient of a leaf. */
static int
accumulate_entry(Tape *tape, Value *leaf, int32_t total)
{
    PyObject *object;
    if (leaf->flags & FROZEN)
        return 0;
    int32_t grad = grad_entry_of(tape, leaf, &object), sum = grad < 0 ? -1 : add_entries(tape, grad, total);
    if (sum < 0)
        return -1;
    if (leaf->flags & TRACED)
        leaf->grad_entry = sum;
    else
        find_external(tape, leaf)->grad_entry = sum;
    return 0;
}

/* Add a contribution to the total of a node. Return whether it was the last one, or -1 after an error. A contribution of
 * -1 stands for an error. */
static int
receive_entry(Tape *tape, Value *node, int32_t contribution)
{
    External *external = node->flags & TRACED || contribution < 0 ? NULL : touch_external(tape, node);
    int32_t *total = external != NULL ? &external->total
        : node->flags & INNER ? &node->grad_entry : &node->operand_entry[0];
    uint32_t uses = node->uses - 1;
    node->uses = uses & ~UNTOUCHED;
    if (contribution < 0 || (external == NULL && !(node->flags & TRACED)))
        return -1;
    *total = uses & UNTOUCHED ? contribution : add_entries(tape, *total, contribution);
    if (*total < 0)
        return -1;
    if (node->uses == 0 && !(node->flags & INNER) && accumulate_entry(tape, node, *total) < 0)
        return -1;
    return node->uses == 0;
}

/* pass_gradients() of backward.h. After an error the walk goes on without new entries, because it also sets the counts
 * back to zero. Return -1 after an error. */
static int
pass_traced_gradients(Tape *tape, Value *root, int32_t gradient, Stack *stack, Stack *visited)
{
    int failed = 0;
    if (!(root->flags & INNER))
        return accumulate_entry(tape, root, gradient);
    root->grad_entry = gradient;
    stack_put(stack, root);
    while (stack->count) {
        Value *node = stack->nodes[--stack->count];
        int32_t grad = node->grad_entry;
        int is_generic = node->flags & GENERIC;
        Py_ssize_t count = is_generic ? PyTuple_GET_SIZE(node->generic.operands) : 2, variable = 0;
        for (Py_ssize_t i = 0; i < count; i++) {
            Value *parent = is_generic ? (Value *)PyTuple_GET_ITEM(node->generic.operands, i) : node->operand[i];
            if (parent == NULL || (is_generic && !IS_VALUE_OR_SUBCLASS(parent)))
                continue;
            int32_t contribution = failed ? -1
                : is_generic ? generic_contribution(tape, node, i, variable, grad)
                : traced_contribution(tape, node, (int)i, grad);
            failed |= receive_entry(tape, parent, contribution) < 0;
            if (parent->uses == 0 && parent->flags & INNER)
                stack_put(stack, parent);
            variable++;
        }
        if (visited != NULL) {
            Py_INCREF((PyObject *)node);
            stack_put(visited, node);
        }
    }
    return failed ? -1 : 0;
}

/* Run a backward pass on the tape. Return as run_backward() does; NO_MEMORY also stands for an error that is set. */
static int
trace_backward(Tape *tape, Value *root, int32_t gradient, int retain_graph)
{
    Stack stack, visited;
    size_t inner = 0;
    stack_init(&stack);
    stack_init(&visited);
    int found = count_traced_uses(tape, root, &stack, &inner);
    if (found == ORDINARY && (stack_reserve(&stack, inner) < 0 || (!retain_graph && stack_reserve(&visited, inner) < 0)))
        found = NO_MEMORY;
    if (found != ORDINARY) {
        uncount_uses(root, &stack);
        stack_release(&stack);
        stack_release(&visited);
        if (found == NO_MEMORY)
            PyErr_NoMemory();
        return found;
    }
    int failed = pass_traced_gradients(tape, root, gradient, &stack, retain_graph ? NULL : &visited);
    stack_release(&stack);
    Value *dying = NULL;
    for (size_t i = 0; i < visited.count && !failed; i++)
        free_graph(visited.nodes[i], &dying);
    for (size_t i = 0; i < visited.count; i++)
        drop(visited.nodes[i], &dying);
    stack_release(&visited);
    bury_all(dying);
    return failed ? NO_MEMORY : ORDINARY;
}

#endif
