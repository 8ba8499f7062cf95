/* Fold a tape into a program: the scalar program finds its own tensors.
 *
 * 1. Entries that no output needs are dropped.
 * 2. Sums of products become dot products, in the order of the sum. A partial derivative times a gradient becomes one
 *    instruction, a pull.
 * 3. Nodes form a lane class if they apply the same operation to operands that are equal or in one class themselves. Inputs
 *    that are parameters are equal only to themselves, constants and other inputs to each other: this is how a loop over
 *    samples is found. Nodes of one class have the same depth, so none depends on another.
 * 4. Elementwise nodes that are left alone form classes by operation and depth, such as the updates of all parameters.
 * 5. The numbers of a class get contiguous slots. Operands that do not lie in the order of the lanes are gathered.
 */
#ifndef ADJOINT_FOLD_H
#define ADJOINT_FOLD_H

#include "fold_code.h"

/* Fold a tape. Afterwards code, image and slot describe the program; `failed` says that memory ran out. */
static void
fold_tape(Fold *fold, const int32_t *outputs, Py_ssize_t output_count)
{
    size_t count = (size_t)fold->count;
    fold->uses = fold_array(fold, count, sizeof(int32_t));
    fold->node_of = fold_array(fold, count, sizeof(int32_t));
    fold->slot = fold_array(fold, count, sizeof(int32_t));
    fold->stamp = fold_array(fold, count, sizeof(int32_t));
    fold->list = fold_array(fold, count + 1, sizeof(int32_t));
    fold->kind = fold_array(fold, count, 1);
    fold->nodes = fold_array(fold, count, sizeof(Node));
    if (fold->failed)
        return;
    memset(fold->node_of, 0xFF, count * sizeof(int32_t));
    memset(fold->slot, 0xFF, count * sizeof(int32_t));
    count_entry_uses(fold, outputs, output_count);
    absorb(fold);
    make_nodes(fold);
    if (!fold->failed)
        classify(fold);
    if (!fold->failed)
        order_classes(fold);
    if (!fold->failed)
        align_lanes(fold);
    if (fold->failed)
        return;
    allocate(fold, 1);
    if (fold->failed)
        return;
    fold->image[0] = 1.0;
    place_classes(fold);
    if (!fold->failed)
        write_instructions(fold);
}

#endif
