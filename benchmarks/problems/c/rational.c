// Σ (1.3x + 0.2)(x² − 0.5)(0.7x − 1) + x³/4(1 + x²) and its derivatives.
double kernel(const double *restrict x, double *restrict g) {
    double sum = 0.0;
    for (long i = 0; i < N; i++) {
        double v = x[i], s = v * v, a = 1.3 * v + 0.2, b = s - 0.5, c = 0.7 * v - 1.0, r = 1.0 / (1.0 + s);
        sum += a * b * c + 0.25 * v * s * r;
        g[i] = 1.3 * b * c + 2.0 * v * a * c + 0.7 * a * b + 0.25 * s * (3.0 + s) * r * r;
    }
    return sum;
}
