// The Jacobian, 3×6, of the arm's tool: first each joint's part of the way to the tool, then the turned axes.
#include <math.h>

void kernel(const double *restrict q, double *restrict jacobian) {
    double c[6], s[6], px[6], py[6];
    for (int i = 0; i < 6; i++) {
        c[i] = cos(q[i]);
        s[i] = sin(q[i]);
    }
    // The tool as seen from the frame of joint i, after its turn; twists of ±90° only swap y and z.
    double x, y, z, t;
#define TURN(i) px[i] = c[i] * x - s[i] * y, py[i] = s[i] * x + c[i] * y, x = px[i], y = py[i]
    x = 0.05, y = 0.0, z = 0.0563;
    TURN(5);
    t = y, y = z, z = -t;
    TURN(4);
    t = y, y = -z, z = t + 0.4318;
    TURN(3);
    x += 0.0203, t = y, y = z, z = 0.15005 - t;
    TURN(2);
    x += 0.4318, z += 0.1397;
    TURN(1);
    t = y, y = -z, z = t + 0.6718;
    TURN(0);
    // Column i is (−py, px, 0) of joint i, turned by the joints before it; r holds the two columns x and y of that turn.
    double rx[3] = {1.0, 0.0, 0.0}, ry[3] = {0.0, 1.0, 0.0}, rz[3] = {0.0, 0.0, 1.0};
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 3; k++) {
            jacobian[6 * k + i] = px[i] * ry[k] - py[i] * rx[k];
            double a = c[i] * rx[k] + s[i] * ry[k], b = c[i] * ry[k] - s[i] * rx[k];
            rx[k] = a;
            if (i == 0 || i == 3)
                ry[k] = rz[k], rz[k] = -b;
            else if (i == 2 || i == 4)
                ry[k] = -rz[k], rz[k] = b;
            else
                ry[k] = b;
        }
    }
}
