/* The backward pass over a graph: `backward` of value.py, for graphs without unusual nodes.
 *
 * No Python code runs during the pass, so it is atomic for other threads and cannot fail midway.
 */
#ifndef ADJOINT_BACKWARD_H
#define ADJOINT_BACKWARD_H

#include "node.h"

/* A flag stored in `uses` with the count: the node has not received a gradient yet in this pass. */
#define UNTOUCHED ((uint32_t)1 << 31)

/* For each node that the root depends on, count the nodes that use it. Return whether any of them needs the
 * Python backward: freed nodes, user code, subclasses, and gradients that are Values. */
static int
count_uses(Value *root, Stack *stack)
{
    int unusual = 0;
    stack_push(stack, root);
    while (stack->count) {
        Value *node = stack->nodes[--stack->count];
        unusual |= (node->flags & (FREED | BY_HAND | OBJECT_GRAD)) || !IS_VALUE(node);
        FOR_EACH_PARENT(node, parent, derivative, {
            if (parent->uses == 0) {
                parent->uses = UNTOUCHED | 1;
                stack_push(stack, parent);
            } else {
                parent->uses++;
            }
        });
    }
    return unusual;
}

/* Undo count_uses(). */
static void
uncount_uses(Value *root, Stack *stack)
{
    stack_push(stack, root);
    while (stack->count) {
        Value *node = stack->nodes[--stack->count];
        FOR_EACH_PARENT(node, parent, derivative, {
            if (--parent->uses == UNTOUCHED) {
                parent->uses = 0;
                stack_push(stack, parent);
            }
        });
    }
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
 * use it have been visited. Inner nodes are assigned; leaves accumulate. */
static void
pass_gradients(Value *root, double gradient, Stack *stack, Stack *visited)
{
    if (!(root->flags & INNER)) {
        root->grad += gradient;
        return;
    }
    root->grad = gradient;
    stack_push(stack, root);
    while (stack->count) {
        Value *node = stack->nodes[--stack->count];
        double grad = node->grad;
        FOR_EACH_PARENT(node, parent, derivative, {
            if (parent->flags & INNER) {
                if (receive(parent, &parent->grad, derivative * grad))
                    stack_push(stack, parent);
            } else {
                if (receive(parent, &parent->derivative[0], derivative * grad))
                    parent->grad += parent->derivative[0];
            }
        });
        if (visited != NULL) {
            Py_INCREF((PyObject *)node);
            stack_push(visited, node);
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

/* Run a backward pass. Return 0, with nothing changed, if the graph needs the Python backward. */
static int
run_backward(Value *root, double gradient, int retain_graph)
{
    Stack stack;
    stack_init(&stack);
    if (count_uses(root, &stack)) {
        uncount_uses(root, &stack);
        stack_release(&stack);
        return 0;
    }
    Stack visited;
    stack_init(&visited);
    pass_gradients(root, gradient, &stack, retain_graph ? NULL : &visited);
    stack_release(&stack);
    Value *dying = NULL;
    for (size_t i = 0; i < visited.count; i++)
        free_graph(visited.nodes[i], &dying);
    for (size_t i = 0; i < visited.count; i++)
        drop(visited.nodes[i], &dying);
    stack_release(&visited);
    bury_all(dying);
    return 1;
}

#endif
