/* Where rows of text lie on a picture (Spec/product/watermark.md, 3.3). */
#include "dense.h"

#include <math.h>

double qv_rows_reach(const qv_dense *d, const qv_rows *rows) { return ceil(((double)d->width + d->height) / 2 / rows->pitch) + 2; }

/* Narrows a part of a row to where its line `v` lies on the picture; in pixels along it, from the middle. */
static void cross_picture(const qv_dense *d, qv_direction way, double v, double *enter, double *leave) {
    /* A point of the row is (u cos + v sin, v cos - u sin). */
    double along[2] = {way.cosine, -way.sine}, from[2] = {v * way.sine, v * way.cosine};
    double half[2] = {d->width / 2.0, d->height / 2.0};
    for (int i = 0; i < 2; i++) {
        if (fabs(along[i]) < 1e-9) {
            if (fabs(from[i]) > half[i]) *leave = *enter;
            continue;
        }
        double one = (-half[i] - from[i]) / along[i], other = (half[i] - from[i]) / along[i];
        *enter = fmax(*enter, fmin(one, other));
        *leave = fmin(*leave, fmax(one, other));
    }
}

double qv_room_in_row(const qv_dense *d, const qv_rows *rows, qv_direction way, unsigned number, double *enter) {
    const qv_coverage *strip = &rows->strips[number % rows->count];
    double top = (number - qv_rows_reach(d, rows)) * rows->pitch - rows->phase, leave = 1e9;
    *enter = -1e9;
    cross_picture(d, way, top, enter, &leave);
    cross_picture(d, way, top + strip->height / rows->scale, enter, &leave);
    return leave - *enter - (strip->line_width - rows->gap) / rows->scale;
}

unsigned qv_whole_rows(const qv_dense *d) {
    const qv_rows *rows = &d->rows;
    qv_direction way = qv_sine_and_cosine(rows->degrees);
    unsigned count = 0, last = 2 * (unsigned)qv_rows_reach(d, rows);
    double enter;
    for (unsigned i = 0; i < last; i++) count += qv_room_in_row(d, rows, way, i, &enter) >= 0;
    return count;
}
