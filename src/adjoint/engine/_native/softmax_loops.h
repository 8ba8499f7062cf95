/* Softmax and its derivatives on rows of `width` numbers of the type T; softmax.h includes this for both types. */

/* Return the largest number of a row, without regard to NaN. */
INLINE T
NAME(largest)(const T *x, npy_intp width)
{
    T top = (T)-INFINITY;
    IN_LANES(max, top)
    for (npy_intp i = 0; i < width; i++)
        top = x[i] > top ? x[i] : top;
    return top;
}

/* Return the sum of a row; the sums of blocks are added up as doubles, so that the error does not grow with the width. */
INLINE T
NAME(total)(const T *x, npy_intp width)
{
    double total = 0.0;
    for (; width > 0; x += BLOCK, width -= BLOCK) {
        const npy_intp count = width < BLOCK ? width : BLOCK;
        T sum = 0;
        IN_LANES(+, sum)
        for (npy_intp i = 0; i < count; i++)
            sum += x[i];
        total += (double)sum;
    }
    return (T)total;
}

/* Return the sum of the products of two rows, likewise. */
INLINE T
NAME(dot)(const T *x, const T *z, npy_intp width)
{
    double total = 0.0;
    for (; width > 0; x += BLOCK, z += BLOCK, width -= BLOCK) {
        const npy_intp count = width < BLOCK ? width : BLOCK;
        T sum = 0;
        IN_LANES(+, sum)
        for (npy_intp i = 0; i < count; i++)
            sum += x[i] * z[i];
        total += (double)sum;
    }
    return (T)total;
}

/* exp(x - top) of each number of a row */
INLINE void
NAME(exp_of_row)(T *out, const T *x, npy_intp width, T top)
{
    INDEPENDENT
    for (npy_intp i = 0; i < width; i++)
        out[i] = EXP(x[i] - top);
}

LOOP
NAME(softmax)(T *out, const T *x, npy_intp rows, npy_intp width)
{
    for (; rows--; out += width, x += width) {
        NAME(exp_of_row)(out, x, width, NAME(largest)(x, width));
        const T total = NAME(total)(out, width);
        for (npy_intp i = 0; i < width; i++)
            out[i] /= total;
    }
}

LOOP
NAME(log_softmax)(T *out, const T *x, npy_intp rows, npy_intp width)
{
    for (; rows--; out += width, x += width) {
        const T top = NAME(largest)(x, width);
        NAME(exp_of_row)(out, x, width, top);
        const T log_total = LOG(NAME(total)(out, width));
        INDEPENDENT
        for (npy_intp i = 0; i < width; i++)
            out[i] = (x[i] - top) - log_total;
    }
}

/* What the operand of softmax receives: (g - sum(g · y)) · y · scale */
LOOP
NAME(softmax_back)(T *out, const T *g, const T *y, npy_intp rows, npy_intp width, T scale)
{
    for (; rows--; out += width, g += width, y += width) {
        const T mean = NAME(dot)(g, y, width);
        INDEPENDENT
        for (npy_intp i = 0; i < width; i++)
            out[i] = (g[i] - mean) * y[i] * scale;
    }
}

LOOP
NAME(log_softmax_back)(T *out, const T *g, const T *y, npy_intp rows, npy_intp width)
{
    for (; rows--; out += width, g += width, y += width) {
        const T total = NAME(total)(g, width);
        INDEPENDENT
        for (npy_intp i = 0; i < width; i++)
            out[i] = g[i] - EXP(y[i]) * total;
    }
}

/* The weights of attention, softmax(scale · x): if `queries` is not 0, row i of each matrix of that many rows attends to the
 * first i + 1 numbers only. A row that attends to nothing, where all scores are -inf, has zeros. */
LOOP
NAME(attention)(T *out, const T *x, npy_intp rows, npy_intp width, npy_intp queries, T scale)
{
    npy_intp seen = 0, end = width;
    for (; rows--; out += width, x += width) {
        if (queries) {
            seen = seen < queries ? seen + 1 : 1;
            end = Py_MIN(width, (seen + 15) & ~15); /* whole vectors */
        }
        INDEPENDENT
        for (npy_intp i = 0; i < end; i++)
            out[i] = x[i] * scale;
        for (npy_intp i = seen; queries && i < end; i++)
            out[i] = (T)-INFINITY;
        const T top = NAME(largest)(out, end);
        NAME(exp_of_row)(out, out, end, top == (T)-INFINITY ? 0 : top);
        const T total = NAME(total)(out, end), divisor = total == 0 ? 1 : total;
        for (npy_intp i = 0; i < end; i++)
            out[i] /= divisor;
        const T unseen = 0 / divisor; /* NaN spreads through the whole row */
        for (npy_intp i = end; i < width; i++)
            out[i] = unseen;
    }
}
