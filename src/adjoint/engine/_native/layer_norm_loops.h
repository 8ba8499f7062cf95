/* Layer normalization of rows of `width` numbers of the type T; layer_norm.h includes this for both types. */

/* Write a row less its mean into `out`, and return 1 / sqrt(variance + eps). */
INLINE T
NAME(center)(T *out, const T *x, npy_intp width, T eps)
{
    const T mean = NAME(total)(x, width) / (T)width;
    INDEPENDENT
    for (npy_intp i = 0; i < width; i++)
        out[i] = x[i] - mean;
    return 1 / SQRT(NAME(dot)(out, out, width) / (T)width + eps);
}

/* out = (x - mean) · scale · weight + bias; weight and bias may be NULL. */
LOOP
NAME(layer_norm)(T *out, const T *x, const T *weight, const T *bias, npy_intp rows, npy_intp width, T eps)
{
    for (; rows--; out += width, x += width) {
        const T scale = NAME(center)(out, x, width, eps);
        if (weight == NULL) {
            INDEPENDENT
            for (npy_intp i = 0; i < width; i++)
                out[i] *= scale;
        } else if (bias == NULL) {
            INDEPENDENT
            for (npy_intp i = 0; i < width; i++)
                out[i] = out[i] * scale * weight[i];
        } else {
            INDEPENDENT
            for (npy_intp i = 0; i < width; i++)
                out[i] = out[i] * scale * weight[i] + bias[i];
        }
    }
}

/* What x, weight and bias receive. `sums` has room for 3 · width numbers, `totals` holds 2 · width zeros. Every few rows the
 * sums are added to the totals, in doubles, so that the error does not grow with the number of rows. */
LOOP
NAME(layer_norm_back)(T *out, const T *g, const T *x, const T *weight, npy_intp rows, npy_intp width, T eps, T *sums,
                      double *totals)
{
    T *weight_sums = sums, *bias_sums = sums + width, *weighted = sums + 2 * width;
    memset(sums, 0, 2 * (size_t)width * sizeof(T));
    for (npy_intp row = 0; row < rows; row++, out += width, g += width, x += width) {
        const T scale = NAME(center)(out, x, width, eps);
        INDEPENDENT
        for (npy_intp i = 0; i < width; i++) {
            out[i] *= scale;
            weight_sums[i] += g[i] * out[i];
            bias_sums[i] += g[i];
            weighted[i] = weight == NULL ? g[i] : g[i] * weight[i];
        }
        const T offset = NAME(total)(weighted, width) / (T)width, slope = NAME(dot)(weighted, out, width) / (T)width;
        INDEPENDENT
        for (npy_intp i = 0; i < width; i++)
            out[i] = scale * ((weighted[i] - offset) - out[i] * slope);
        if (row % 16 == 15 || row == rows - 1) {
            for (npy_intp i = 0; i < 2 * width; i++) {
                totals[i] += (double)sums[i];
                sums[i] = 0;
            }
        }
    }
}
