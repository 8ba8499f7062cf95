/* References to value.py: the class that the core replaces, and the functions for unusual cases. */
#ifndef ADJOINT_PYTHON_SIDE_H
#define ADJOINT_PYTHON_SIDE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *rows;           /* a tuple of Ops, in the order of the table */
static PyObject *row_of;         /* a dict from each Op to its index in `rows` */
static PyObject *python_value;   /* the class that this type replaces */
static PyObject *python_backward, *python_history, *python_local_gradients, *python_float, *python_apply, *to_number, *class_for;
static PyObject *check_guards, *check_second_pass, *note_read, *check_update; /* of backward_guards.py */
static PyObject *switched_on;                      /* guards that are off by default and were switched on */
static PyObject *string_label, *string_grad, *string_closure, *string_changed, *string_assigned_at, *string_retains_grad;
static PyObject *empty_string, *empty_tuple;

#endif
