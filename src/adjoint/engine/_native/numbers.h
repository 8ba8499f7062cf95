/* The numbers of many scalar Values at once, for optimizers: read into an array, or assigned from one. */
#ifndef ADJOINT_NUMBERS_H
#define ADJOINT_NUMBERS_H

#include "attributes.h"
#include "modes.h"

/* Return whether each item is a plain Value whose data, or gradient, is a number. Python handles all others. */
static int
are_plain(PyObject *values, int is_grad)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(values); i++) {
        PyObject *item = PyList_GET_ITEM(values, i);
        if (!IS_VALUE(item) || (is_grad && ((Value *)item)->flags & OBJECT_GRAD))
            return 0;
    }
    return 1;
}

/* Copy the numbers of Values to a buffer of doubles, or from it. Return True if that was possible. */
static PyObject *
copy_numbers(PyObject *const *arguments, Py_ssize_t count, int is_assigned)
{
    if (count != 3 || !PyList_CheckExact(arguments[0])) {
        PyErr_SetString(PyExc_TypeError, "expected a list of Values, whether gradients are meant, and a buffer");
        return NULL;
    }
    PyObject *values = arguments[0];
    int is_grad = PyObject_IsTrue(arguments[1]);
    Py_buffer numbers;
    if (is_grad < 0 || PyObject_GetBuffer(arguments[2], &numbers, is_assigned ? PyBUF_CONTIG_RO : PyBUF_CONTIG) < 0)
        return NULL;
    Py_ssize_t size = PyList_GET_SIZE(values);
    int is_possible = numbers.len == size * (Py_ssize_t)sizeof(double) && numbers.itemsize == sizeof(double)
        && !(modes() & (READING | DIFFERENTIATING | TRACING)) && are_plain(values, is_grad);
    double *number = numbers.buf;
    for (Py_ssize_t i = 0; is_possible && i < size; i++) {
        Value *node = (Value *)PyList_GET_ITEM(values, i);
        double *field = is_grad ? &node->grad : &node->data;
        if (!is_assigned) {
            number[i] = *field;
            continue;
        }
        *field = number[i];
        if (is_grad)
            node->flags &= ~(SPENT | GRAD_USED);
        else if (note_assignment(node) < 0) {
            PyBuffer_Release(&numbers);
            return NULL;
        }
    }
    PyBuffer_Release(&numbers);
    return PyBool_FromLong(is_possible);
}

static PyObject *
read_numbers(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    return copy_numbers(arguments, count, 0);
}

static PyObject *
assign_numbers(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    return copy_numbers(arguments, count, 1);
}

#endif
