/* The backward pass over a graph: `backward` of value.py, for graphs without unusual nodes.
 *
 * No Python code runs during the pass, so it is atomic for other threads and cannot fail midway.
 */
#ifndef ADJOINT_BACKWARD_H
#define ADJOINT_BACKWARD_H

#include "node.h"

/* A flag stored in `uses` with the count: the node has not received a gradient yet in this pass. */
#define UNTOUCHED ((uint32_t)1 << 31)

enum { NO_MEMORY = -1, ORDINARY, UNUSUAL, NOTICED, EXAMINED };

/* Return UNUSUAL if a node needs the Python backward: it is freed or of a subclass, it runs user code, or its gradient is a
 * Value. Return NOTICED if guards must check it: its gradient was used. */
static inline int
examine(Value *node)
{
    if (node->flags & (FREED | BY_HAND | OBJECT_GRAD) || !IS_VALUE(node))
        return UNUSUAL;
    return node->flags & GRAD_USED ? NOTICED : ORDINARY;
}

/* Return whether the data of a parent may have been assigned after the node had used it. */
static int
may_be_stale(Value *node)
{
    FOR_EACH_PARENT(node, parent, derivative, {
        if (parent->flags & ASSIGNED && (!HAS_TIME_ASSIGNED(parent) || parent->assigned_at > time_made(node)))
            return 1;
    });
    return 0;
}

/* Undo count_uses(), also one that stopped half-way: it marked the nodes in the order in which this walk clears them, so
 * the stack needs no more room than it has. Return UNUSUAL if a node needs the Python backward, otherwise NOTICED if guards
 * must check the graph. */
static int
uncount_uses(Value *root, Stack *stack)
{
    int is_unusual = 0, is_noticed = 0;
    stack->count = 0;
    stack_put(stack, root);
    while (stack->count) {
        Value *node = stack->nodes[--stack->count];
        is_unusual |= examine(node) == UNUSUAL;
        is_noticed |= examine(node) == NOTICED || may_be_stale(node);
        FOR_EACH_PARENT(node, parent, derivative, {
            if (parent->uses != 0) {
                parent->uses = 0;
                stack_put(stack, parent);
            }
        });
    }
    return is_unusual ? UNUSUAL : is_noticed ? NOTICED : EXAMINED;
}

/* For each node that the root depends on, count the nodes that use it, and count the inner nodes. Return UNUSUAL if the
 * nodes must be examined: see uncount_uses(). */
static int
count_uses(Value *root, Stack *stack, size_t *inner)
{
    int unusual = ORDINARY;
    size_t days = 0; /* if all inner nodes were made today, the sum is their number times today */
    stack_put(stack, root);
    while (stack->count) {
        Value *node = stack->nodes[--stack->count];
        *inner += node->flags & INNER;
        days += node->day;
        if (UNLIKELY(examine(node) != ORDINARY))
            unusual = UNUSUAL;
        FOR_EACH_PARENT(node, parent, derivative, {
            if (LIKELY(parent->uses == 0)) {
                if (stack_push(stack, parent) < 0)
                    return NO_MEMORY;
                parent->uses = UNTOUCHED | 1;
            } else {
                parent->uses++;
            }
        });
    }
    return days == *inner * today ? unusual : UNUSUAL;
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
 * use it have been visited. Inner nodes are assigned; leaves accumulate, unless they are frozen. The stacks have room for all
 * inner nodes. Return whether any leaf is not frozen. */
static int
pass_gradients(Value *root, double gradient, Stack *stack, Stack *visited)
{
    int is_trained = 0;
    if (!(root->flags & INNER)) {
        root->grad += gradient;
        return 1;
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
                if (receive(parent, &parent->received, derivative * grad) && !(parent->flags & FROZEN)) {
                    parent->grad += parent->received;
                    is_trained = 1;
                }
            }
        });
        if (visited != NULL) {
            Py_INCREF((PyObject *)node);
            stack_put(visited, node);
        }
    }
    return is_trained;
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

/* Run a backward pass. Return UNUSUAL if the graph needs the Python backward, NOTICED if guards must check it first,
 * NO_MEMORY, or ORDINARY; nothing is changed unless it is ORDINARY. */
static int
run_backward(Value *root, double gradient, int retain_graph, int is_checked)
{
    Stack stack, visited;
    size_t inner = 0;
    stack_init(&stack);
    stack_init(&visited);
    int found = count_uses(root, &stack, &inner);
    if (is_checked && found == UNUSUAL)
        found = ORDINARY;
    if (found == ORDINARY && (stack_reserve(&stack, inner) < 0 || (!retain_graph && stack_reserve(&visited, inner) < 0)))
        found = NO_MEMORY;
    if (found != ORDINARY) {
        int examined = uncount_uses(root, &stack);
        stack_release(&stack);
        stack_release(&visited);
        return found == NO_MEMORY ? NO_MEMORY : examined;
    }
    int is_trained = pass_gradients(root, gradient, &stack, retain_graph ? NULL : &visited);
    stack_release(&stack);
    Value *dying = NULL;
    for (size_t i = 0; is_trained && i < visited.count; i++)
        free_graph(visited.nodes[i], &dying);
    for (size_t i = 0; i < visited.count; i++)
        drop(visited.nodes[i], &dying);
    stack_release(&visited);
    bury_all(dying);
    return is_trained ? ORDINARY : UNUSUAL; /* freezing.py raises the error */
}

#endif
