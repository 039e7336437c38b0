// ADBench's LSTM and its gradients. Rows are copied to a width that vectors divide, so that no loop has a remainder.
#include <math.h>
#include <string.h>

#define W ((H + 7) / 8 * 8)
#define EACH(k) for (int k = 0; k < W; k++)

typedef struct {
    double x[W], h[W], c[W], forget[W], update[W], open[W], fresh[W], shown[W];
} Cell;

static Cell cells[STEPS][LAYERS];
static double tops[STEPS][W], expected[STEPS][W], given[STEPS][W], wanted[STEPS][W];

static double sigmoid(double z) { return 1.0 / (1.0 + exp(-z)); }

static void cell(Cell *restrict m, const double (*restrict w)[W], const double (*restrict b)[W], double *restrict x,
                 double *restrict h, double *restrict c) {
    EACH(k) {
        double f = sigmoid(x[k] * w[0][k] + b[0][k]), u = sigmoid(h[k] * w[1][k] + b[1][k]);
        double o = sigmoid(x[k] * w[2][k] + b[2][k]), n = tanh(h[k] * w[3][k] + b[3][k]);
        double after = c[k] * f + u * n, shown = tanh(after);
        m->x[k] = x[k], m->h[k] = h[k], m->c[k] = c[k];
        m->forget[k] = f, m->update[k] = u, m->open[k] = o, m->fresh[k] = n, m->shown[k] = shown;
        c[k] = after;
        h[k] = x[k] = o * shown;
    }
}

static void back(const Cell *restrict m, const double (*restrict w)[W], double (*restrict gw)[W],
                 double (*restrict gb)[W], double *restrict gx, double *restrict gh, double *restrict gc) {
    EACH(k) {
        double g = gx[k] + gh[k], f = m->forget[k], u = m->update[k], o = m->open[k], n = m->fresh[k];
        double inner = gc[k] + g * o * (1.0 - m->shown[k] * m->shown[k]);
        double a0 = inner * m->c[k] * f * (1.0 - f), a1 = inner * n * u * (1.0 - u);
        double a2 = g * m->shown[k] * o * (1.0 - o), a3 = inner * u * (1.0 - n * n);
        gc[k] = inner * f;
        gw[0][k] += a0 * m->x[k], gw[1][k] += a1 * m->h[k], gw[2][k] += a2 * m->x[k], gw[3][k] += a3 * m->h[k];
        gb[0][k] += a0, gb[1][k] += a1, gb[2][k] += a2, gb[3][k] += a3;
        gx[k] = a0 * w[0][k] + a2 * w[2][k];
        gh[k] = a1 * w[1][k] + a3 * w[3][k];
    }
}

double kernel(const double *restrict main, const double *restrict extra, const double *restrict state,
              const double *restrict inputs, const double *restrict targets, double *restrict g_main,
              double *restrict g_extra) {
    static double w[2 * LAYERS][4][W], gw[2 * LAYERS][4][W], e[3][W], ge[3][W], h[LAYERS][W], c[LAYERS][W];
    static double gh[LAYERS][W], gc[LAYERS][W];
    double score = 0.0, x[W], scale = -1.0 / (STEPS * (double)H);
    memset(gw, 0, sizeof gw), memset(ge, 0, sizeof ge), memset(gh, 0, sizeof gh), memset(gc, 0, sizeof gc);
    for (int i = 0; i < 8 * LAYERS; i++)
        memcpy(w[i / 4][i % 4], main + i * H, H * sizeof(double));
    for (int i = 0; i < 3; i++)
        memcpy(e[i], extra + i * H, H * sizeof(double));
    for (int i = 0; i < LAYERS; i++) {
        memcpy(h[i], state + 2 * i * H, H * sizeof(double));
        memcpy(c[i], state + (2 * i + 1) * H, H * sizeof(double));
    }
    for (int t = 0; t < STEPS; t++) {
        memcpy(given[t], inputs + t * H, H * sizeof(double));
        memcpy(wanted[t], targets + t * H, H * sizeof(double));
        EACH(k) x[k] = given[t][k] * e[0][k];
        for (int i = 0; i < LAYERS; i++)
            cell(&cells[t][i], w[2 * i], w[2 * i + 1], x, h[i], c[i]);
        double total = 2.0 - (W - H), hits = 0.0, met = 0.0; // the columns beyond H are 0, and e⁰ is 1
        EACH(k) {
            double y = x[k] * e[1][k] + e[2][k], p = exp(y);
            tops[t][k] = x[k], expected[t][k] = p;
            total += p, hits += wanted[t][k], met += wanted[t][k] * y;
        }
        score += met - hits * log(total);
        EACH(k) expected[t][k] *= hits / total;
    }
    for (int t = STEPS - 1; t >= 0; t--) {
        EACH(k) {
            double g = k < H ? scale * (wanted[t][k] - expected[t][k]) : 0.0;
            ge[1][k] += g * tops[t][k], ge[2][k] += g;
            x[k] = g * e[1][k];
        }
        for (int i = LAYERS - 1; i >= 0; i--)
            back(&cells[t][i], w[2 * i], gw[2 * i], gw[2 * i + 1], x, gh[i], gc[i]);
        EACH(k) ge[0][k] += x[k] * given[t][k];
    }
    for (int i = 0; i < 8 * LAYERS; i++)
        memcpy(g_main + i * H, gw[i / 4][i % 4], H * sizeof(double));
    for (int i = 0; i < 3; i++)
        memcpy(g_extra + i * H, ge[i], H * sizeof(double));
    return score * scale;
}
