/* Windows of images of the type T; images.h includes this for both types. */

/* Copy `count` numbers that are `step` apart; of the common widths as one move. */
INLINE void
NAME(copy)(T *out, const T *x, npy_intp count, npy_intp step)
{
    if (step == 1 && count == 8)
        memcpy(out, x, 8 * sizeof(T));
    else if (step == 1 && count == 4)
        memcpy(out, x, 4 * sizeof(T));
    else
        for (npy_intp i = 0; i < count; i++)
            out[i] = x[i * step];
}

INLINE void
NAME(add)(T *out, const T *x, npy_intp count, npy_intp step)
{
    if (step == 1 && count == 4) {
        for (int i = 0; i < 4; i++)
            out[i] += x[i];
    } else if (step == 1) {
        INDEPENDENT
        for (npy_intp i = 0; i < count; i++)
            out[i] += x[i];
    } else {
        for (npy_intp i = 0; i < count; i++)
            out[i * step] += x[i];
    }
}

/* Copy one channel of each sample into the middle of its padded image, or back. */
INLINE void
NAME(copy_channel)(T *padded, T *images, npy_intp samples, const Windows *w, int is_back)
{
    padded += w->padding[0] * w->full[1] + w->padding[1];
    for (; samples--; padded += w->full[0] * w->full[1], images += w->channels * w->size[0] * w->size[1]) {
        for (npy_intp y = 0; y < w->size[0]; y++) {
            T *inside = padded + y * w->full[1], *row = images + y * w->size[1];
            if (is_back)
                NAME(copy)(row, inside, w->size[1], 1);
            else
                NAME(copy)(inside, row, w->size[1], 1);
        }
    }
}

/* Columns have the shape (channels, kernel height, kernel width, samples, windows down, windows across). Fill those of one
 * channel from its padded images, or add them to these, and return the next column. */
INLINE T *
NAME(each_row_of_windows)(T *columns, T *padded, npy_intp samples, const Windows *w, int is_fold)
{
    const npy_intp area = w->full[0] * w->full[1], down = w->stride[0] * w->full[1], across = w->count[1];
    for (npy_intp place = 0; place < w->kernel[0] * w->kernel[1]; place++) {
        const npy_intp i = place / w->kernel[1], k = place % w->kernel[1];
        T *image = padded + i * w->dilation[0] * w->full[1] + k * w->dilation[1];
        for (npy_intp sample = 0; sample < samples; sample++, image += area) {
            T *row = image;
            for (npy_intp y = 0; y < w->count[0]; y++, row += down, columns += across) {
                if (is_fold)
                    NAME(add)(row, columns, across, w->stride[1]);
                else
                    NAME(copy)(columns, row, across, w->stride[1]);
            }
        }
    }
    return columns;
}

/* Fill columns from images, with zeros outside them. `padded` has room for one channel of the padded images and is zero. */
LOOP
NAME(unfold)(T *columns, T *images, T *padded, npy_intp samples, const Windows *w)
{
    for (npy_intp c = 0; c < w->channels; c++, images += w->size[0] * w->size[1]) {
        NAME(copy_channel)(padded, images, samples, w, 0);
        columns = NAME(each_row_of_windows)(columns, padded, samples, w, 0);
    }
}

/* The transpose of that: set images to the sums of their windows. */
LOOP
NAME(fold)(T *columns, T *images, T *padded, npy_intp samples, const Windows *w)
{
    for (npy_intp c = 0; c < w->channels; c++, images += w->size[0] * w->size[1]) {
        memset(padded, 0, (size_t)(samples * w->full[0] * w->full[1]) * sizeof(T));
        columns = NAME(each_row_of_windows)(columns, padded, samples, w, 1);
        NAME(copy_channel)(padded, images, samples, w, 1);
    }
}

/* Find the largest number of the window at (y, x) of an image: the first of equal ones, the last NaN of several. Return its
 * position; -1 if the window lies outside the image. */
INLINE npy_intp
NAME(largest_in_window)(const T *image, npy_intp y, npy_intp x, const Windows *w)
{
    npy_intp found = -1;
    T top = (T)-INFINITY;
    for (npy_intp i = 0; i < w->kernel[0]; i++) {
        const npy_intp row = y + i * w->dilation[0];
        if (row < 0 || row >= w->size[0])
            continue;
        for (npy_intp k = 0; k < w->kernel[1]; k++) {
            const npy_intp column = x + k * w->dilation[1], at = row * w->size[1] + column;
            if (column < 0 || column >= w->size[1])
                continue;
            if (found < 0 || image[at] > top || image[at] != image[at]) {
                found = at;
                top = image[at];
            }
        }
    }
    return found;
}

#define FOR_EACH_WINDOW(next, action)                                                               \
    {                                                                                               \
        const npy_intp area = w->size[0] * w->size[1];                                              \
        for (npy_intp n = 0; n < count; n++, images += area, out += next)                           \
            for (npy_intp i = 0; i < w->count[0]; i++)                                              \
                for (npy_intp k = 0; k < w->count[1]; k++) {                                        \
                    const npy_intp y = i * w->stride[0] - w->padding[0], x = k * w->stride[1] - w->padding[1];     \
                    const npy_intp at = NAME(largest_in_window)(images, y, x, w);                   \
                    action;                                                                         \
                }                                                                                   \
    }

/* Return `condition ? x : z`, by masks: compilers turn that into branches, which are slow for random numbers. */
INLINE T
NAME(choose)(int condition, T x, T z)
{
    BITS first, second;
    memcpy(&first, &x, sizeof first);
    memcpy(&second, &z, sizeof second);
    first = (first & -(BITS)condition) | (second & ((BITS)condition - 1));
    memcpy(&x, &first, sizeof x);
    return x;
}

/* Windows of 2 by 2 that cover the images: whether the right number of the upper row, of the lower row, and whether a number of
 * the lower row is the largest. */
#define LARGEST_OF_FOUR(a, b, k)                                                                    \
    const T a0 = a[2 * k], a1 = a[2 * k + 1], b0 = b[2 * k], b1 = b[2 * k + 1];                     \
    const int is_right = (a1 > a0) | (a1 != a1), is_right_below = (b1 > b0) | (b1 != b1);           \
    const T top = NAME(choose)(is_right, a1, a0), bottom = NAME(choose)(is_right_below, b1, b0);    \
    const int is_below = (bottom > top) | (bottom != bottom);

LOOP
NAME(pool_of_four)(T *out, const T *images, npy_intp pairs_of_rows, npy_intp width)
{
    for (; pairs_of_rows--; images += 2 * width, out += width / 2) {
        const T *below = images + width;
        INDEPENDENT
        for (npy_intp k = 0; k < width / 2; k++) {
            LARGEST_OF_FOUR(images, below, k)
            out[k] = NAME(choose)(is_below, bottom, top);
        }
    }
}

/* Write the gradient of each window to its largest number, and zero to the others. */
LOOP
NAME(pool_back_of_four)(T *out, const T *g, const T *images, npy_intp pairs_of_rows, npy_intp width)
{
    for (; pairs_of_rows--; images += 2 * width, out += 2 * width, g += width / 2) {
        const T *below = images + width;
        T *upper = out, *lower = out + width;
        INDEPENDENT
        for (npy_intp k = 0; k < width / 2; k++) {
            LARGEST_OF_FOUR(images, below, k)
            upper[2 * k] = NAME(choose)((1 - is_below) & (1 - is_right), g[k], 0);
            upper[2 * k + 1] = NAME(choose)((1 - is_below) & is_right, g[k], 0);
            lower[2 * k] = NAME(choose)(is_below & (1 - is_right_below), g[k], 0);
            lower[2 * k + 1] = NAME(choose)(is_below & is_right_below, g[k], 0);
        }
    }
}

static void
NAME(pool)(T *out, const T *images, npy_intp count, const Windows *w)
{
    if (w->is_of_four)
        NAME(pool_of_four)(out, images, count * w->size[0] / 2, w->size[1]);
    else
        FOR_EACH_WINDOW(0, *out++ = at < 0 ? (T)-INFINITY : images[at])
}

/* Add the gradient of each window to its largest number; `out` is zero. */
static void
NAME(pool_back)(T *out, const T *g, const T *images, npy_intp count, const Windows *w)
{
    if (w->is_of_four)
        NAME(pool_back_of_four)(out, g, images, count * w->size[0] / 2, w->size[1]);
    else
        FOR_EACH_WINDOW(area, if (at >= 0) out[at] += *g; g++)
}
#undef FOR_EACH_WINDOW
#undef LARGEST_OF_FOUR
