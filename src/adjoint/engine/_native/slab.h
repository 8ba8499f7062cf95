/* The memory allocator for nodes: slabs of 64 KiB, cut from chunks of 2 MiB.
 *
 * The nodes of a graph are made together, walked together and freed together. Slabs also keep them together in
 * memory: a slab whose nodes are all freed is filled again from its beginning, so the next graph is contiguous
 * in whatever order the last one was freed. Chunks are huge pages if the system has them. Idle chunks
 * are kept for the next graph up to a limit, then returned to the system.
 *
 * Each node is preceded by the header with which CPython's garbage collector links the objects that it tracks:
 * two words, zero while untracked.
 */
#ifndef ADJOINT_SLAB_H
#define ADJOINT_SLAB_H

#ifndef NODE_SIZE
#error "define NODE_SIZE before including slab.h"
#endif

#include "compiler.h"

#include <stdint.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#define SLAB_SIZE ((size_t)1 << 16)
#define CHUNK_SIZE ((size_t)1 << 21)
#define SLABS_PER_CHUNK (CHUNK_SIZE / SLAB_SIZE)
#define IDLE_CHUNKS_KEPT 64
#define GC_HEADER_SIZE (2 * sizeof(uintptr_t))
#define CELL_SIZE (GC_HEADER_SIZE + NODE_SIZE)

typedef struct Chunk {
    char *memory;
    size_t used_slabs;
} Chunk;

typedef struct Slab {
    struct Slab *next, *previous; /* links in the list of slabs with free cells; NULL while not in it */
    Chunk *chunk;
    char *fresh, *end; /* the first cell never used, and the end of the space for cells */
    void *freed;       /* the last freed cell, which points to the one freed before it */
    size_t live;
} Slab;

#define SLAB_OF(cell) ((Slab *)((uintptr_t)(cell) & ~(uintptr_t)(SLAB_SIZE - 1)))
#define SLAB_START(slab) ((char *)(slab) + 64)

static Slab slabs_with_room = {&slabs_with_room, &slabs_with_room};
static Slab no_slab; /* always full: the current slab before the first one is allocated */
static Slab *current_slab = &no_slab;
static size_t idle_chunks, all_chunks;

static void
slab_link(Slab *slab, Slab *after)
{
    slab->previous = after;
    slab->next = after->next;
    after->next->previous = slab;
    after->next = slab;
}

static void
slab_unlink(Slab *slab)
{
    slab->previous->next = slab->next;
    slab->next->previous = slab->previous;
    slab->next = slab->previous = NULL;
}

static int
chunk_new(void)
{
    Chunk *chunk = PyMem_RawMalloc(sizeof(Chunk));
    void *memory = chunk == NULL ? NULL : ALIGNED_NEW(CHUNK_SIZE);
    if (memory == NULL) {
        PyMem_RawFree(chunk);
        return -1;
    }
#ifdef __linux__
    if (all_chunks > 0) /* a small program uses only part of its first chunk */
        madvise(memory, CHUNK_SIZE, MADV_HUGEPAGE);
#endif
    chunk->memory = memory;
    chunk->used_slabs = 0;
    for (size_t i = SLABS_PER_CHUNK; i-- > 0;) {
        Slab *slab = (Slab *)(chunk->memory + i * SLAB_SIZE);
        slab->chunk = chunk;
        slab->freed = NULL;
        slab->fresh = SLAB_START(slab);
        slab->end = (char *)slab + SLAB_SIZE - CELL_SIZE + 1;
        slab->live = 0;
        slab_link(slab, &slabs_with_room);
    }
    all_chunks++;
    idle_chunks++;
    return 0;
}

static void
chunk_free(Chunk *chunk)
{
    for (size_t i = 0; i < SLABS_PER_CHUNK; i++)
        slab_unlink((Slab *)(chunk->memory + i * SLAB_SIZE));
    ALIGNED_FREE(chunk->memory);
    PyMem_RawFree(chunk);
    all_chunks--;
    idle_chunks--;
}

/* Make a slab with free cells the current one. */
OUTLINE static int
next_slab(void)
{
    if (slabs_with_room.next == &slabs_with_room && chunk_new() < 0)
        return -1;
    current_slab = slabs_with_room.next;
    slab_unlink(current_slab);
    if (current_slab->live == 0 && current_slab->chunk->used_slabs++ == 0)
        idle_chunks--;
    return 0;
}

/* Return memory for a node, preceded by the header of the collector; NULL if out of memory. */
static inline void *
cell_new(void)
{
    for (;;) {
        Slab *slab = current_slab;
        char *fresh = slab->fresh;
        if (fresh < slab->end) {
            slab->fresh = fresh + CELL_SIZE;
            slab->live++;
            ((uintptr_t *)fresh)[0] = ((uintptr_t *)fresh)[1] = 0;
            return fresh + GC_HEADER_SIZE;
        }
        void *cell = slab->freed;
        if (cell != NULL) {
            slab->freed = *(void **)cell;
            slab->live++;
            return cell;
        }
        if (next_slab() < 0)
            return NULL;
    }
}

OUTLINE static void
slab_emptied(Slab *slab)
{
    slab->freed = NULL;
    slab->fresh = SLAB_START(slab);
    if (slab == current_slab)
        return;
    if (slab->next != NULL)
        slab_unlink(slab);
    slab_link(slab, &slabs_with_room); /* first in the list: used next */
    if (--slab->chunk->used_slabs == 0 && ++idle_chunks > IDLE_CHUNKS_KEPT)
        chunk_free(slab->chunk);
}

static inline void
cell_free(void *cell)
{
    Slab *slab = SLAB_OF(cell);
    *(void **)cell = slab->freed;
    slab->freed = cell;
    if (--slab->live == 0)
        slab_emptied(slab);
    else if (slab->next == NULL && slab != current_slab)
        slab_link(slab, slabs_with_room.previous); /* last in the list */
}

#endif
