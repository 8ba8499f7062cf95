/* What differs between compilers and systems: GCC, clang and Microsoft's. Every other file is standard C11. */
#ifndef ADJOINT_COMPILER_H
#define ADJOINT_COMPILER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifdef __GNUC__ /* also clang */
#define INLINE static inline __attribute__((always_inline))
#define RARE __attribute__((noinline, cold)) /* a function for errors */
#define OUTLINE __attribute__((noinline))
#define UNUSED __attribute__((unused))
#define EXTENSION __extension__
#define LIKELY(condition) __builtin_expect(condition, 1)
#define UNLIKELY(condition) __builtin_expect(condition, 0)
#else
#define INLINE static __forceinline
#define RARE __declspec(noinline)
#define OUTLINE __declspec(noinline)
#define UNUSED
#define EXTENSION
#define LIKELY(condition) (condition)
#define UNLIKELY(condition) (condition)
#pragma fp_contract(off) /* no fused multiply-add; setup.py gives other compilers an option for that */
#endif

/* Before a function that is compiled for wider registers too. The best version for the processor is chosen when the core
 * is loaded, which needs glibc. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(ADJOINT_NO_SLABS)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("avx2", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif
#define LOOP FOR_EACH_PROCESSOR static void

/* Before a loop whose result may reuse the memory of an input, but only element for element. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#else
#define INDEPENDENT __pragma(loop(ivdep))
#endif

/* Before a loop that may add up or compare numbers in another order: in the lanes of a vector. */
#ifdef __GNUC__
#define PRAGMA(text) _Pragma(#text)
#define IN_LANES(operator, variable) PRAGMA(omp simd reduction(operator : variable))
#else
#define IN_LANES(operator, variable)
#endif

/* Four numbers that one instruction of a processor computes; compilers divide them where it computes fewer at once. */
#define VECTOR 4
#ifdef __GNUC__
typedef double Vector __attribute__((vector_size(VECTOR * sizeof(double)), aligned(sizeof(double)), may_alias));
#define VECTOR_AT(numbers) (*(const Vector *)(numbers))
#define STORE_VECTOR(numbers, vector) ((void)(*(Vector *)(numbers) = (vector)))
#define VECTOR_OF(number) (-(Vector){0} + (number)) /* -0.0 changes no number, not even another -0.0 */
#define VECTOR_SUM(x, z) ((x) + (z))
#define VECTOR_PRODUCT(x, z) ((x) * (z))
#define VECTOR_LANE(vector, lane) ((vector)[lane])
#else
typedef struct {
    double lanes[VECTOR];
} Vector;

INLINE Vector
VECTOR_AT(const double *numbers)
{
    Vector result = {{numbers[0], numbers[1], numbers[2], numbers[3]}};
    return result;
}

INLINE void
STORE_VECTOR(double *numbers, Vector vector)
{
    for (int i = 0; i < VECTOR; i++)
        numbers[i] = vector.lanes[i];
}

INLINE Vector
VECTOR_OF(double number)
{
    Vector result = {{number, number, number, number}};
    return result;
}

INLINE Vector
VECTOR_SUM(Vector x, Vector z)
{
    for (int i = 0; i < VECTOR; i++)
        x.lanes[i] += z.lanes[i];
    return x;
}

INLINE Vector
VECTOR_PRODUCT(Vector x, Vector z)
{
    for (int i = 0; i < VECTOR; i++)
        x.lanes[i] *= z.lanes[i];
    return x;
}

#define VECTOR_LANE(vector, lane) ((vector).lanes[lane])
#endif

/* Memory at a multiple of its size, which is a power of two; NULL if there is none. */
#ifdef _WIN32
#include <malloc.h>
#define ALIGNED_NEW(size) _aligned_malloc(size, size)
#define ALIGNED_FREE(memory) _aligned_free(memory)
#else
#include <stdlib.h>
static inline void *
ALIGNED_NEW(size_t size)
{
    void *memory = NULL;
    return posix_memalign(&memory, size, size) == 0 ? memory : NULL;
}
#define ALIGNED_FREE(memory) free(memory)
#endif

/* An entry of a table of methods: functions of other types than PyCFunction have flags that say so. */
#define METHOD(function) ((PyCFunction)(void (*)(void))(function))

#endif
