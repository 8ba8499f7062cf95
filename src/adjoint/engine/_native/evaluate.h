/* Evaluate a row of the table, or one of its partial derivatives, by its index. */
#ifndef ADJOINT_EVALUATE_H
#define ADJOINT_EVALUATE_H

#include "rows.h"

/* Return the number of operands of a row: 1 or 2. */
static inline int
row_arity(int row)
{
    switch (row) {
#define UNARY_ARITY(index, name) case index: return 1;
        UNARY_ROWS(UNARY_ARITY)
    }
    return 2;
}

static double
evaluate_row(int row, double x, double z)
{
    switch (row) {
#define EVALUATE_UNARY(index, name) case index: return name##_y(x);
#define EVALUATE_BINARY(index, name, defaults, default_) case index: return name##_y(x, z);
        UNARY_ROWS(EVALUATE_UNARY)
        BINARY_ROWS(EVALUATE_BINARY)
    }
    Py_UNREACHABLE();
}

/* Return the partial derivative of a row for operand i; y is the result. */
static double
evaluate_partial(int row, int i, double y, double x, double z)
{
    switch (row) {
#define UNARY_PARTIAL(index, name) case index: return name##_d0(y, x);
#define BINARY_PARTIAL(index, name, defaults, default_)                                             \
    case index: return i == 0 ? name##_d0(y, x, z) : name##_d1(y, x, z);
        UNARY_ROWS(UNARY_PARTIAL)
        BINARY_ROWS(BINARY_PARTIAL)
    }
    Py_UNREACHABLE();
}

#endif
