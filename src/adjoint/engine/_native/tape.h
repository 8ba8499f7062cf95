/* The tape: a straight-line program of scalar operations, recorded while a function of numbers runs.
 *
 * An entry is an operation on earlier entries. Its operands are their indices, or -1. Operations on constants alone are
 * computed while recording and give constants. The same numbers name the operations in tape.py.
 */
#ifndef ADJOINT_TAPE_H
#define ADJOINT_TAPE_H

#include "evaluate.h"
#include "node.h"
#include "trace_errors.h"

enum {
    TAPE_CONST, /* a = the index of the constant */
    TAPE_INPUT, /* a = the number of the input */
    TAPE_LT, TAPE_LE, TAPE_GT, TAPE_GE, TAPE_EQ, TAPE_NE, /* (a, b): 1.0 or 0.0 */
    TAPE_AND, TAPE_OR, TAPE_NOT,
    TAPE_WHERE, /* (a = condition, b = then, c = else) */
    TAPE_FIRST_ROW = 16, /* + r: row r of the table, operands a and b */
};

/* The partial derivative of row r for operand i: a = the entry of the result, b and c = the operands. */
#define TAPE_ROW(r) (TAPE_FIRST_ROW + (r))
#define TAPE_PARTIAL(r, i) (TAPE_FIRST_ROW + (1 + (i)) * ROW_COUNT + (r))
#define TAPE_OP_COUNT (TAPE_FIRST_ROW + 3 * ROW_COUNT)

#define TAPE_LIMIT 20000000 /* entries at most: a loop that never ends stops with an error */

enum { KIND_FLOAT, KIND_INT, KIND_BOOL }; /* the Python type of an entry */

typedef struct {
    int32_t op, a, b, c;
} Entry;

/* A Value made before the recording: the entries that hold its data and gradient now. */
typedef struct {
    Value *value; /* owned */
    int32_t data_input, grad_input; /* the numbers of the inputs; -1 if not read */
    int32_t data_entry, grad_entry; /* -1: as before the recording */
    int32_t total;                  /* what it has received so far in the current backward pass */
    PyObject *grad_object;          /* owned: a gradient that is a Value; NULL if it is a number */
} External;

typedef struct Tape {
    PyObject_HEAD
    Entry *entries;
    uint8_t *kinds;
    Py_ssize_t count, capacity, limit;
    double *constants;
    Py_ssize_t constant_count, constant_capacity;
    Py_ssize_t input_count;
    int32_t *constant_table; /* open addressing by the bits: entry + 1, or 0 */
    Py_ssize_t constant_mask;
    External *externals;
    Py_ssize_t external_count, external_capacity;
    int32_t *external_table; /* open addressing by the address: index + 1, or 0 */
    Py_ssize_t external_mask;
    uint32_t serial; /* tells nodes and numbers of this tape from those of others */
} Tape;

static PyTypeObject *tape_type;
static uint32_t tape_serials;

/* --- entries ----------------------------------------------------------------------------------- */

OUTLINE static int
tape_grow(Tape *tape)
{
    if (tape->count >= tape->limit)
        return raise_trace_error(LIMIT);
    Py_ssize_t capacity = tape->capacity ? 2 * tape->capacity : 256;
    if (capacity > tape->limit)
        capacity = tape->limit;
    Entry *entries = PyMem_Realloc(tape->entries, capacity * sizeof(Entry));
    if (entries != NULL)
        tape->entries = entries;
    uint8_t *kinds = entries == NULL ? NULL : PyMem_Realloc(tape->kinds, capacity);
    if (kinds == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    tape->kinds = kinds;
    tape->capacity = capacity;
    return 0;
}

/* Append an entry and return its index, or -1 after an error. */
static inline int32_t
tape_append(Tape *tape, int32_t op, int32_t a, int32_t b, int32_t c, int kind)
{
    if (tape->count == tape->capacity && tape_grow(tape) < 0)
        return -1;
    tape->entries[tape->count] = (Entry){op, a, b, c};
    tape->kinds[tape->count] = (uint8_t)kind;
    return (int32_t)tape->count++;
}

static inline int
tape_is_constant(const Tape *tape, int32_t entry)
{
    return tape->entries[entry].op == TAPE_CONST;
}

static inline double
tape_constant_at(const Tape *tape, int32_t entry)
{
    return tape->constants[tape->entries[entry].a];
}

static inline uint64_t
mix_bits(uint64_t bits)
{
    bits ^= bits >> 32;
    bits *= 0x9e3779b97f4a7c15u;
    return bits ^ bits >> 29;
}

static inline uint64_t
bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static int
grow_constants(Tape *tape)
{
    if (tape->constant_count == tape->constant_capacity) {
        Py_ssize_t capacity = tape->constant_capacity ? 2 * tape->constant_capacity : 64;
        double *constants = PyMem_Realloc(tape->constants, capacity * sizeof(double));
        if (constants == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        tape->constants = constants;
        tape->constant_capacity = capacity;
    }
    if (2 * (tape->constant_count + 1) <= tape->constant_mask)
        return 0;
    Py_ssize_t mask = tape->constant_mask ? 2 * tape->constant_mask + 1 : 127;
    int32_t *table = PyMem_Calloc(mask + 1, sizeof(int32_t));
    if (table == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; tape->constant_table != NULL && i <= tape->constant_mask; i++) {
        int32_t entry = tape->constant_table[i];
        if (entry == 0)
            continue;
        Py_ssize_t at = mix_bits(bits_of(tape_constant_at(tape, entry - 1))) & mask;
        while (table[at] != 0)
            at = (at + 1) & mask;
        table[at] = entry;
    }
    PyMem_Free(tape->constant_table);
    tape->constant_table = table;
    tape->constant_mask = mask;
    return 0;
}

/* Return the entry of a constant: one for all uses of the same bits. */
static int32_t
tape_constant(Tape *tape, double x)
{
    if (grow_constants(tape) < 0)
        return -1;
    uint64_t bits = bits_of(x);
    Py_ssize_t at = mix_bits(bits) & tape->constant_mask;
    while (tape->constant_table[at] != 0) {
        int32_t entry = tape->constant_table[at] - 1;
        if (bits_of(tape_constant_at(tape, entry)) == bits)
            return entry;
        at = (at + 1) & tape->constant_mask;
    }
    int32_t entry = tape_append(tape, TAPE_CONST, (int32_t)tape->constant_count, -1, -1, KIND_FLOAT);
    if (entry < 0)
        return -1;
    tape->constants[tape->constant_count++] = x;
    tape->constant_table[at] = entry + 1;
    return entry;
}

static int32_t
tape_input(Tape *tape, int kind)
{
    int32_t entry = tape_append(tape, TAPE_INPUT, (int32_t)tape->input_count, -1, -1, kind);
    if (entry >= 0)
        tape->input_count++;
    return entry;
}

/* Append row r of entries x and z (-1 for a row of one operand), or compute it if they are constants. */
static int32_t
tape_row(Tape *tape, int row, int32_t x, int32_t z, int kind)
{
    if (tape_is_constant(tape, x) && (z < 0 || tape_is_constant(tape, z)))
        return tape_constant(tape, evaluate_row(row, tape_constant_at(tape, x), z < 0 ? 0.0 : tape_constant_at(tape, z)));
    return tape_append(tape, TAPE_ROW(row), x, z, -1, kind);
}

static int32_t
tape_partial(Tape *tape, int row, int i, int32_t y, int32_t x, int32_t z)
{
    if (tape_is_constant(tape, y) && tape_is_constant(tape, x) && (z < 0 || tape_is_constant(tape, z)))
        return tape_constant(tape, evaluate_partial(row, i, tape_constant_at(tape, y), tape_constant_at(tape, x),
                                                    z < 0 ? 0.0 : tape_constant_at(tape, z)));
    return tape_append(tape, TAPE_PARTIAL(row, i), y, x, z, KIND_FLOAT);
}

static double
evaluate_logic(int32_t op, double x, double z)
{
    switch (op) {
    case TAPE_LT: return x < z;
    case TAPE_LE: return x <= z;
    case TAPE_GT: return x > z;
    case TAPE_GE: return x >= z;
    case TAPE_EQ: return x == z;
    case TAPE_NE: return x != z;
    case TAPE_AND: return x != 0 && z != 0;
    case TAPE_OR: return x != 0 || z != 0;
    default: return x == 0; /* TAPE_NOT */
    }
}

/* Append a comparison, AND, OR or NOT. */
static int32_t
tape_logic(Tape *tape, int32_t op, int32_t x, int32_t z)
{
    if (tape_is_constant(tape, x) && (z < 0 || tape_is_constant(tape, z)))
        return tape_constant(tape, evaluate_logic(op, tape_constant_at(tape, x), z < 0 ? 0.0 : tape_constant_at(tape, z)));
    return tape_append(tape, op, x, z, -1, KIND_BOOL);
}

static int32_t
tape_where(Tape *tape, int32_t condition, int32_t then, int32_t otherwise, int kind)
{
    if (tape_is_constant(tape, condition))
        return tape_constant_at(tape, condition) != 0 ? then : otherwise;
    return tape_append(tape, TAPE_WHERE, condition, then, otherwise, kind);
}

#endif
