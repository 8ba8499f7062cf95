/* Windows of images: as the columns of a matrix, for convolution, and their largest numbers, for pooling. */
#ifndef ADJOINT_IMAGES_H
#define ADJOINT_IMAGES_H

#include "elementwise.h"

#include <stdint.h>
#include <string.h>

/* The geometry of windows on images of `channels`; for each number of two, first that of the height, then of the width. */
typedef struct {
    npy_intp channels, size[2], kernel[2], stride[2], padding[2], dilation[2], count[2];
    npy_intp full[2]; /* the size with its padding */
    int is_of_four; /* windows of 2 by 2 that cover the images, side by side */
} Windows;

#define T double
#define BITS uint64_t
#define NAME(name) name##_of_double_images
#include "images_loops.h"
#undef T
#undef BITS
#undef NAME
#define T float
#define BITS uint32_t
#define NAME(name) name##_of_float_images
#include "images_loops.h"
#undef T
#undef BITS
#undef NAME

/* Read a writable or other contiguous array of floats or doubles of four axes: (samples, channels, height, width). */
static int
read_images(PyObject *object, Array *images, Windows *windows)
{
    if (tensor_type == NULL || !PyArray_CheckExact(object) || !read_array(object, images) || images->ndim != 4
        || !PyArray_IS_C_CONTIGUOUS((PyArrayObject *)object))
        return 0;
    windows->channels = images->dims[1];
    windows->size[0] = images->dims[2];
    windows->size[1] = images->dims[3];
    return 1;
}

/* Find the number of windows on the images; return whether there are any and all lie inside the padding. */
static int
count_windows(Windows *w, const npy_intp *after)
{
    w->is_of_four = 1;
    for (int i = 0; i < 2; i++) {
        const npy_intp span = w->dilation[i] * (w->kernel[i] - 1) + 1, room = w->padding[i] + w->size[i] + after[i] - span;
        if (w->kernel[i] < 1 || w->stride[i] < 1 || w->dilation[i] < 1 || w->padding[i] < 0 || after[i] < 0 || room < 0)
            return 0;
        w->full[i] = w->padding[i] + w->size[i] + after[i];
        w->count[i] = room / w->stride[i] + 1;
        w->is_of_four = w->is_of_four && span == 2 && w->kernel[i] == 2 && w->stride[i] == 2 && !w->padding[i] && !after[i]
            && w->size[i] % 2 == 0;
    }
    return 1;
}

/* Parse the arguments that describe windows: two numbers each of kernel, stride, dilation, padding before and after. */
#define SIZES "(nn)(nn)(nn)(nn)(nn)"
#define SIZES_OF(w, after)                                                                          \
    &(w).kernel[0], &(w).kernel[1], &(w).stride[0], &(w).stride[1], &(w).dilation[0], &(w).dilation[1], &(w).padding[0],     \
        &(w).padding[1], &(after)[0], &(after)[1]

static PyObject *
fold_or_unfold(PyObject *arguments, int is_fold)
{
    PyObject *images, *columns;
    Array x, all;
    Windows w;
    npy_intp after[2], first;
    if (!PyArg_ParseTuple(arguments, "OOn" SIZES, &images, &columns, &first, SIZES_OF(w, after)))
        return NULL;
    if (!read_images(images, &x, &w) || !count_windows(&w, after) || !PyArray_CheckExact(columns) || !read_array(columns, &all) || !PyArray_IS_C_CONTIGUOUS((PyArrayObject *)columns)
        || all.type != x.type || !PyArray_ISWRITEABLE((PyArrayObject *)(is_fold ? images : columns)))
        Py_RETURN_FALSE;
    const npy_intp one = w.channels * w.kernel[0] * w.kernel[1] * w.count[0] * w.count[1];
    const npy_intp samples = one ? all.count / one : 0, image = w.channels * w.size[0] * w.size[1];
    if (one * samples != all.count || first < 0 || first + samples > x.dims[0])
        Py_RETURN_FALSE;
    void *padded = PyMem_RawCalloc((size_t)(samples * w.full[0] * w.full[1]) + 1, sizeof(double));
    if (padded == NULL)
        return PyErr_NoMemory();
    PyThreadState *released = all.count < LONG ? NULL : PyEval_SaveThread();
    if (x.type == DOUBLE)
        (is_fold ? fold_of_double_images : unfold_of_double_images)((double *)all.data, (double *)x.data + first * image,
                                                                    padded, samples, &w);
    else
        (is_fold ? fold_of_float_images : unfold_of_float_images)((float *)all.data, (float *)x.data + first * image, padded,
                                                                  samples, &w);
    if (released != NULL)
        PyEval_RestoreThread(released);
    PyMem_RawFree(padded);
    Py_RETURN_TRUE;
}

/* unfold(images, columns, first, kernel, stride, dilation, before, after): copy the windows of samples, from the first on, into
 * the columns of a matrix. Return False for arrays that are not ordinary or do not fit. */
static PyObject *
unfold(PyObject *module, PyObject *arguments)
{
    return fold_or_unfold(arguments, 0);
}

/* fold(images, columns, …): set samples to the sums of their windows; the transpose of `unfold`. */
static PyObject *
fold_columns(PyObject *module, PyObject *arguments)
{
    return fold_or_unfold(arguments, 1);
}

/* max_pool(images, kernel, stride, dilation, before, after): return the largest number of each window; None for arrays that
 * are not ordinary. */
static PyObject *
max_pool(PyObject *module, PyObject *arguments)
{
    PyObject *images;
    Array x;
    Windows w;
    npy_intp after[2];
    char *out;
    if (!PyArg_ParseTuple(arguments, "O" SIZES, &images, SIZES_OF(w, after)))
        return NULL;
    if (!read_images(images, &x, &w) || !count_windows(&w, after))
        Py_RETURN_NONE;
    npy_intp dims[] = {x.dims[0], x.dims[1], w.count[0], w.count[1]};
    PyObject *result = new_array(x.type, 4, dims, &out);
    if (result == NULL)
        return NULL;
    PyThreadState *released = x.count < LONG ? NULL : PyEval_SaveThread();
    if (x.type == DOUBLE)
        pool_of_double_images((double *)out, (const double *)x.data, dims[0] * dims[1], &w);
    else
        pool_of_float_images((float *)out, (const float *)x.data, dims[0] * dims[1], &w);
    if (released != NULL)
        PyEval_RestoreThread(released);
    return result;
}

/* max_pool_back(g, images, kernel, stride, dilation, before, after): return what the images receive; None for arrays that are
 * not ordinary. */
static PyObject *
max_pool_back(PyObject *module, PyObject *arguments)
{
    PyObject *gradient, *images;
    Array x, g;
    Windows w, windows_of_g;
    npy_intp after[2];
    if (!PyArg_ParseTuple(arguments, "OO" SIZES, &gradient, &images, SIZES_OF(w, after)))
        return NULL;
    if (!read_images(images, &x, &w) || !count_windows(&w, after) || !read_images(gradient, &g, &windows_of_g)
        || g.type != x.type || g.dims[0] != x.dims[0] || g.dims[1] != x.dims[1] || g.dims[2] != w.count[0]
        || g.dims[3] != w.count[1])
        Py_RETURN_NONE;
    PyObject *result = PyArray_ZEROS(4, x.dims, x.type == DOUBLE ? NPY_DOUBLE : NPY_FLOAT, 0);
    if (result == NULL)
        return NULL;
    void *out = PyArray_DATA((PyArrayObject *)result);
    PyThreadState *released = x.count < LONG ? NULL : PyEval_SaveThread();
    if (x.type == DOUBLE)
        pool_back_of_double_images(out, (const double *)g.data, (const double *)x.data, x.dims[0] * x.dims[1], &w);
    else
        pool_back_of_float_images(out, (const float *)g.data, (const float *)x.data, x.dims[0] * x.dims[1], &w);
    if (released != NULL)
        PyEval_RestoreThread(released);
    return result;
}

#endif
