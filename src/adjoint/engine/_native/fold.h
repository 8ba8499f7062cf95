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

/* --- 5: slots ----------------------------------------------------------------------------------------------------- */

static int32_t
allocate(Fold *fold, int32_t count)
{
    size_t base = count > 1 ? (fold->slots + WIDTH - 1) / WIDTH * WIDTH : fold->slots;
    size_t end = count > 1 ? base + ((size_t)count + WIDTH - 1) / WIDTH * WIDTH : base + 1;
    if (end > INT32_MAX / 2)
        fold->failed = 1;
    if (fold->failed || !fold_reserve(fold, (void **)&fold->image, end + 4 * WIDTH, &fold->slot_room, sizeof(double)))
        return 0;
    fold->slots = end;
    return (int32_t)base;
}

static int32_t
slot_of(Fold *fold, int32_t entry)
{
    if (entry < 0)
        return 0; /* the constant one */
    if (fold->slot[entry] < 0) {
        fold->slot[entry] = allocate(fold, 1);
        if (fold->entries[entry].op == TAPE_CONST && !fold->failed)
            fold->image[fold->slot[entry]] = fold->constants[fold->entries[entry].a];
    }
    return fold->slot[entry];
}

/* Copy operand k of each member of a class, or of each term of a dot product, to `fold->list`. */
static void
list_of_class(Fold *fold, const LaneClass *class, int32_t k)
{
    for (int32_t i = 0; i < class->count; i++)
        fold->list[i] = fold->operands[fold->nodes[fold->members[class->first + i]].first + k];
}

/* Give the entries of the list contiguous slots, if none has one yet and they are all different. */
static void
place_list(Fold *fold, int32_t count, int32_t stamp)
{
    for (int32_t i = 0; i < count; i++) {
        int32_t entry = fold->list[i];
        if (entry < 0 || fold->slot[entry] >= 0 || fold->stamp[entry] == stamp || fold->entries[entry].op == TAPE_CONST)
            return;
        fold->stamp[entry] = stamp;
    }
    int32_t base = allocate(fold, count);
    for (int32_t i = 0; i < count; i++)
        fold->slot[fold->list[i]] = base + i;
}

static void
place_classes(Fold *fold)
{
    int32_t stamp = 0;
    for (int32_t o = 0; o < fold->class_count; o++) {
        const LaneClass *class = &fold->classes[fold->order[o]];
        if (class->count > 1) {
            int32_t base = allocate(fold, class->count);
            for (int32_t i = 0; i < class->count; i++)
                fold->slot[fold->nodes[fold->members[class->first + i]].entry] = base + i;
        }
    }
    for (int32_t o = 0; o < fold->class_count && !fold->failed; o++) {
        const LaneClass *class = &fold->classes[fold->order[o]];
        const Node *node = &fold->nodes[fold->members[class->first]];
        if (class->count > 1) {
            for (int32_t k = 0; k < node->operands; k++) {
                list_of_class(fold, class, k);
                place_list(fold, class->count, ++stamp);
            }
        } else if (node->op == CODE_DOT && node->operands >= 2 * SHORTEST_RUN) {
            for (int32_t k = 0; k < 2; k++) {
                for (int32_t t = 0; t < node->operands / 2; t++)
                    fold->list[t] = fold->operands[node->first + 2 * t + k];
                place_list(fold, node->operands / 2, ++stamp);
            }
        }
    }
}

/* --- the instructions --------------------------------------------------------------------------------------------- */

static void
write_code(Fold *fold, int32_t word)
{
    if (fold_reserve(fold, (void **)&fold->code, fold->code_count + 1, &fold->code_room, sizeof(int32_t)))
        fold->code[fold->code_count++] = word;
}

/* Return the operand word for the entries in `fold->list`, one for each lane, after gathering them if they are scattered. */
static int32_t
lane_operand(Fold *fold, int32_t count)
{
    const int32_t *list = fold->list;
    int is_uniform = 1, is_constant = 1, is_contiguous = 1;
    int32_t first = list[0] < 0 ? 0 : fold->slot[list[0]];
    for (int32_t i = 0; i < count; i++) {
        is_uniform &= list[i] == list[0];
        is_constant &= list[i] >= 0 && fold->entries[list[i]].op == TAPE_CONST;
        is_contiguous &= list[i] >= 0 && fold->slot[list[i]] == first + i && first >= 0;
    }
    if (is_uniform)
        return 2 * slot_of(fold, list[0]);
    if (is_contiguous)
        return 2 * first + 1;
    Hash key = {5, (uint64_t)count};
    for (int32_t i = 0; i < count; i++)
        hash_add(&key, (uint64_t)(uint32_t)list[i]);
    HashPlace *place = hash_place(fold, &fold->lists, key);
    if (place == NULL)
        return 0;
    if (place->found < 0) {
        int32_t base = allocate(fold, count);
        if (fold->failed)
            return 0;
        if (is_constant) {
            for (int32_t i = 0; i < count; i++)
                fold->image[base + i] = fold->constants[fold->entries[list[i]].a];
        } else {
            for (int32_t i = 0; i < count; i++)
                slot_of(fold, list[i]);
            write_code(fold, CODE_GATHER | LANES);
            write_code(fold, count);
            write_code(fold, base);
            for (int32_t i = 0; i < count; i++)
                write_code(fold, slot_of(fold, list[i]));
            fold->gathers++;
            fold->instructions++;
        }
        place->found = base;
    }
    return 2 * place->found + 1;
}

static void
write_class(Fold *fold, const LaneClass *class, int32_t *words)
{
    const Node *node = &fold->nodes[fold->members[class->first]];
    int32_t count = class->count, operands = node->operands;
    for (int32_t k = 0; k < operands; k++) {
        list_of_class(fold, class, k);
        words[k] = lane_operand(fold, count);
    }
    write_code(fold, node->op | LANES);
    write_code(fold, count);
    write_code(fold, fold->slot[node->entry]);
    if (node->op == CODE_DOT) {
        write_code(fold, operands / 2);
        for (int32_t k = 0; k < operands; k += 2) { /* the factor that all lanes share comes first */
            int swap = (words[k] & 1) && !(words[k + 1] & 1);
            write_code(fold, words[k + swap]);
            write_code(fold, words[k + !swap]);
        }
        fold->dots_in_lanes++;
    } else {
        for (int32_t k = 0; k < operands; k++)
            write_code(fold, words[k]);
    }
    fold->lane_instructions++;
    fold->lane_operations += (int64_t)count * (node->op == CODE_DOT ? operands : 1);
    fold->widest = count > fold->widest ? count : fold->widest;
}

static inline int
is_constant_entry(const Fold *fold, int32_t entry)
{
    return entry >= 0 && fold->entries[entry].op == TAPE_CONST;
}

/* Return how many terms from `t` on lie in contiguous slots, and by how much each factor moves. */
static int32_t
run_length(const Sortable *terms, int32_t t, int32_t count, int32_t *a_step, int32_t *b_step)
{
    if (t + 1 >= count)
        return 1;
    int32_t a = terms[t + 1].key - terms[t].key, b = terms[t + 1].other - terms[t].other, length = 1;
    if (a < 0 || a > 1 || b < 0 || b > 1 || a + b == 0)
        return 1;
    while (t + length < count && terms[t + length].key - terms[t + length - 1].key == a
           && terms[t + length].other - terms[t + length - 1].other == b)
        length++;
    *a_step = a;
    *b_step = b;
    return length;
}

/* Write a dot product of numbers. If most of its terms lie in contiguous slots, these runs are summed at once, in the order
 * of the slots; otherwise its terms are summed in the order of the function. */
static void
write_dot(Fold *fold, const Node *node, Sortable *terms)
{
    int32_t count = node->operands / 2, in_runs = 0, pairs = 0, runs = 0, a = 0, b = 0, constants = 0;
    for (int32_t t = 0; t < count; t++) {
        const int32_t *factors = &fold->operands[node->first + 2 * t];
        int swap = is_constant_entry(fold, factors[0]);
        terms[t] = (Sortable){slot_of(fold, factors[swap]), slot_of(fold, factors[!swap]), t};
        constants += is_constant_entry(fold, factors[!swap]);
    }
    if (count >= SHORTEST_RUN) {
        qsort(terms, (size_t)count, sizeof(Sortable), by_key);
        if (constants == count) { /* data of samples: in the order of the other factor */
            for (int32_t t = 0; t < count; t++) {
                const int32_t *factors = &fold->operands[node->first + 2 * terms[t].member];
                fold->list[t] = factors[!is_constant_entry(fold, factors[0])];
            }
            int32_t word = lane_operand(fold, count);
            for (int32_t t = 0; t < count; t++)
                terms[t].other = (word >> 1) + (word & 1) * t;
        }
        for (int32_t t = 0, length; t < count; t += length) {
            length = run_length(terms, t, count, &a, &b);
            in_runs += length >= SHORTEST_RUN ? length : 0;
        }
        if (2 * in_runs < count) {
            in_runs = 0;
            qsort(terms, (size_t)count, sizeof(Sortable), by_member);
        }
    }
    write_code(fold, CODE_DOT);
    write_code(fold, slot_of(fold, node->entry));
    size_t counts = fold->code_count;
    write_code(fold, 0);
    write_code(fold, 0);
    for (int32_t t = 0, length; t < count; t += length) {
        length = in_runs ? run_length(terms, t, count, &a, &b) : 1;
        runs += length >= SHORTEST_RUN;
        for (int32_t i = t; i < t + length && length < SHORTEST_RUN; i++, pairs++) {
            write_code(fold, terms[i].key);
            write_code(fold, terms[i].other);
        }
    }
    for (int32_t t = 0, length; t < count && runs; t += length) {
        length = run_length(terms, t, count, &a, &b);
        if (length >= SHORTEST_RUN) {
            write_code(fold, 2 * terms[t].key + a);
            write_code(fold, 2 * terms[t].other + b);
            write_code(fold, length);
        }
    }
    if (!fold->failed) {
        fold->code[counts] = pairs;
        fold->code[counts + 1] = runs;
    }
    fold->dots++;
    fold->runs += runs;
}

static void
write_instructions(Fold *fold)
{
    int32_t longest = 4;
    for (int32_t i = 0; i < fold->node_count; i++)
        longest = fold->nodes[i].operands > longest ? fold->nodes[i].operands : longest;
    int32_t *words = fold_array(fold, (size_t)longest, sizeof(int32_t));
    Sortable *terms = fold_array(fold, (size_t)longest, sizeof(Sortable));
    for (int32_t o = 0; o < fold->class_count && !fold->failed; o++) {
        const LaneClass *class = &fold->classes[fold->order[o]];
        const Node *node = &fold->nodes[fold->members[class->first]];
        fold->instructions++;
        if (class->count > 1) {
            write_class(fold, class, words);
        } else if (node->op == CODE_DOT) {
            write_dot(fold, node, terms);
        } else {
            for (int32_t k = 0; k < node->operands; k++)
                words[k] = slot_of(fold, fold->operands[node->first + k]);
            write_code(fold, node->op);
            write_code(fold, slot_of(fold, node->entry));
            for (int32_t k = 0; k < node->operands; k++)
                write_code(fold, words[k]);
        }
    }
    write_code(fold, CODE_END);
    PyMem_RawFree(words);
    PyMem_RawFree(terms);
}

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
