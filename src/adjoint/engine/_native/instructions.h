/* The instructions of a compiled program of numbers, shared by fold.h, which writes them, and replay.h, which runs them.
 *
 * A tape (tape.h) is a list of operations on single numbers. A program is a list of 32-bit words. Numbers live in slots of one array of doubles. An instruction for one number is
 *
 *     op, out, operands…
 *
 * and one for several lanes (the same operation for each sample of a batch) is
 *
 *     op | LANES, count, out, operands…
 *
 * where an operand is 2 * slot + stride: stride 1 for a number in each lane, 0 for a number that all lanes share.
 */
#ifndef ADJOINT_INSTRUCTIONS_H
#define ADJOINT_INSTRUCTIONS_H

#include "tape.h"

#include <stdint.h>

enum {
    /* beside the operations of the tape: */
    CODE_DOT = TAPE_WHERE + 1, /* out, pairs, runs; two slots for each pair; two operands and a count for each run */
    CODE_GATHER, /* count, out, a slot for each lane */
    CODE_END,
    FIRST_PARTIAL = TAPE_PARTIAL(0, 0), /* y, x, z: the partial derivative for operand 0, then for operand 1 */
    FIRST_PULL = TAPE_OP_COUNT,         /* g, y, x, z: a partial derivative times g */
    LANES = 1 << 15,
};

#define PULL_OP(i, index) (FIRST_PULL + (i) * ROW_COUNT + (index))

#define IS_PARTIAL(op) ((op) >= FIRST_PARTIAL && (op) < FIRST_PULL)
#define WIDTH 8 /* lanes that are computed together; the slots of a result in lanes are a multiple */

#endif
