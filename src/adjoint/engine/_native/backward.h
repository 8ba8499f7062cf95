/* The backward pass over a graph: `backward` of value.py, for graphs without unusual nodes.
 *
 * No Python code runs during the pass, so it is atomic for other threads and cannot fail midway.
 */
#ifndef ADJOINT_BACKWARD_H
#define ADJOINT_BACKWARD_H

#include "node.h"

/* A flag stored in `uses` with the count: the node has not received a gradient yet in this pass. */
#define UNTOUCHED ((uint32_t)1 << 31)

/* Undo count_uses(), also one that stopped half-way: it marked the nodes in the order in which this walk clears them, so
 * the stack needs no more room than it has. */
static void
uncount_uses(Value *root, Stack *stack)
{
    stack->count = 0;
    stack_put(stack, root);
    while (stack->count) {
        Value *node = stack->nodes[--stack->count];
        FOR_EACH_PARENT(node, parent, derivative, {
            if (parent->uses != 0) {
                parent->uses = 0;
                if (parent->flags & INNER)
                    stack_put(stack, parent);
            }
        });
    }
}

enum { NO_MEMORY = -1, ORDINARY, UNUSUAL };

/* For each node that the root depends on, count the nodes that use it, and count the inner nodes. Return whether any of
 * them needs the Python backward: freed nodes, user code, subclasses, and gradients that are Values. */
static int
count_uses(Value *root, Stack *stack, size_t *inner)
{
    int unusual = ORDINARY;
    stack_put(stack, root);
    while (stack->count) {
        Value *node = stack->nodes[--stack->count];
        *inner += node->flags & INNER;
        if ((node->flags & (FREED | BY_HAND | OBJECT_GRAD)) || !IS_VALUE(node))
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

/* Add a contribution to the total of a node; return whether it was the last one. */
static inline int
receive(Value *node, double *total, double contribution)
{
    uint32_t uses = node->uses - 1;
    *total = (uses & UNTOUCHED ? 0.0 : *total) + contribution;
    node->uses = uses & ~UNTOUCHED;
    return node->uses == 0;
}

/* Pass the gradient of each node to its parents, times the local derivative. A node is ready once all nodes that
 * use it have been visited. Inner nodes are assigned; leaves accumulate. The stacks have room for all inner nodes. */
static void
pass_gradients(Value *root, double gradient, Stack *stack, Stack *visited)
{
    if (!(root->flags & INNER)) {
        root->grad += gradient;
        return;
    }
    root->grad = gradient;
    stack_put(stack, root);
    while (stack->count) {
        Value *node = stack->nodes[--stack->count];
        double grad = node->grad;
        FOR_EACH_PARENT(node, parent, derivative, {
            if (parent->flags & INNER) {
                if (receive(parent, &parent->grad, derivative * grad))
                    stack_put(stack, parent);
            } else {
                if (receive(parent, &parent->derivative[0], derivative * grad))
                    parent->grad += parent->derivative[0];
            }
        });
        if (visited != NULL) {
            Py_INCREF((PyObject *)node);
            stack_put(visited, node);
        }
    }
}

static void
free_graph(Value *node, Value **dying)
{
    if (!(node->flags & INNER))
        return;
    if (node->flags & GENERIC)
        Py_CLEAR(node->generic.operands); /* the rule stays, for its name */
    else
        node_forget(node, dying);
    node->flags = (node->flags & ~INNER) | FREED;
}

/* Run a backward pass. Return UNUSUAL if the graph needs the Python backward, NO_MEMORY, or ORDINARY; nothing is changed
 * unless it is ORDINARY. */
static int
run_backward(Value *root, double gradient, int retain_graph)
{
    Stack stack, visited;
    size_t inner = 0;
    stack_init(&stack);
    stack_init(&visited);
    int found = count_uses(root, &stack, &inner);
    if (found == ORDINARY && (stack_reserve(&stack, inner) < 0 || (!retain_graph && stack_reserve(&visited, inner) < 0)))
        found = NO_MEMORY;
    if (found != ORDINARY) {
        uncount_uses(root, &stack);
        stack_release(&stack);
        stack_release(&visited);
        return found;
    }
    pass_gradients(root, gradient, &stack, retain_graph ? NULL : &visited);
    stack_release(&stack);
    Value *dying = NULL;
    for (size_t i = 0; i < visited.count; i++)
        free_graph(visited.nodes[i], &dying);
    for (size_t i = 0; i < visited.count; i++)
        drop(visited.nodes[i], &dying);
    stack_release(&visited);
    bury_all(dying);
    return ORDINARY;
}

#endif
