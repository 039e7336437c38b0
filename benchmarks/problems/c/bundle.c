// The Jacobians, 2×15, of N residuals of bundle adjustment: Y = c P + a r×P + b (r·P) r.
#include <math.h>

#define CROSS(out, a, b)                                                                                              \
    double out[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}
#define DOT(a, b) (a[0] * b[0] + a[1] * b[1] + a[2] * b[2])

static void one(const double *restrict v, const double *restrict seen, double *restrict out) {
    const double *r = v, f = v[6], k1 = v[9], k2 = v[10], w = v[14];
    double p[3] = {v[11] - v[3], v[12] - v[4], v[13] - v[5]};
    double square_angle = DOT(r, r), angle = sqrt(square_angle), inverse = 1.0 / angle;
    double c = cos(angle), s = sin(angle), a = s * inverse, b = (1.0 - c) * inverse * inverse;
    CROSS(n, r, p);
    double rp = DOT(r, p), da = (c - a) * inverse, db = (a - 2.0 * b) * inverse, y[3], by_angle[3];
    for (int j = 0; j < 3; j++) {
        y[j] = c * p[j] + a * n[j] + b * rp * r[j];
        by_angle[j] = (da * n[j] + db * rp * r[j] - s * p[j]) * inverse;
    }
    double depth = 1.0 / y[2], u[2] = {y[0] * depth, y[1] * depth}, square = u[0] * u[0] + u[1] * u[1];
    double bend = 1.0 + square * (k1 + k2 * square), slope = 2.0 * (k1 + 2.0 * k2 * square), scale = w * f * depth;
    for (int i = 0; i < 2; i++) {
        double *row = out + 15 * i, e[3];
        e[0] = scale * (slope * u[i] * u[0] + (i == 0 ? bend : 0.0));
        e[1] = scale * (slope * u[i] * u[1] + (i == 1 ? bend : 0.0));
        e[2] = -(e[0] * u[0] + e[1] * u[1]);
        CROSS(pe, p, e);
        CROSS(ne, r, e);
        double re = DOT(r, e), along = DOT(e, by_angle);
        for (int j = 0; j < 3; j++) {
            row[j] = along * r[j] + a * pe[j] + b * (rp * e[j] + re * p[j]);
            row[11 + j] = c * e[j] - a * ne[j] + b * re * r[j];
            row[3 + j] = -row[11 + j];
        }
        row[6] = w * u[i] * bend;
        row[7] = i == 0 ? w : 0.0;
        row[8] = i == 1 ? w : 0.0;
        row[9] = w * f * u[i] * square;
        row[10] = row[9] * square;
        row[14] = f * u[i] * bend + v[7 + i] - seen[i];
    }
}

void kernel(const double *restrict v, const double *restrict seen, double *restrict out) {
    for (long i = 0; i < N; i++)
        one(v + 15 * i, seen + 2 * i, out + 30 * i);
}
