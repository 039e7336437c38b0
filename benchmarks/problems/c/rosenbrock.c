// Rosenbrock's function of N numbers and its gradient.
double kernel(const double *restrict x, double *restrict g) {
    double value = 0.0, carried = 0.0;
    for (int i = 0; i < N - 1; i++) {
        double u = x[i + 1] - x[i] * x[i], v = 1.0 - x[i];
        value += 100.0 * u * u + v * v;
        g[i] = carried - 400.0 * x[i] * u - 2.0 * v;
        carried = 200.0 * u;
    }
    g[N - 1] = carried;
    return value;
}
