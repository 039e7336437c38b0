// Σ tanh(1.3x + 0.2)·exp(−x²) + log(1 + eˣ) and its derivatives; gcc takes the loop to libmvec.
#include <math.h>

double kernel(const double *restrict x, double *restrict g) {
    double sum = 0.0;
    for (long i = 0; i < N; i++) {
        double v = x[i], t = tanh(1.3 * v + 0.2), e = exp(-v * v), p = exp(v);
        sum += t * e + log(1.0 + p);
        g[i] = e * (1.3 * (1.0 - t * t) - 2.0 * v * t) + p / (1.0 + p);
    }
    return sum;
}
