/* C functions that the Python side of arrays calls: the error function, selection by a mask, malloc's settings. */
#ifndef ADJOINT_BUFFERS_H
#define ADJOINT_BUFFERS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* erf(x, y): write the error function of each double of one buffer into another. */
static PyObject *
erf_of_buffer(PyObject *module, PyObject *arguments)
{
    Py_buffer x, y;
    if (!PyArg_ParseTuple(arguments, "y*w*:erf", &x, &y))
        return NULL;
    Py_ssize_t count = x.len / (Py_ssize_t)sizeof(double);
    if (x.len == y.len) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t i = 0; i < count; i++)
            ((double *)y.buf)[i] = erf(((const double *)x.buf)[i]);
        Py_END_ALLOW_THREADS
    } else {
        PyErr_SetString(PyExc_ValueError, "erf: the buffers differ in size");
    }
    PyBuffer_Release(&x);
    PyBuffer_Release(&y);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

/* --- choosing between two arrays ------------------------------------------------------------------ */

/* Branch-free, because branches are slow for a mixed mask. */
#define SELECT(type)                                                                                \
    do {                                                                                            \
        const type *xs = x->buf, *zs = z->buf, x0 = (type)x_number, z0 = (type)z_number;            \
        type *out = result->buf;                                                                    \
        if (x->buf == NULL)                                                                         \
            for (Py_ssize_t i = 0; i < count; i++)                                                  \
                out[i] = mask[i] ? x0 : zs[i];                                                      \
        else if (z->buf == NULL)                                                                    \
            for (Py_ssize_t i = 0; i < count; i++)                                                  \
                out[i] = mask[i] ? xs[i] : z0;                                                      \
        else                                                                                        \
            for (Py_ssize_t i = 0; i < count; i++)                                                  \
                out[i] = mask[i] ? xs[i] : zs[i];                                                   \
    } while (0)

static void
select_into(const char *mask, Py_buffer *x, double x_number, Py_buffer *z, double z_number, Py_buffer *result,
            Py_ssize_t count)
{
    if (result->itemsize == sizeof(double))
        SELECT(double);
    else
        SELECT(float);
}

/* Get the memory of an operand of select(): a number, or a contiguous array like the result. */
static int
get_choice(PyObject *object, Py_buffer *buffer, double *number, const Py_buffer *result)
{
    buffer->buf = buffer->obj = NULL;
    if (PyFloat_CheckExact(object)) {
        *number = PyFloat_AS_DOUBLE(object);
        return 1;
    }
    if (PyObject_GetBuffer(object, buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        PyErr_Clear();
        buffer->buf = buffer->obj = NULL;
        return 0;
    }
    return buffer->len == result->len && strcmp(buffer->format, result->format) == 0;
}

/* select(mask, x, z, result): choose between contiguous arrays, or an array and a number, of doubles or floats.
 * Return False for anything else, which NumPy handles. */
static PyObject *
select_arrays(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    Py_buffer mask, x, z, result;
    double x_number = 0.0, z_number = 0.0;
    if (count != 4)
        return PyErr_Format(PyExc_TypeError, "select takes a mask, two choices and a result");
    if (PyObject_GetBuffer(arguments[3], &result, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | PyBUF_WRITABLE) < 0)
        return NULL;
    int fits = strcmp(result.format, "d") == 0 || strcmp(result.format, "f") == 0;
    x.obj = z.obj = mask.obj = NULL;
    fits = fits && get_choice(arguments[1], &x, &x_number, &result) && get_choice(arguments[2], &z, &z_number, &result);
    if (fits && PyObject_GetBuffer(arguments[0], &mask, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        PyErr_Clear();
        mask.obj = NULL;
        fits = 0;
    }
    if (fits && strcmp(mask.format, "?") == 0 && mask.len * result.itemsize == result.len && (x.buf || z.buf))
        select_into(mask.buf, &x, x_number, &z, z_number, &result, mask.len);
    else
        fits = 0;
    if (x.obj != NULL)
        PyBuffer_Release(&x);
    if (z.obj != NULL)
        PyBuffer_Release(&z);
    if (mask.obj != NULL)
        PyBuffer_Release(&mask);
    PyBuffer_Release(&result);
    return PyBool_FromLong(fits);
}

/* keep_memory(): let malloc keep the memory of freed arrays for the next arrays of that size, and return whether it
 * does. By default glibc returns the top of the heap to the system after each step of a training loop, and every page of
 * it is faulted in again in the next step: that can take longer than the arithmetic. The settings hold for the whole
 * process, so settings made by the user take precedence. */
static PyObject *
keep_memory(PyObject *module, PyObject *unused)
{
#ifdef __GLIBC__
    if (getenv("MALLOC_TRIM_THRESHOLD_") == NULL && getenv("MALLOC_MMAP_THRESHOLD_") == NULL)
        return PyBool_FromLong(mallopt(M_MMAP_THRESHOLD, 32 << 20) && mallopt(M_TRIM_THRESHOLD, 128 << 20));
#endif
    Py_RETURN_FALSE;
}

#endif
