/* exp and erf of floats and doubles as straight-line arithmetic, which the compiler turns into vector instructions.
 *
 * The errors stay below two units in the last place. Infinities, NaN and results below the smallest normal number are
 * those of the C library.
 */
#ifndef ADJOINT_EXPONENTIAL_H
#define ADJOINT_EXPONENTIAL_H

#include "elementwise.h"

#include <stdint.h>
#include <string.h>

/* exp(x) = 2^k · exp(r), where k is the integer nearest to x / log 2 and r = x - k · log 2 is small. Adding `MAGIC` rounds
 * to an integer, which is then in the low bits of the sum. The power of two is a product of two factors, because
 * 2^k itself may be out of range. NaN becomes LEAST and is restored at the end. */
#define EXPONENTIAL(T, Bits, MAGIC, LEAST, MOST, BIAS, MANTISSA, LOG2_HIGH, LOG2_LOW, EXP_OF_SMALL)              \
    INLINE T power_of_two_##T(T k)                                                                  \
    {                                                                                               \
        T shifted = k + MAGIC, power;                                                               \
        Bits bits;                                                                                  \
        memcpy(&bits, &shifted, sizeof bits);                                                       \
        bits = (bits + BIAS) << MANTISSA;                                                           \
        memcpy(&power, &bits, sizeof power);                                                        \
        return power;                                                                               \
    }                                                                                               \
    INLINE T exp_of_##T(T x)                                                                        \
    {                                                                                               \
        T t = x > LEAST ? x : LEAST;                                                                \
        t = t < MOST ? t : MOST;                                                                    \
        T k = (t * (T)1.4426950408889634 + MAGIC) - MAGIC;                                          \
        T half = (k * (T)0.5 + MAGIC) - MAGIC;                                                      \
        T r = (t - k * LOG2_HIGH) - k * LOG2_LOW;                                                   \
        T y = EXP_OF_SMALL(r) * power_of_two_##T(half) * power_of_two_##T(k - half);                \
        return x == x ? y : x;                                                                      \
    }

/* polynomials of the Cephes library, for |r| ≤ log(2) / 2 */
INLINE float
exp_of_small_float(float r)
{
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    return (p * (r * r) + r) + 1.0f;
}

INLINE double
exp_of_small_double(double r)
{
    double s = r * r;
    double p = r * ((1.26177193074810590878e-4 * s + 3.02994407707441961300e-2) * s + 9.99999999999999999910e-1);
    double q = ((3.00198505138664455042e-6 * s + 2.52448340349684104192e-3) * s + 2.27265548208155028766e-1) * s + 2.0;
    return 1.0 + 2.0 * (p / (q - p));
}

EXPONENTIAL(float, uint32_t, 12582912.0f, -104.0f, 89.0f, 127, 23, 0.693359375f, -2.12194440e-4f, exp_of_small_float)
EXPONENTIAL(double, uint64_t, 6755399441055744.0, -746.0, 710.0, 1023, 52, 6.93145751953125e-1,
            1.42860682030941723212e-6, exp_of_small_double)

#endif
