/* What a fold works on, and its first two steps: what the outputs need, and dot products and pulls. fold.h lists all steps. */
#ifndef ADJOINT_FOLD_NODES_H
#define ADJOINT_FOLD_NODES_H

#include "instructions.h"

#include <string.h>

enum { FEWEST_LANES = 4, SHORTEST_RUN = 8, SHARED_USES = 8 };

typedef struct {
    int32_t op, entry, first, operands; /* first: where its operands begin */
    int32_t depth, class;
} Node;

typedef struct {
    int32_t first, count, depth; /* first: where its members begin */
} LaneClass;

typedef struct {
    uint64_t low, high; /* of a key; both 0 for an empty place */
    int32_t found;
} HashPlace;

typedef struct {
    HashPlace *places;
    size_t size, count;
} HashTable;

typedef struct {
    /* the tape */
    const Entry *entries;
    const double *constants;
    const uint8_t *shared; /* for each input: whether its identity distinguishes lanes */
    int32_t count;
    /* for each entry */
    int32_t *uses, *node_of, *slot, *stamp;
    uint8_t *kind;
    /* nodes */
    Node *nodes;
    int32_t *operands;
    int32_t node_count, operand_count, operand_room;
    LaneClass *classes;
    int32_t *members, *order;
    int32_t class_count;
    /* the program */
    int32_t *code;
    double *image; /* the slots before the first run */
    size_t code_count, code_room, slots, slot_room;
    HashTable lists; /* operand lists that were gathered */
    int32_t *list;
    /* what was found, for people */
    int64_t operations, instructions, dots, dots_in_lanes, lane_instructions, lane_operations, gathers, runs, widest;
    int failed;
} Fold;

enum { WHOLE, ABSORBED, DOT, PULL };

/* --- memory ------------------------------------------------------------------------------------------------------ */

static void *
fold_array(Fold *fold, size_t count, size_t size)
{
    void *found = PyMem_RawCalloc(count ? count : 1, size);
    if (found == NULL)
        fold->failed = 1;
    return found;
}

/* Return whether an array has room for `count` items, after making it longer if it has not. */
static int
fold_reserve(Fold *fold, void **array, size_t count, size_t *room, size_t size)
{
    if (count <= *room)
        return 1;
    size_t larger = count + count / 2 + 64;
    void *found = PyMem_RawRealloc(*array, larger * size);
    if (found == NULL) {
        fold->failed = 1;
        return 0;
    }
    memset((char *)found + *room * size, 0, (larger - *room) * size);
    *array = found;
    *room = larger;
    return 1;
}

static void
fold_release(Fold *fold)
{
    void *arrays[] = {fold->uses, fold->node_of, fold->slot, fold->stamp, fold->kind, fold->nodes, fold->operands, fold->classes,
                      fold->members, fold->order, fold->lists.places, fold->list, fold->code, fold->image};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        PyMem_RawFree(arrays[i]);
}

/* --- hashing ------------------------------------------------------------------------------------------------------ */

typedef struct {
    uint64_t low, high;
} Hash;

static inline void
hash_add(Hash *hash, uint64_t x)
{
    hash->low = (hash->low ^ x) * 0x9E3779B97F4A7C15u;
    hash->low ^= hash->low >> 29;
    hash->high = (hash->high + x + 0x632BE59BD9B4E019u) * 0xC2B2AE3D27D4EB4Fu;
    hash->high ^= hash->high >> 31;
}

/* Return the place of a key, which is empty if the key is new; NULL without memory. The 128 bits stand for the key. */
static HashPlace *
hash_place(Fold *fold, HashTable *table, Hash key)
{
    key.low |= 1;
    if (2 * table->count >= table->size) {
        size_t size = table->size ? 2 * table->size : 1024;
        HashPlace *places = fold_array(fold, size, sizeof(HashPlace));
        if (places == NULL)
            return NULL;
        for (size_t i = 0; i < table->size; i++) {
            HashPlace *place = &table->places[i];
            if (place->low) {
                size_t at = place->high & (size - 1);
                while (places[at].low)
                    at = (at + 1) & (size - 1);
                places[at] = *place;
            }
        }
        PyMem_RawFree(table->places);
        table->places = places;
        table->size = size;
    }
    size_t at = key.high & (table->size - 1);
    while (table->places[at].low && (table->places[at].low != key.low || table->places[at].high != key.high))
        at = (at + 1) & (table->size - 1);
    HashPlace *place = &table->places[at];
    if (!place->low) {
        place->low = key.low;
        place->high = key.high;
        place->found = -1;
        table->count++;
    }
    return place;
}

/* --- 1: what the outputs need ------------------------------------------------------------------------------------- */

static inline int
is_leaf(const Entry *entry)
{
    return entry->op == TAPE_CONST || entry->op == TAPE_INPUT;
}

/* Write the operands of an entry that its operation reads, -1 for the others; return how many there are. */
static int
operands_of(const Entry *entry, int32_t *found)
{
    if (is_leaf(entry))
        return 0;
    found[0] = entry->a;
    found[1] = entry->b;
    found[2] = entry->c;
    if (IS_PARTIAL(entry->op)) {
        int row = (entry->op - FIRST_PARTIAL) % ROW_COUNT, used = partial_uses[row][(entry->op - FIRST_PARTIAL) / ROW_COUNT];
        for (int i = 0; i < 3; i++)
            found[i] = used >> i & 1 ? found[i] : -1;
        return 1 + row_arity(row);
    }
    if (entry->op >= TAPE_FIRST_ROW)
        return row_arity(entry->op - TAPE_FIRST_ROW);
    return entry->op == TAPE_WHERE ? 3 : entry->op == TAPE_NOT ? 1 : 2;
}

static void
count_entry_uses(Fold *fold, const int32_t *outputs, Py_ssize_t output_count)
{
    for (Py_ssize_t k = 0; k < output_count; k++)
        fold->uses[outputs[k]]++;
    for (int32_t i = fold->count - 1; i >= 0; i--) {
        int32_t found[3];
        int count = fold->uses[i] ? operands_of(&fold->entries[i], found) : 0;
        for (int k = 0; k < count; k++) {
            if (found[k] >= 0)
                fold->uses[found[k]]++;
        }
        fold->operations += count > 0;
    }
}

/* --- 2: dot products and pulls ------------------------------------------------------------------------------------ */

static inline int
is_single(const Fold *fold, int32_t entry, int op)
{
    return entry >= 0 && fold->entries[entry].op == op && fold->uses[entry] == 1 && fold->kind[entry] == WHOLE;
}

/* Absorb what a sum consists of: the sums to its left that nothing else needs, and products that nothing else needs. */
static void
absorb_sum(Fold *fold, int32_t sum)
{
    int32_t length = 1, products = 0, at = sum;
    for (;; length++) {
        products += is_single(fold, fold->entries[at].b, TAPE_ROW(mul_index));
        if (!is_single(fold, fold->entries[at].a, TAPE_ROW(add_index)))
            break;
        at = fold->entries[at].a;
    }
    products += is_single(fold, fold->entries[at].a, TAPE_ROW(mul_index));
    if (length == 1 && products == 0)
        return;
    fold->kind[sum] = DOT;
    for (at = sum;; at = fold->entries[at].a) {
        const Entry *entry = &fold->entries[at];
        if (is_single(fold, entry->b, TAPE_ROW(mul_index)))
            fold->kind[entry->b] = ABSORBED;
        if (is_single(fold, entry->a, TAPE_ROW(add_index))) {
            fold->kind[entry->a] = ABSORBED;
            continue;
        }
        if (is_single(fold, entry->a, TAPE_ROW(mul_index)))
            fold->kind[entry->a] = ABSORBED;
        return;
    }
}

static void
absorb(Fold *fold)
{
    for (int32_t i = fold->count - 1; i >= 0; i--) {
        const Entry *entry = &fold->entries[i];
        if (!fold->uses[i] || fold->kind[i] != WHOLE)
            continue;
        if (entry->op == TAPE_ROW(add_index)) {
            absorb_sum(fold, i);
        } else if (entry->op == TAPE_ROW(mul_index) && entry->a != entry->b) {
            int32_t a = entry->a, b = entry->b;
            int first = IS_PARTIAL(fold->entries[a].op) && is_single(fold, a, fold->entries[a].op);
            int second = IS_PARTIAL(fold->entries[b].op) && is_single(fold, b, fold->entries[b].op);
            if (first || second) {
                fold->kind[i] = PULL;
                fold->kind[first ? a : b] = ABSORBED;
            }
        }
    }
}

static void
add_operand(Fold *fold, int32_t entry)
{
    size_t room = (size_t)fold->operand_room;
    if (fold_reserve(fold, (void **)&fold->operands, (size_t)fold->operand_count + 1, &room, sizeof(int32_t)))
        fold->operands[fold->operand_count++] = entry;
    fold->operand_room = (int32_t)room;
}

/* Add a term of a dot product: two factors; the second of a plain term is -1, which stands for one. */
static void
add_term(Fold *fold, int32_t entry)
{
    int is_product = fold->kind[entry] == ABSORBED && fold->entries[entry].op == TAPE_ROW(mul_index);
    add_operand(fold, is_product ? fold->entries[entry].a : entry);
    add_operand(fold, is_product ? fold->entries[entry].b : -1);
}

static void
add_dot_operands(Fold *fold, int32_t sum)
{
    int32_t length = 0, at = sum;
    while (fold->kind[fold->entries[at].a] == ABSORBED && fold->entries[fold->entries[at].a].op == TAPE_ROW(add_index)) {
        fold->list[length++] = at;
        at = fold->entries[at].a;
    }
    add_term(fold, fold->entries[at].a);
    add_term(fold, fold->entries[at].b);
    while (length)
        add_term(fold, fold->entries[fold->list[--length]].b);
}

static void
make_nodes(Fold *fold)
{
    for (int32_t i = 0; i < fold->count && !fold->failed; i++) {
        const Entry *entry = &fold->entries[i];
        if (!fold->uses[i] || is_leaf(entry) || fold->kind[i] == ABSORBED)
            continue;
        Node *node = &fold->nodes[fold->node_count];
        node->op = entry->op;
        node->entry = i;
        node->first = fold->operand_count;
        int32_t found[3];
        if (fold->kind[i] == DOT) {
            node->op = CODE_DOT;
            add_dot_operands(fold, i);
        } else if (fold->kind[i] == PULL) {
            int first = fold->kind[entry->a] == ABSORBED;
            const Entry *partial = &fold->entries[first ? entry->a : entry->b];
            node->op = partial->op - FIRST_PARTIAL + FIRST_PULL;
            add_operand(fold, first ? entry->b : entry->a);
            for (int k = 0, count = operands_of(partial, found); k < count; k++)
                add_operand(fold, found[k]);
        } else {
            for (int k = 0, count = operands_of(entry, found); k < count; k++)
                add_operand(fold, found[k]);
        }
        node->operands = fold->operand_count - node->first;
        for (int32_t k = node->first; k < fold->operand_count; k++) {
            int32_t of = fold->operands[k] < 0 ? -1 : fold->node_of[fold->operands[k]];
            if (of >= 0 && fold->nodes[of].depth >= node->depth)
                node->depth = fold->nodes[of].depth + 1;
        }
        fold->node_of[i] = fold->node_count++;
    }
}

#endif
