// Binary cross entropy of xᵀW + b against y, and its gradients by W (5×3) and b.
#include <math.h>

double kernel(const double *restrict w, const double *restrict b, const double *restrict x, const double *restrict y,
              double *restrict gw, double *restrict gb) {
    double value = 0.0;
    for (int j = 0; j < 3; j++) {
        double z = b[j];
        for (int i = 0; i < 5; i++)
            z += x[i] * w[3 * i + j];
        double e = exp(-fabs(z));
        value += (z > 0.0 ? z : 0.0) - z * y[j] + log1p(e);
        gb[j] = ((z >= 0.0 ? 1.0 : e) / (1.0 + e) - y[j]) / 3.0;
        for (int i = 0; i < 5; i++)
            gw[3 * i + j] = x[i] * gb[j];
    }
    return value / 3.0;
}
