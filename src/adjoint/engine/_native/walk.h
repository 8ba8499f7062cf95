/* Loops over arrays: over contiguous memory at once, and over operands that broadcast or have gaps row by row. */
#ifndef ADJOINT_WALK_H
#define ADJOINT_WALK_H

#include "compiler.h"
#include "fast.h"

#define MOST_INPUTS 4
enum { GRADIENT, RESULT, OPERAND }; /* positions among the inputs of a loop; the second operand follows the first */
/* The step of an input is 1, or 0 if one element is repeated. */
typedef void (*Loop)(char *out, const char *const *in, const int *step, npy_intp count);

#define LONG 20000 /* elements; from this size on, loops release the GIL */

#define MOST_AXES 8

static inline npy_intp
size_of(int type)
{
    return type == DOUBLE ? (npy_intp)sizeof(double) : (npy_intp)sizeof(float);
}

/* How the inputs of a loop move from row to row. A row is the longest run of elements in which each input has a
 * constant step. */
typedef struct {
    const char *in[MOST_INPUTS];
    int step[MOST_INPUTS];
    npy_intp strides[MOST_INPUTS][MOST_AXES], dims[MOST_AXES]; /* of the axes of rows, in bytes */
    int axes;
    npy_intp rows, length;
} Walk;

/* Find the shape that two operands broadcast to. Return its number of axes; -1 if there is none, or more axes than
 * a Walk has. */
static int
broadcast_shape(const Array *x, const Array *z, npy_intp *dims, npy_intp *count)
{
    int ndim = Py_MAX(x->ndim, z->ndim);
    if (ndim > MOST_AXES)
        return -1;
    *count = 1;
    for (int i = 0; i < ndim; i++) {
        int a = i - (ndim - x->ndim), b = i - (ndim - z->ndim);
        npy_intp first = a < 0 ? 1 : x->dims[a], second = b < 0 ? 1 : z->dims[b];
        if (first != second && first != 1 && second != 1)
            return -1;
        dims[i] = first == 1 ? second : first;
        *count *= dims[i];
    }
    return ndim;
}

/* Return the stride with which an input moves along an axis of a result with `ndim` axes. */
static inline npy_intp
stride_along(const Array *input, int axis, int ndim)
{
    int own = axis - (ndim - input->ndim);
    return own < 0 || input->dims[own] == 1 ? 0 : input->strides[own];
}

/* Prepare a walk over inputs, some of which may be NULL, that broadcast to a shape. Return 0 if an input has gaps within
 * rows. */
static int
plan_walk(Walk *walk, const Array *const *inputs, int type, int ndim, const npy_intp *dims)
{
    static const double nothing;
    npy_intp size = size_of(type);
    int axes = 0;
    if (ndim > MOST_AXES)
        return 0;
    for (int axis = 0; axis < ndim; axis++) {
        npy_intp strides[MOST_INPUTS];
        int is_one_with_last = axes > 0;
        if (dims[axis] == 1)
            continue;
        for (int i = 0; i < MOST_INPUTS; i++) {
            strides[i] = inputs[i] == NULL ? 0 : stride_along(inputs[i], axis, ndim);
            if (axes > 0 && walk->strides[i][axes - 1] != strides[i] * dims[axis])
                is_one_with_last = 0;
        }
        if (is_one_with_last)
            walk->dims[axes - 1] *= dims[axis];
        else
            walk->dims[axes++] = dims[axis];
        for (int i = 0; i < MOST_INPUTS; i++)
            walk->strides[i][axes - 1] = strides[i];
    }
    walk->axes = axes > 0 ? axes - 1 : 0;
    walk->length = axes > 0 ? walk->dims[walk->axes] : 1;
    walk->rows = 1;
    for (int i = 0; i < walk->axes; i++)
        walk->rows *= walk->dims[i];
    for (int i = 0; i < MOST_INPUTS; i++) {
        npy_intp stride = axes > 0 ? walk->strides[i][walk->axes] : 0;
        if (stride != 0 && stride != size)
            return 0;
        walk->step[i] = stride != 0;
        walk->in[i] = inputs[i] == NULL ? (const char *)&nothing : inputs[i]->data;
    }
    return 1;
}

/* Prepare a walk in one row: each input has `count` elements in contiguous memory, or one that is repeated. */
static void
plan_row(Walk *walk, const Array *const *inputs, npy_intp count)
{
    walk->axes = 0;
    walk->rows = 1;
    walk->length = count;
    for (int i = 0; i < MOST_INPUTS; i++) {
        walk->in[i] = inputs[i] == NULL ? NULL : inputs[i]->data;
        walk->step[i] = inputs[i] != NULL && inputs[i]->step;
    }
}

static void
run_rows(Loop loop, char *out, const Walk *walk, npy_intp row_size)
{
    const char *in[MOST_INPUTS];
    npy_intp place[MOST_AXES] = {0};
    memcpy(in, walk->in, sizeof(in));
    for (npy_intp row = 0; row < walk->rows; row++, out += row_size) {
        loop(out, in, walk->step, walk->length);
        for (int axis = walk->axes - 1; axis >= 0; axis--) {
            for (int i = 0; i < MOST_INPUTS; i++)
                in[i] += walk->strides[i][axis];
            if (++place[axis] < walk->dims[axis])
                break;
            for (int i = 0; i < MOST_INPUTS; i++)
                in[i] -= walk->strides[i][axis] * walk->dims[axis];
            place[axis] = 0;
        }
    }
}

/* Run a loop over all rows; the result is contiguous. */
static void
run_walk(Loop loop, char *out, const Walk *walk, int type)
{
    npy_intp row_size = walk->length * size_of(type);
    PyThreadState *released = walk->rows * walk->length < LONG ? NULL : PyEval_SaveThread();
    run_rows(loop, out, walk, row_size);
    if (released != NULL)
        PyEval_RestoreThread(released);
}

#endif
