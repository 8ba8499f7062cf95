/* Sums, means, maxima and minima of an array: of all its elements, or along one axis. */
#ifndef ADJOINT_REDUCTIONS_H
#define ADJOINT_REDUCTIONS_H

#include "calls.h"
#include "elementwise.h"

enum { SUM, MEAN, MAX, MIN };

/* The extremum of x, and NaN if there is one. `sign` is 1 for the maximum and -1 for the minimum. */
#define IS_BEYOND(x, z, sign) ((sign) * (x) > (sign) * (z) || (x) != (x))

#define EXTREMA(T)                                                                                  \
    /* of `count` neighbors */                                                                      \
    INLINE T extremum_of_##T##s(const T *x, npy_intp count, T sign)                                 \
    {                                                                                               \
        T lanes[8], best = x[0];                                                                    \
        npy_intp i = 0;                                                                             \
        if (count >= 8) {                                                                           \
            memcpy(lanes, x, sizeof(lanes));                                                        \
            for (i = 8; i + 8 <= count; i += 8) {                                                   \
                for (int k = 0; k < 8; k++)                                                         \
                    lanes[k] = IS_BEYOND(x[i + k], lanes[k], sign) ? x[i + k] : lanes[k];           \
            }                                                                                       \
            for (int k = 0; k < 8; k++)                                                             \
                best = IS_BEYOND(lanes[k], best, sign) ? lanes[k] : best;                           \
        }                                                                                           \
        for (; i < count; i++)                                                                      \
            best = IS_BEYOND(x[i], best, sign) ? x[i] : best;                                       \
        return best;                                                                                \
    }                                                                                               \
    INLINE void extrema_of_##T##s(T *out, const T *x, Middle of, T sign)                            \
    {                                                                                               \
        for (npy_intp o = 0; o < of.outer; o++, x += of.count * of.inner, out += of.inner) {        \
            if (of.inner == 1) {                                                                    \
                out[0] = extremum_of_##T##s(x, of.count, sign);                                     \
                continue;                                                                           \
            }                                                                                       \
            memcpy(out, x, (size_t)of.inner * sizeof(T));                                           \
            for (npy_intp i = 1; i < of.count; i++) {                                               \
                const T *row = x + i * of.inner;                                                    \
                INDEPENDENT                                                                         \
                for (npy_intp k = 0; k < of.inner; k++)                                             \
                    out[k] = IS_BEYOND(row[k], out[k], sign) ? row[k] : out[k];                     \
            }                                                                                       \
        }                                                                                           \
    }                                                                                               \
    LOOP maxima_of_##T##s(T *out, const T *x, Middle of) { extrema_of_##T##s(out, x, of, 1); }      \
    LOOP minima_of_##T##s(T *out, const T *x, Middle of) { extrema_of_##T##s(out, x, of, -1); }     \
    /* what the elements receive: equal extrema share the gradient */                               \
    LOOP share_of_##T##s(T *out, const T *g, int g_step, const T *y, const T *x, Middle of)         \
    {                                                                                               \
        for (npy_intp o = 0; o < of.outer; o++, x += of.count * of.inner, out += of.count * of.inner) { \
            for (npy_intp k = 0; k < of.inner; k++) {                                               \
                T best = y[o * of.inner + k], gradient = g[(o * of.inner + k) * g_step], ties = 0;  \
                for (npy_intp i = 0; i < of.count; i++)                                             \
                    ties += x[i * of.inner + k] == best;                                            \
                T share = 1 / ties * gradient, nothing = 0 / ties * gradient;                       \
                for (npy_intp i = 0; i < of.count; i++)                                             \
                    out[i * of.inner + k] = x[i * of.inner + k] == best ? share : nothing;          \
            }                                                                                       \
        }                                                                                           \
    }                                                                                               \
    /* each row of `of.inner` numbers `of.count` times */                                           \
    static void repeat_##T##s(T *out, const T *g, T divisor, Middle of)                             \
    {                                                                                               \
        for (npy_intp o = 0; o < of.outer; o++, g += of.inner) {                                    \
            for (npy_intp i = 0; i < of.count; i++, out += of.inner) {                              \
                for (npy_intp k = 0; k < of.inner; k++)                                             \
                    out[k] = g[k] / divisor;                                                        \
            }                                                                                       \
        }                                                                                           \
    }
EXTREMA(double)
EXTREMA(float)

static void
divide(char *out, int type, npy_intp count, npy_intp divisor)
{
    for (npy_intp i = 0; i < count; i++) {
        if (type == DOUBLE)
            ((double *)out)[i] /= (double)divisor;
        else
            ((float *)out)[i] /= (float)divisor;
    }
}

static void
reduce_middle(int kind, char *out, const Array *x, Middle of)
{
    PyThreadState *released = x->count < LONG ? NULL : PyEval_SaveThread();
    if (kind == SUM || kind == MEAN)
        sum_middle(out, x->data, x->type, of);
    else if (x->type == DOUBLE)
        (kind == MAX ? maxima_of_doubles : minima_of_doubles)((double *)out, (const double *)x->data, of);
    else
        (kind == MAX ? maxima_of_floats : minima_of_floats)((float *)out, (const float *)x->data, of);
    if (kind == MEAN)
        divide(out, x->type, of.outer * of.inner, of.count);
    if (released != NULL)
        PyEval_RestoreThread(released);
}

/* The static arguments of a node: self->static_ holds those of all axes, by the number of axes, and of one axis without
 * and with keepdims. Return a borrowed reference, or NULL without an error. */
static PyObject *
static_of_reduction(PyObject *all, int ndim, int axis, int keepdims)
{
    PyObject *list = PyTuple_GET_ITEM(all, axis < 0 ? 0 : 1 + keepdims);
    int place = axis < 0 ? ndim : axis;
    return place < PyList_GET_SIZE(list) && !(axis < 0 && keepdims) ? PyList_GET_ITEM(list, place) : NULL;
}

/* Return an array whose elements are neighbors in memory, in an order in which they may be reduced to one: the array
 * itself, or a copy of a vector with gaps. Steal the reference to `data`; return NULL, without an error, for others. */
static PyObject *
hold_neighbors(PyObject *data, Array *x)
{
    if (data == NULL || !PyArray_CheckExact(data) || !read_any_array(data, x) || !x->count)
        Py_CLEAR(data);
    else if (x->step == STRIDED && x->ndim == 1)
        Py_SETREF(data, PyArray_NewCopy((PyArrayObject *)data, NPY_CORDER));
    if (data != NULL && read_any_array(data, x) && x->step == STRIDED && PyArray_IS_F_CONTIGUOUS((PyArrayObject *)data))
        x->step = 1;
    if (data != NULL && x->step != 1)
        Py_CLEAR(data);
    return data;
}

static PyObject *
reduce_array(Fast *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    Array x;
    npy_intp dims[NPY_MAXDIMS];
    int axis = -1, keepdims = 0, ndim = 0;
    if (count < 1 || !IS_TENSOR(arguments[0]))
        return NULL;
    long long when = ++now;
    char *out;
    PyObject *data = hold_neighbors(hold_data(arguments[0]), &x), *result = NULL, *static_ = NULL;
    if (data != NULL && read_reduction(arguments, count, names, x.ndim, &axis, &keepdims)
        && (axis < 0 || PyArray_IS_C_CONTIGUOUS((PyArrayObject *)data)))
        static_ = static_of_reduction(self->static_, x.ndim, axis, keepdims);
    if (static_ != NULL) {
        for (int i = 0; i < x.ndim && axis >= 0; i++) {
            if (i != axis || keepdims)
                dims[ndim++] = i == axis ? 1 : x.dims[i];
        }
        result = new_array(x.type, ndim, dims, &out);
    }
    if (result != NULL)
        reduce_middle(self->index, out, &x, axis < 0 ? (Middle){1, x.count, 1} : middle_at(&x, axis));
    Py_XDECREF(data);
    return result == NULL ? NULL : new_tensor(when, result, self->rule, PyTuple_Pack(1, arguments[0]), static_, self->back);
}

/* Compute what the operand of a reduction receives, given the data of the operand and of the result. */
static PyObject *
reduction_back_of(int kind, PyObject *gradient, PyObject *result, PyObject *data, int axis)
{
    Array g, y, x;
    char *out;
    if (!read_array(gradient, &g) || !read_array(result, &y) || !read_any_array(data, &x) || g.type != x.type
        || y.type != x.type || !same_shape(&g, &y) || !y.step || !x.count || axis >= x.ndim)
        return NULL;
    Middle of = axis < 0 ? (Middle){1, x.count, 1} : middle_at(&x, axis);
    if (y.count != of.outer * of.inner)
        return NULL;
    if ((kind == SUM || kind == MEAN) && (!g.step || g.count == 1)) { /* all elements receive the same */
        double divisor = kind == MEAN ? (double)of.count : 1.0;
        double each = g.type == DOUBLE ? *(const double *)g.data / divisor : *(const float *)g.data / (float)divisor;
        return new_constant(x.type, x.ndim, x.dims, each);
    }
    if ((kind == SUM || kind == MEAN) ? x.count >= LONG : x.step != 1)
        return NULL; /* Python repeats them without a copy, or takes maxima of memory with gaps */
    PyObject *made = new_array(x.type, x.ndim, x.dims, &out);
    if (made == NULL)
        return NULL;
    PyThreadState *released = x.count < LONG ? NULL : PyEval_SaveThread();
    npy_intp divisor = kind == MEAN ? of.count : 1;
    if (kind == MAX || kind == MIN) {
        if (x.type == DOUBLE)
            share_of_doubles((double *)out, (const double *)g.data, g.step, (const double *)y.data, (const double *)x.data, of);
        else
            share_of_floats((float *)out, (const float *)g.data, g.step, (const float *)y.data, (const float *)x.data, of);
    } else if (x.type == DOUBLE) {
        repeat_doubles((double *)out, (const double *)g.data, (double)divisor, of);
    } else {
        repeat_floats((float *)out, (const float *)g.data, (float)divisor, of);
    }
    if (released != NULL)
        PyEval_RestoreThread(released);
    return made;
}

static int
reduction_back(Back *self, PyObject *gradient, PyObject *node, PyObject *operands, PyObject **found)
{
    PyObject *data = PyTuple_GET_SIZE(operands) == 1 ? hold_data(PyTuple_GET_ITEM(operands, 0)) : NULL;
    PyObject *result = Py_XNewRef(SLOT(node, at.data));
    int axis = data == NULL || result == NULL || !PyArray_CheckExact(data) ? SEVERAL : axis_of_node(node, data);
    if (axis != SEVERAL)
        found[0] = reduction_back_of(self->index, gradient, result, data, axis);
    Py_XDECREF(data);
    Py_XDECREF(result);
    return found[0] != NULL ? 1 : PyErr_Occurred() ? -1 : 0;
}

/* reduction(kind, usual, rule, static, back): return a reduction method with a fast path over one axis or all of them. */
static PyObject *
make_reduction(PyObject *module, PyObject *arguments)
{
    static const char *const kinds[] = {"sum", "mean", "max", "min"};
    const char *name;
    PyObject *usual, *rule, *static_, *back;
    if (!PyArg_ParseTuple(arguments, "sOOO!O:reduction", &name, &usual, &rule, &PyTuple_Type, &static_, &back))
        return NULL;
    for (int kind = SUM; kind <= MIN; kind++) {
        if (strcmp(name, kinds[kind]) == 0)
            return new_fast(reduce_array, usual, rule, static_, new_back(reduction_back, kind, back), kind, 0);
    }
    return PyErr_Format(PyExc_ValueError, "there is no reduction %s", name);
}

#endif
