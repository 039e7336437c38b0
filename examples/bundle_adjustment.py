"""Bundle adjustment: cameras and points from where the points are in the pictures, by a sparse Jacobian.

Each residual depends on one camera (rotation vector, translation, focal length) and one point, so that almost all of
the Jacobian is zero; symgrad finds the pattern, and a handful of products give every entry.
Run: pip install ".[examples]" && python examples/bundle_adjustment.py
"""

import numpy as np
from scipy.optimize import least_squares

import symgrad as sg

CAMERAS, POINTS, NOISE = 12, 80, 0.5  # the noise is in pixels
WEAK = 1e-3  # holds what pictures cannot tell: where all of it is, how it is turned, and how large it is


def rotate(r, p):
    """Turn p (m, 3) about the axis r (m, 3) by ‖r‖: p cos t + (r x p) sin t / t + r (r·p) (1 - cos t) / t²."""
    t2 = (r * r).sum(1) + 1e-30
    t = sg.sqrt(t2)[:, None]
    cross = sg.stack([
        r[:, 1] * p[:, 2] - r[:, 2] * p[:, 1],
        r[:, 2] * p[:, 0] - r[:, 0] * p[:, 2],
        r[:, 0] * p[:, 1] - r[:, 1] * p[:, 0],
    ], 1)  # fmt: skip
    along = r * (r * p).sum(1)[:, None]
    return p * sg.cos(t) + cross * sg.sin(t) / t + along * (1 - sg.cos(t)) / t2[:, None]


def project(x, camera, point):
    """Pixels (m, 2) of these points in these cameras; x holds 7 numbers for each camera, then 3 for each point."""
    cameras, points = x[: 7 * CAMERAS].reshape(CAMERAS, 7), x[7 * CAMERAS :].reshape(POINTS, 3)
    c = cameras[camera]
    p = rotate(c[:, :3], points[point]) + c[:, 3:6]
    return 1000 * c[:, 6:] * p[:, :2] / p[:, 2:]


def scene(generator):
    """Points in a cube, cameras on an arc around it that look at it."""
    cameras = np.zeros((CAMERAS, 7))
    cameras[:, 1] = np.linspace(-0.6, 0.6, CAMERAS)  # turned about the vertical
    cameras[:, 5], cameras[:, 6] = 6.0, 1.0  # depth and focal length
    cameras[:, :6] += 0.05 * generator.normal(size=(CAMERAS, 6))
    return np.concatenate([cameras.ravel(), generator.uniform(-1, 1, 3 * POINTS)])


def main():
    """Take the pictures, start from a bad guess, and find cameras and points again."""
    generator = np.random.default_rng(0)
    truth = scene(generator)
    camera, point = np.nonzero(generator.uniform(size=(CAMERAS, POINTS)) < 0.5)  # half of the points are seen
    pixels = project(sg.tensor(truth), camera, point).numpy()
    pixels = pixels + NOISE * generator.normal(size=pixels.shape)
    guess = truth + 0.05 * generator.normal(size=truth.shape)

    def residual(x):
        return sg.cat([((project(x, camera, point) - pixels) / NOISE).reshape(-1), WEAK * (x - guess)])

    jacobian = sg.sparse_jacobian(residual)
    compiled = sg.compile(residual)
    J = jacobian(guess)
    print(f"1. Jacobian {J.shape[0]} x {J.shape[1]}: {J.nnz / np.prod(J.shape):.1%} of it not zero, ", end="")
    print(f"from {jacobian.colours} products")

    fit = least_squares(compiled, guess, jac=jacobian, x_scale="jac", method="trf", tr_solver="lsmr", max_nfev=60)
    before, after = (np.sqrt(np.mean((NOISE * compiled(x)[: pixels.size]) ** 2)) for x in (guess, fit.x))
    print(f"2. {fit.njev} steps: root mean square error {before:.1f} pixels before, {after:.3f} after")
    expected = NOISE * np.sqrt(1 - (truth.size - 7) / pixels.size)
    print(f"3. Noise of {NOISE} pixels, less what {truth.size} - 7 unknowns take up, leaves {expected:.3f}")
    assert abs(after - expected) < 0.05 * NOISE


if __name__ == "__main__":
    main()
