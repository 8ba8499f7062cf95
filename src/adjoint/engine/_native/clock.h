/* When nodes were made and when data was assigned: backward() warns of a graph that is older than its data.
 *
 * The time advances at an assignment, if a node was made since the last one. The time of an assignment is kept as it is.
 * A node that was computed has room for eight bits: the day, from 1 to 255, then 1 again. If it was made 255 or more days
 * ago, it seems to be younger than it is, and a warning may be missed. Leaves have the day 0.
 */
#ifndef ADJOINT_CLOCK_H
#define ADJOINT_CLOCK_H

static int64_t epoch;
static uint8_t today;
static uint32_t kind_today; /* the field `kind` of a node, with this day alone */
static Py_ssize_t made_before; /* the number of nodes when the time last advanced */

/* Whether a node has room for the time of an assignment. Others keep it in their attributes. */
#define HAS_TIME_ASSIGNED(node) (!((node)->flags & INNER) || (node)->flags & GENERIC)

/* Return the time at which an inner node was made. */
static inline int64_t
time_made(Value *node)
{
    return epoch - (today - node->day + 255) % 255;
}

/* Make a leaf, which was made now, the result of a row. */
static inline void
set_row(Value *node, int row)
{
    node->kind = (Value){.row = (uint8_t)row, .flags = INNER}.kind | kind_today;
}

static void
start_day(void)
{
    today = (uint8_t)(1 + epoch % 255);
    kind_today = (Value){.day = today}.kind;
}

/* Return the time of an assignment that happens now. */
static inline int64_t
tick_of_assignment(void)
{
    if (made_before != made_nodes) {
        epoch++;
        start_day();
        made_before = made_nodes;
    }
    return epoch;
}

#endif
