/* The fifth step of a fold: slots for all numbers, and the instructions. */
#ifndef ADJOINT_FOLD_CODE_H
#define ADJOINT_FOLD_CODE_H

#include "fold_lanes.h"

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

#endif
