/* The third and fourth step of a fold: which nodes form a lane class, and the order of classes and lanes. */
#ifndef ADJOINT_FOLD_LANES_H
#define ADJOINT_FOLD_LANES_H

#include "fold_nodes.h"

/* --- 3 and 4: classes --------------------------------------------------------------------------------------------- */

static uint64_t
operand_sign(const Fold *fold, int32_t entry, int in_product)
{
    if (entry < 0)
        return 1;
    if (fold->entries[entry].op == TAPE_CONST)
        return 2;
    if (fold->entries[entry].op == TAPE_INPUT) {
        int is_itself = in_product && fold->uses[entry] > 1 && fold->shared[fold->entries[entry].a];
        return is_itself ? (uint64_t)entry << 3 | 3 : 4;
    }
    return (uint64_t)fold->nodes[fold->node_of[entry]].class << 3 | 5;
}

static uint64_t
loose_sign(const Fold *fold, int32_t entry)
{
    if (entry < 0)
        return 1;
    if (fold->uses[entry] >= SHARED_USES)
        return (uint64_t)entry << 3 | 3;
    if (is_leaf(&fold->entries[entry]))
        return fold->entries[entry].op == TAPE_CONST ? 2 : 4;
    return (uint64_t)fold->nodes[fold->node_of[entry]].op << 3 | 6;
}

static void
classify(Fold *fold)
{
    HashTable table = {0};
    int32_t *counts = fold_array(fold, 2 * (size_t)fold->node_count + 1, sizeof(int32_t)), count = 0;
    for (int32_t i = 0; i < fold->node_count && !fold->failed; i++) {
        Node *node = &fold->nodes[i];
        int in_product = node->op == CODE_DOT || node->op == TAPE_ROW(mul_index);
        Hash key = {1, 2};
        hash_add(&key, (uint64_t)node->op << 32 | (uint32_t)node->operands);
        for (int32_t k = 0; k < node->operands; k++)
            hash_add(&key, operand_sign(fold, fold->operands[node->first + k], in_product));
        HashPlace *place = hash_place(fold, &table, key);
        if (place == NULL)
            break;
        if (place->found < 0)
            place->found = count++;
        node->class = place->found;
        counts[place->found]++;
    }
    PyMem_RawFree(table.places);
    table = (HashTable){0};

    for (int32_t i = 0; i < fold->node_count && !fold->failed; i++) {
        Node *node = &fold->nodes[i];
        if (counts[node->class] != 1 || node->op == CODE_DOT)
            continue;
        Hash key = {3, 4};
        hash_add(&key, (uint64_t)node->op << 32 | (uint32_t)node->depth);
        for (int32_t k = 0; k < node->operands; k++)
            hash_add(&key, loose_sign(fold, fold->operands[node->first + k]));
        HashPlace *place = hash_place(fold, &table, key);
        if (place == NULL)
            break;
        if (place->found < 0)
            place->found = count++;
        counts[node->class] = 0;
        node->class = place->found;
        counts[place->found]++;
    }
    PyMem_RawFree(table.places);

    /* dissolve narrow classes, and number the classes in the order of their first members */
    int32_t *number = fold_array(fold, (size_t)count + 1, sizeof(int32_t));
    for (int32_t i = 0; i < fold->node_count && !fold->failed; i++) {
        Node *node = &fold->nodes[i];
        int32_t old = node->class;
        if (counts[old] < FEWEST_LANES) {
            node->class = fold->class_count++;
        } else {
            if (!number[old])
                number[old] = ++fold->class_count;
            node->class = number[old] - 1;
        }
    }
    PyMem_RawFree(number);
    PyMem_RawFree(counts);
}

/* List the members of each class, and the classes by depth. */
static void
order_classes(Fold *fold)
{
    fold->classes = fold_array(fold, (size_t)fold->class_count, sizeof(LaneClass));
    fold->members = fold_array(fold, (size_t)fold->node_count, sizeof(int32_t));
    fold->order = fold_array(fold, (size_t)fold->class_count, sizeof(int32_t));
    if (fold->failed)
        return;
    int32_t deepest = 0, total = 0;
    for (int32_t i = 0; i < fold->node_count; i++) {
        LaneClass *class = &fold->classes[fold->nodes[i].class];
        class->count++;
        class->depth = fold->nodes[i].depth;
        deepest = class->depth > deepest ? class->depth : deepest;
    }
    for (int32_t c = 0; c < fold->class_count; c++) {
        fold->classes[c].first = total;
        total += fold->classes[c].count;
        fold->classes[c].count = 0;
    }
    for (int32_t i = 0; i < fold->node_count; i++) {
        LaneClass *class = &fold->classes[fold->nodes[i].class];
        fold->members[class->first + class->count++] = i;
    }
    int32_t *starts = fold_array(fold, (size_t)deepest + 2, sizeof(int32_t));
    if (fold->failed)
        return;
    for (int32_t c = 0; c < fold->class_count; c++)
        starts[fold->classes[c].depth + 1]++;
    for (int32_t d = 0; d <= deepest; d++)
        starts[d + 1] += starts[d];
    for (int32_t c = 0; c < fold->class_count; c++)
        fold->order[starts[fold->classes[c].depth]++] = c;
    PyMem_RawFree(starts);
}

typedef struct {
    int32_t key, other, member;
} Sortable;

static int
by_member(const void *left, const void *right)
{
    const Sortable *x = left, *z = right;
    return x->member < z->member ? -1 : x->member > z->member;
}

static int
by_key(const void *left, const void *right)
{
    const Sortable *x = left, *z = right;
    if (x->key != z->key)
        return x->key < z->key ? -1 : 1;
    return x->other < z->other ? -1 : x->other > z->other;
}

/* Order the members of each class like those of a class among its operands: a backward pass visits the samples in another
 * order than the forward pass. */
static void
align_lanes(Fold *fold)
{
    int32_t *lane = fold_array(fold, (size_t)fold->node_count, sizeof(int32_t));
    Sortable *sorted = fold_array(fold, (size_t)fold->node_count, sizeof(Sortable));
    for (int32_t o = 0; o < fold->class_count && !fold->failed; o++) {
        const LaneClass *class = &fold->classes[fold->order[o]];
        int32_t *members = fold->members + class->first;
        int32_t operands = class->count > 1 ? fold->nodes[members[0]].operands : 0, i = 0;
        for (int32_t k = 0; k < operands && i < class->count; k++) {
            int32_t of = -1;
            for (i = 0; i < class->count; i++) {
                int32_t entry = fold->operands[fold->nodes[members[i]].first + k];
                int32_t node = entry < 0 ? -1 : fold->node_of[entry];
                if (node < 0 || (i && fold->nodes[node].class != of))
                    break;
                of = fold->nodes[node].class;
                sorted[i] = (Sortable){lane[node], i, members[i]};
            }
            if (i < class->count || fold->classes[of].count < class->count) {
                i = 0;
                continue;
            }
            qsort(sorted, (size_t)i, sizeof(Sortable), by_key);
            for (int32_t j = 1; j < class->count; j++) {
                if (sorted[j].key == sorted[j - 1].key)
                    i = 0; /* two members share an operand: another operand may tell them apart */
            }
        }
        for (int32_t j = 0; j < class->count; j++) {
            if (i == class->count)
                members[j] = sorted[j].member;
            lane[members[j]] = j;
        }
    }
    PyMem_RawFree(lane);
    PyMem_RawFree(sorted);
}

#endif
