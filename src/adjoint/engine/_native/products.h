/* Products of matrices, and a linear layer: x @ wᵀ + b. NumPy computes the products with BLAS. */
#ifndef ADJOINT_PRODUCTS_H
#define ADJOINT_PRODUCTS_H

#include "elementwise.h"
#include "sums.h"

/* Add a row to each row of a matrix. */
#define ROWS(T)                                                                                     \
    static void add_to_rows_##T(T *matrix, const T *row, npy_intp rows, npy_intp columns)           \
    {                                                                                               \
        for (npy_intp i = 0; i < rows; i++, matrix += columns) {                                    \
            INDEPENDENT                                                                             \
            for (npy_intp k = 0; k < columns; k++)                                                  \
                matrix[k] += row[k];                                                                \
        }                                                                                           \
    }
ROWS(double)
ROWS(float)

/* Return a context in which NumPy does not warn about infinities and NaN, like `np.errstate` elsewhere in the engine.
   Each call enters a cheap copy, because another thread may be in the context at the same time. */
static PyObject *
quiet_context(void)
{
    static PyObject *quiet;
    if (quiet != NULL)
        return PyContext_Copy(quiet);
    PyObject *context = PyContext_New(), *numpy = PyImport_ImportModule("numpy"), *done = NULL;
    PyObject *nothing = PyTuple_New(0), *options = Py_BuildValue("{ss}", "all", "ignore");
    PyObject *set = numpy == NULL ? NULL : PyObject_GetAttrString(numpy, "seterr");
    if (context != NULL && set != NULL && nothing != NULL && options != NULL && PyContext_Enter(context) == 0) {
        done = PyObject_Call(set, nothing, options);
        if (PyContext_Exit(context) < 0)
            Py_CLEAR(done);
    }
    Py_XDECREF(numpy);
    Py_XDECREF(nothing);
    Py_XDECREF(options);
    Py_XDECREF(set);
    if (done == NULL) {
        Py_XDECREF(context);
        return NULL;
    }
    Py_DECREF(done);
    quiet = context;
    return PyContext_Copy(quiet);
}

static PyObject *
multiply_quietly(PyObject *first, PyObject *second)
{
    PyObject *context = quiet_context(), *product = NULL;
    if (context != NULL && PyContext_Enter(context) == 0) {
        product = PyArray_MatrixProduct2(first, second, NULL);
        if (PyContext_Exit(context) < 0)
            Py_CLEAR(product);
    }
    Py_XDECREF(context);
    return product;
}

/* Return the product of two matrices, either of which may be transposed. */
static PyObject *
multiply_matrices(PyObject *a, int transpose_a, PyObject *b, int transpose_b)
{
    PyObject *first = transpose_a ? PyArray_Transpose((PyArrayObject *)a, NULL) : Py_NewRef(a);
    PyObject *second = transpose_b ? PyArray_Transpose((PyArrayObject *)b, NULL) : Py_NewRef(b);
    PyObject *product = first == NULL || second == NULL ? NULL : multiply_quietly(first, second);
    Py_XDECREF(first);
    Py_XDECREF(second);
    return product;
}

/* Return whether an operand of a product is a matrix of floats or doubles, in any order in memory. */
static int
read_matrix(PyObject *data, Array *array)
{
    return data != NULL && PyArray_CheckExact(data) && read_any_array(data, array) && array->ndim == 2;
}

static PyObject *
apply_product(Fast *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    Array x, z;
    if (names != NULL || count != 2 || modes() & (BFLOAT16 | FLOAT16) || !(IS_TENSOR(arguments[0]) || IS_TENSOR(arguments[1])))
        return NULL;
    long long when = ++now;
    PyObject *first = arguments[self->reflected], *second = arguments[!self->reflected], *y = NULL;
    PyObject *datas[] = {hold_data(first), hold_data(second)};
    if (read_matrix(datas[0], &x) && read_matrix(datas[1], &z) && x.type == z.type && x.dims[1] == z.dims[0])
        y = multiply_matrices(datas[0], 0, datas[1], 0);
    release_data(datas, 2);
    return y == NULL ? NULL : new_tensor(when, y, self->rule, PyTuple_Pack(2, first, second), self->static_, self->back);
}

/* x receives g @ zᵀ, and z receives xᵀ @ g. */
static int
product_back(Back *self, PyObject *gradient, PyObject *node, PyObject *operands, PyObject **found)
{
    Array g, x, z;
    if (PyTuple_GET_SIZE(operands) != 2)
        return 0;
    PyObject *datas[] = {hold_data(PyTuple_GET_ITEM(operands, 0)), hold_data(PyTuple_GET_ITEM(operands, 1))};
    int fits = read_matrix(gradient, &g) && read_matrix(datas[0], &x) && read_matrix(datas[1], &z) && g.type == x.type
        && x.type == z.type;
    if (fits && IS_TENSOR(PyTuple_GET_ITEM(operands, 0)))
        found[0] = multiply_matrices(gradient, 0, datas[1], 1);
    if (fits && IS_TENSOR(PyTuple_GET_ITEM(operands, 1)) && !PyErr_Occurred())
        found[1] = multiply_matrices(datas[0], 1, gradient, 0);
    release_data(datas, 2);
    if (!fits || !PyErr_Occurred())
        return fits;
    Py_CLEAR(found[0]);
    Py_CLEAR(found[1]);
    return -1;
}

/* Return the layer of three arrays; NULL, without an error, if they do not fit. */
static PyObject *
linear_of(PyObject *const *datas)
{
    Array x, w, b;
    for (int i = 0; i < 3; i++) {
        if (datas[i] == NULL || !PyArray_CheckExact(datas[i]))
            return NULL;
    }
    if (!read_array(datas[0], &x) || !read_array(datas[1], &w) || !read_array(datas[2], &b)
        || x.ndim != 2 || w.ndim != 2 || b.ndim != 1 || x.type != w.type || x.type != b.type || !b.step
        || x.dims[1] != w.dims[1] || w.dims[0] != b.dims[0])
        return NULL;
    PyObject *y = multiply_matrices(datas[0], 0, datas[1], 1);
    if (y == NULL)
        return NULL;
    char *out = PyArray_BYTES((PyArrayObject *)y);
    if (x.type == DOUBLE)
        add_to_rows_double((double *)out, (const double *)b.data, x.dims[0], b.count);
    else
        add_to_rows_float((float *)out, (const float *)b.data, x.dims[0], b.count);
    return y;
}

static PyObject *
apply_linear(Fast *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    if (names != NULL || count != 3 || modes() & (BFLOAT16 | FLOAT16)
        || !(IS_TENSOR(arguments[0]) || IS_TENSOR(arguments[1]) || IS_TENSOR(arguments[2])))
        return NULL;
    long long when = ++now;
    PyObject *datas[] = {hold_data(arguments[0]), hold_data(arguments[1]), hold_data(arguments[2])};
    PyObject *y = linear_of(datas);
    release_data(datas, 3);
    if (y == NULL)
        return NULL;
    PyObject *kept = PyTuple_Pack(3, arguments[0], arguments[1], arguments[2]);
    return new_tensor(when, y, self->rule, kept, self->static_, self->back);
}

/* Compute the contributions to the operands that are Values, given the data of each. */
static int
linear_back_of(PyObject *gradient, PyObject *operands, PyObject *const *datas, PyObject **found)
{
    Array g, b;
    for (int i = 0; i < 3; i++) {
        if (datas[i] == NULL || !PyArray_CheckExact(datas[i]))
            return 0;
    }
    if (!PyArray_CheckExact(gradient) || !read_array(gradient, &g) || !read_array(datas[2], &b) || g.type != b.type
        || g.ndim != 2 || !g.step)
        return 0;
    if (IS_TENSOR(PyTuple_GET_ITEM(operands, 0)))
        found[0] = multiply_matrices(gradient, 0, datas[1], 0);
    if (IS_TENSOR(PyTuple_GET_ITEM(operands, 1)) && !PyErr_Occurred())
        found[1] = multiply_matrices(gradient, 1, datas[0], 0);
    if (IS_TENSOR(PyTuple_GET_ITEM(operands, 2)) && !PyErr_Occurred()) {
        char *out;
        found[2] = new_array(g.type, 1, g.dims + 1, &out);
        if (found[2] != NULL && g.type == DOUBLE)
            add_up_doubles((double *)out, (const double *)g.data, g.dims[0], g.dims[1]);
        else if (found[2] != NULL)
            add_up_floats((float *)out, (const float *)g.data, 1, g.dims[0], g.dims[1]);
    }
    if (!PyErr_Occurred())
        return 1;
    for (int i = 0; i < 3; i++)
        Py_CLEAR(found[i]);
    return -1;
}

static int
linear_back(Back *self, PyObject *gradient, PyObject *node, PyObject *operands, PyObject **found)
{
    PyObject *datas[3] = {NULL};
    if (PyTuple_GET_SIZE(operands) != 3)
        return 0;
    for (int i = 0; i < 3; i++)
        datas[i] = hold_data(PyTuple_GET_ITEM(operands, i));
    /* a gradient that repeats one number becomes a matrix */
    PyObject *rows = PyArray_CheckExact(gradient) ? PyArray_FROM_OF(gradient, NPY_ARRAY_C_CONTIGUOUS) : Py_NewRef(gradient);
    int fits = rows == NULL ? -1 : linear_back_of(rows, operands, datas, found);
    Py_XDECREF(rows);
    release_data(datas, 3);
    return fits;
}

/* linear(usual, rule, static, back): return a function that computes a linear layer, with a fast path for matrices. */
static PyObject *
make_linear(PyObject *module, PyObject *arguments)
{
    PyObject *usual, *rule, *static_, *back;
    if (!PyArg_ParseTuple(arguments, "OOOO:linear", &usual, &rule, &static_, &back))
        return NULL;
    return new_fast(apply_linear, usual, rule, static_, new_back(linear_back, 0, back), 0, 0);
}

/* product(reflected, usual, rule, static, back): return the method of an operator @, with a fast path for matrices. */
static PyObject *
make_product(PyObject *module, PyObject *arguments)
{
    int reflected;
    PyObject *usual, *rule, *static_, *back;
    if (!PyArg_ParseTuple(arguments, "pOOOO:product", &reflected, &usual, &rule, &static_, &back))
        return NULL;
    return new_fast(apply_product, usual, rule, static_, new_back(product_back, 0, back), 0, reflected);
}

/* --- array @ tensor, array + tensor ------------------------------------------------------------ */

/* array_ufunc(self, ufunc, "__call__", array, self): NumPy calls it for an array that meets a Tensor. self->static_ has
 * the methods for this by their ufunc. */
static PyObject *
apply_ufunc(Fast *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    if (names != NULL || count != 5 || !IS_TENSOR(arguments[0]) || !PyArray_CheckExact(arguments[3])
        || arguments[4] != arguments[0] || !PyUnicode_Check(arguments[2])
        || PyUnicode_CompareWithASCIIString(arguments[2], "__call__") != 0)
        return NULL;
    PyObject *method = PyDict_GetItemWithError(self->static_, arguments[1]);
    PyObject *operands[] = {arguments[0], arguments[3]};
    return method == NULL ? NULL : PyObject_Vectorcall(method, operands, 2, NULL);
}

/* array_ufunc(usual, reflected): return the method __array_ufunc__, with a fast path for operators. */
static PyObject *
make_array_ufunc(PyObject *module, PyObject *arguments)
{
    PyObject *usual, *reflected;
    if (!PyArg_ParseTuple(arguments, "OO!:array_ufunc", &usual, &PyDict_Type, &reflected))
        return NULL;
    return new_fast(apply_ufunc, usual, Py_None, reflected, Py_NewRef(Py_None), 0, 0);
}

#endif
