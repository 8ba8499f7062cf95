/* Run a compiled program: a loop over its instructions.
 *
 * No Python code runs between reading the inputs and storing the outputs, so other threads and Ctrl-C see the state before
 * a step or after it. Each operation rounds as in the eager engine. Only the sum of a run, a dot product over contiguous
 * slots, is computed in another order: in several partial sums.
 */
#ifndef ADJOINT_REPLAY_H
#define ADJOINT_REPLAY_H

#include "compiler.h"
#include "instructions.h"

#include <string.h>

#define LOAD(slot) VECTOR_AT(memory + (slot))

/* out = the sum of a[t] * b[t], in each of the lanes from `lane` on: BLOCKS vectors at once. */
#define DOT_IN_LANES(BLOCKS)                                                                        \
    do {                                                                                            \
        Vector sum[BLOCKS]; /* from -0.0 on, which changes no term, not even another -0.0 */        \
        for (int v = 0; v < BLOCKS; v++)                                                            \
            sum[v] = VECTOR_OF(-0.0);                                                               \
        for (int32_t t = 0; t < terms; t++) {                                                       \
            int32_t a = operands[2 * t], b = operands[2 * t + 1];                                   \
            Vector product[BLOCKS];                                                                 \
            if (!(a & 1) && (b & 1)) {                                                              \
                const Vector x = VECTOR_OF(memory[a >> 1]);                                         \
                for (int v = 0; v < BLOCKS; v++)                                                    \
                    product[v] = VECTOR_PRODUCT(x, LOAD((b >> 1) + lane + v * VECTOR));             \
            } else if (a & b & 1) {                                                                 \
                for (int v = 0; v < BLOCKS; v++)                                                    \
                    product[v] = VECTOR_PRODUCT(LOAD((a >> 1) + lane + v * VECTOR), LOAD((b >> 1) + lane + v * VECTOR)); \
            } else {                                                                                \
                const Vector x = VECTOR_OF(memory[a >> 1] * memory[b >> 1]);                        \
                for (int v = 0; v < BLOCKS; v++)                                                    \
                    product[v] = x;                                                                 \
            }                                                                                       \
            for (int v = 0; v < BLOCKS; v++)                                                        \
                sum[v] = VECTOR_SUM(sum[v], product[v]);                                            \
        }                                                                                           \
        for (int v = 0; v < BLOCKS; v++)                                                            \
            STORE_VECTOR(memory + out + lane + v * VECTOR, sum[v]);                                 \
    } while (0)

FOR_EACH_PROCESSOR static void
dot_in_lanes(double *memory, int32_t out, int32_t count, int32_t terms, const int32_t *operands)
{
    int32_t lane = 0;
    for (; lane + 3 * WIDTH < count; lane += 4 * WIDTH)
        DOT_IN_LANES(8);
    for (; lane + WIDTH < count; lane += 2 * WIDTH)
        DOT_IN_LANES(4);
    for (; lane < count; lane += WIDTH)
        DOT_IN_LANES(2);
}

/* The sum of a[k] * b[k] over contiguous slots. */
FOR_EACH_PROCESSOR static double
dot_of_run(const double *a, int a_stride, const double *b, int b_stride, int32_t count)
{
    double total = -0.0;
    int32_t k = 0;
    if (a_stride && b_stride && count >= 4 * VECTOR) {
        Vector sum[4];
        for (int v = 0; v < 4; v++)
            sum[v] = VECTOR_PRODUCT(VECTOR_AT(a + v * VECTOR), VECTOR_AT(b + v * VECTOR));
        for (k = 4 * VECTOR; k + 4 * VECTOR <= count; k += 4 * VECTOR) {
            for (int v = 0; v < 4; v++)
                sum[v] = VECTOR_SUM(sum[v], VECTOR_PRODUCT(VECTOR_AT(a + k + v * VECTOR), VECTOR_AT(b + k + v * VECTOR)));
        }
        for (; k + VECTOR <= count; k += VECTOR)
            sum[0] = VECTOR_SUM(sum[0], VECTOR_PRODUCT(VECTOR_AT(a + k), VECTOR_AT(b + k)));
        sum[0] = VECTOR_SUM(VECTOR_SUM(sum[0], sum[1]), VECTOR_SUM(sum[2], sum[3]));
        for (int v = 0; v < VECTOR; v++)
            total += VECTOR_LANE(sum[0], v);
    }
    for (; k < count; k++)
        total += a[k * a_stride] * b[k * b_stride];
    return total;
}

static const int32_t *
dot_of_numbers(double *memory, const int32_t *code)
{
    int32_t pairs = code[2], runs = code[3];
    const int32_t *at = code + 4;
    double total = -0.0;
    for (int32_t t = 0; t < pairs; t++, at += 2)
        total += memory[at[0]] * memory[at[1]];
    for (int32_t r = 0; r < runs; r++, at += 3)
        total += dot_of_run(memory + (at[0] >> 1), at[0] & 1, memory + (at[1] >> 1), at[1] & 1, at[2]);
    memory[code[1]] = total;
    return at;
}

/* Compute an expression in each lane: one loop for operands that all differ by lane, which compilers vectorize, and one
 * for any. `OPERANDS` are pointers and strides, from code[3] on. */
#define POINT(name, i) const double *name##s = memory + (code[3 + (i)] >> 1); const int name##_stride = code[3 + (i)] & 1
#define EACH(condition, read1, read, expression)                                                    \
    if (condition) {                                                                                \
        INDEPENDENT for (int32_t k = 0; k < count; k++) { read1; out[k] = expression; }             \
    } else {                                                                                        \
        INDEPENDENT for (int32_t k = 0; k < count; k++) { read; out[k] = expression; }              \
    }
#define AT1(name) const double name = name##s[k]
#define AT(name) const double name = name##s[k * name##_stride]

#define UNARY_IN_LANES(index, name)                                                                 \
    case TAPE_ROW(index): {                                                                         \
        POINT(x, 0);                                                                                \
        EACH(x_stride, AT1(x), AT(x), name##_y(x))                                                  \
        code += 4;                                                                                  \
        break;                                                                                      \
    }                                                                                               \
    case TAPE_PARTIAL(index, 0): {                                                                  \
        POINT(y, 0); POINT(x, 1);                                                                   \
        EACH(y_stride && x_stride, AT1(y); AT1(x); (void)y; (void)x, AT(y); AT(x); (void)y; (void)x, name##_d0(y, x)) \
        code += 5;                                                                                  \
        break;                                                                                      \
    }                                                                                               \
    case PULL_OP(0, index): {                                                                       \
        POINT(g, 0); POINT(y, 1); POINT(x, 2);                                                      \
        EACH(g_stride && y_stride && x_stride, AT1(g); AT1(y); AT1(x); (void)y; (void)x,            \
             AT(g); AT(y); AT(x); (void)y; (void)x, name##_d0(y, x) * g)                            \
        code += 6;                                                                                  \
        break;                                                                                      \
    }

#define BINARY_IN_LANES(index, name, defaults, default_)                                            \
    case TAPE_ROW(index): {                                                                         \
        POINT(x, 0); POINT(z, 1);                                                                   \
        if (x_stride && !z_stride) {                                                                \
            const double z = zs[0];                                                                 \
            INDEPENDENT for (int32_t k = 0; k < count; k++) out[k] = name##_y(xs[k], z);            \
        } else if (z_stride && !x_stride) {                                                         \
            const double x = xs[0];                                                                 \
            INDEPENDENT for (int32_t k = 0; k < count; k++) out[k] = name##_y(x, zs[k]);            \
        } else {                                                                                    \
            EACH(x_stride && z_stride, AT1(x); AT1(z), AT(x); AT(z), name##_y(x, z))                \
        }                                                                                           \
        code += 5;                                                                                  \
        break;                                                                                      \
    }                                                                                               \
    BINARY_PARTIAL_IN_LANES(0, index, name##_d0)                                                    \
    BINARY_PARTIAL_IN_LANES(1, index, name##_d1)

#define BINARY_PARTIAL_IN_LANES(i, index, partial)                                                  \
    case TAPE_PARTIAL(index, i): {                                                                  \
        POINT(y, 0); POINT(x, 1); POINT(z, 2);                                                      \
        EACH(y_stride && x_stride && z_stride, AT1(y); AT1(x); AT1(z); (void)y; (void)x; (void)z,   \
             AT(y); AT(x); AT(z); (void)y; (void)x; (void)z, partial(y, x, z))                      \
        code += 6;                                                                                  \
        break;                                                                                      \
    }                                                                                               \
    case PULL_OP(i, index): {                                                                       \
        POINT(g, 0); POINT(y, 1); POINT(x, 2); POINT(z, 3);                                         \
        EACH(g_stride && y_stride && x_stride && z_stride,                                          \
             AT1(g); AT1(y); AT1(x); AT1(z); (void)y; (void)x; (void)z,                             \
             AT(g); AT(y); AT(x); AT(z); (void)y; (void)x; (void)z, partial(y, x, z) * g)           \
        code += 7;                                                                                  \
        break;                                                                                      \
    }

#define COMPARE_IN_LANES(op, sign)                                                                  \
    case op: {                                                                                      \
        POINT(x, 0); POINT(z, 1);                                                                   \
        EACH(x_stride && z_stride, AT1(x); AT1(z), AT(x); AT(z), (double)(x sign z))                \
        code += 5;                                                                                  \
        break;                                                                                      \
    }

/* Rows that call functions such as exp gain nothing from wider registers. */
static const int32_t *
run_others_in_lanes(double *memory, const int32_t *code)
{
    const int32_t count = code[1];
    double *restrict out = memory + code[2];
    switch (code[0] & ~LANES) {
    OTHER_UNARY_ROWS(UNARY_IN_LANES)
    OTHER_BINARY_ROWS(BINARY_IN_LANES)
    case CODE_GATHER:
        for (int32_t k = 0; k < count; k++)
            out[k] = memory[code[3 + k]];
        code += 3 + count;
        break;
    }
    return code;
}

FOR_EACH_PROCESSOR static const int32_t *
run_in_lanes(double *memory, const int32_t *code)
{
    const int32_t count = code[1];
    double *restrict out = memory + code[2];
    switch (code[0] & ~LANES) {
    PLAIN_UNARY_ROWS(UNARY_IN_LANES)
    PLAIN_BINARY_ROWS(BINARY_IN_LANES)
    COMPARE_IN_LANES(TAPE_LT, <)
    COMPARE_IN_LANES(TAPE_LE, <=)
    COMPARE_IN_LANES(TAPE_GT, >)
    COMPARE_IN_LANES(TAPE_GE, >=)
    COMPARE_IN_LANES(TAPE_EQ, ==)
    COMPARE_IN_LANES(TAPE_NE, !=)
    COMPARE_IN_LANES(TAPE_AND, &&)
    COMPARE_IN_LANES(TAPE_OR, ||)
    case TAPE_NOT: {
        POINT(x, 0);
        EACH(x_stride, AT1(x), AT(x), (double)!x)
        code += 4;
        break;
    }
    case TAPE_WHERE: {
        POINT(c, 0); POINT(x, 1); POINT(z, 2);
        EACH(c_stride && x_stride && z_stride, AT1(c); AT1(x); AT1(z), AT(c); AT(x); AT(z), c ? x : z)
        code += 6;
        break;
    }
    default:
        return run_others_in_lanes(memory, code);
    }
    return code;
}

#define M(i) memory[code[i]]

#define UNARY_OF_NUMBER(index, name)                                                                \
    case TAPE_ROW(index): M(1) = name##_y(M(2)); code += 3; break;                                  \
    case TAPE_PARTIAL(index, 0): M(1) = name##_d0(M(2), M(3)); code += 4; break;                    \
    case PULL_OP(0, index): M(1) = name##_d0(M(3), M(4)) * M(2); code += 5; break;

#define BINARY_OF_NUMBER(index, name, defaults, default_)                                           \
    case TAPE_ROW(index): M(1) = name##_y(M(2), M(3)); code += 4; break;                            \
    case TAPE_PARTIAL(index, 0): M(1) = name##_d0(M(2), M(3), M(4)); code += 5; break;              \
    case TAPE_PARTIAL(index, 1): M(1) = name##_d1(M(2), M(3), M(4)); code += 5; break;              \
    case PULL_OP(0, index): M(1) = name##_d0(M(3), M(4), M(5)) * M(2); code += 6; break;            \
    case PULL_OP(1, index): M(1) = name##_d1(M(3), M(4), M(5)) * M(2); code += 6; break;

#define COMPARE_NUMBERS(op, sign) case op: M(1) = (double)(M(2) sign M(3)); code += 4; break;

static void
run_code(double *memory, const int32_t *code)
{
    for (;;) {
        int32_t op = code[0];
        if (op & LANES) {
            if (op == (CODE_DOT | LANES)) {
                dot_in_lanes(memory, code[2], code[1], code[3], code + 4);
                code += 4 + 2 * code[3];
            } else {
                code = run_in_lanes(memory, code);
            }
            continue;
        }
        switch (op) {
        UNARY_ROWS(UNARY_OF_NUMBER)
        BINARY_ROWS(BINARY_OF_NUMBER)
        COMPARE_NUMBERS(TAPE_LT, <)
        COMPARE_NUMBERS(TAPE_LE, <=)
        COMPARE_NUMBERS(TAPE_GT, >)
        COMPARE_NUMBERS(TAPE_GE, >=)
        COMPARE_NUMBERS(TAPE_EQ, ==)
        COMPARE_NUMBERS(TAPE_NE, !=)
        COMPARE_NUMBERS(TAPE_AND, &&)
        COMPARE_NUMBERS(TAPE_OR, ||)
        case TAPE_NOT: M(1) = (double)!M(2); code += 3; break;
        case TAPE_WHERE: M(1) = M(2) ? M(3) : M(4); code += 5; break;
        case CODE_DOT: code = dot_of_numbers(memory, code); break;
        default: return; /* CODE_END */
        }
    }
}

#undef M

#endif
