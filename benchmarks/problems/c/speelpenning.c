// The product of N numbers and its gradient: products of those before, times products of those after.
double kernel(const double *restrict x, double *restrict g) {
    double product = 1.0, after = 1.0;
    for (int i = 0; i < N; i++) {
        g[i] = product;
        product *= x[i];
    }
    for (int i = N - 1; i >= 0; i--) {
        g[i] *= after;
        after *= x[i];
    }
    return product;
}
