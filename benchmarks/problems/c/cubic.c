// Σ (1.3x + 0.2)(x² − 0.5) and its derivatives.
double kernel(const double *restrict x, double *restrict g) {
    double sum = 0.0;
    for (long i = 0; i < N; i++) {
        double a = 1.3 * x[i] + 0.2, b = x[i] * x[i] - 0.5;
        sum += a * b;
        g[i] = 1.3 * b + 2.0 * x[i] * a;
    }
    return sum;
}
