"""Linear algebra and reductions of a complex matrix, for symgrad and PyTorch alike: ``program(module, z)``.

Programs with eigenvectors and singular vectors compute what does not depend on their phases.
"""


def hermitian(z):
    return z + z.mH


def definite(m, z):
    return z @ z.mH + m.eye(3, dtype=m.complex128)


def spread(v, weights):
    """Σ w_k v_k v_kᴴ of the columns, whatever their phases."""
    return (v * weights) @ v.mH


def rebuilt(parts):
    u, s, vh = parts
    return (u * s**2) @ vh


MATRICES = {
    "inv": lambda m, z: m.linalg.inv(z),
    "solve": lambda m, z: m.linalg.solve(z, z[:, 0] * 1j),
    "solve_triangular": lambda m, z: m.linalg.solve_triangular(z, z.mH, upper=True, left=False),
    "det": lambda m, z: m.linalg.det(z),
    "logdet": lambda m, z: m.logdet(z),
    "slogdet, sign": lambda m, z: m.linalg.slogdet(z)[0],
    "slogdet, logarithm": lambda m, z: m.linalg.slogdet(z)[1],
    "matrix_exp": lambda m, z: m.linalg.matrix_exp(z),
    "matrix_power": lambda m, z: m.linalg.matrix_power(z, -2),
    "cholesky": lambda m, z: m.linalg.cholesky(definite(m, z)),
    "cholesky, upper": lambda m, z: m.linalg.cholesky(definite(m, z), upper=True),
    "cholesky_solve": lambda m, z: m.cholesky_solve(z[:, :2], m.linalg.cholesky(definite(m, z))),
    "cholesky_inverse": lambda m, z: m.cholesky_inverse(m.linalg.cholesky(definite(m, z))),
    "qr, Q": lambda m, z: m.linalg.qr(z[:, :2])[0],
    "qr, R": lambda m, z: m.linalg.qr(z[:2])[1],
    "lu_factor": lambda m, z: m.linalg.lu_factor(z)[0],
    "lu_solve": lambda m, z: m.linalg.lu_solve(*m.linalg.lu_factor(z), z[:, :1], adjoint=True),
    "householder_product": lambda m, z: m.linalg.householder_product(z, z[0, :2]),
    "eigvalsh": lambda m, z: m.linalg.eigvalsh(hermitian(z)),
    "eigh": lambda m, z: spread(m.linalg.eigh(hermitian(z))[1], m.arange(3.0)),
    "eigvals": lambda m, z: (m.linalg.eigvals(z) ** 3).sum(),
    "eigvals of a real matrix": lambda m, z: m.linalg.eigvals(z.real).abs().sum(),
    "eig": lambda m, z: (m.linalg.eig(z)[1].abs() ** 3).sum(),
    "eig of a real matrix": lambda m, z: (m.linalg.eig(z.real)[1].abs() ** 3).sum(),
    "svdvals": lambda m, z: m.linalg.svdvals(z[:2]),
    "svd": lambda m, z: rebuilt(m.linalg.svd(z)),
    "svd, tall": lambda m, z: rebuilt(m.linalg.svd(z[:, :2], full_matrices=False)),
    "svd, sizes": lambda m, z: m.linalg.svd(z[:2], full_matrices=False)[2].abs(),
    "pinv": lambda m, z: m.linalg.pinv(z[:, :2]),
    "pinv, hermitian": lambda m, z: m.linalg.pinv(hermitian(z), hermitian=True),
    "lstsq": lambda m, z: m.linalg.lstsq(z[:, :2], z[:, 2:])[0],
    "norm": lambda m, z: m.linalg.norm(z),
    "norm, 3": lambda m, z: m.linalg.vector_norm(z, 3, dim=0),
    "norm, inf": lambda m, z: m.linalg.matrix_norm(z, float("inf")),
    "norm, nuclear": lambda m, z: m.linalg.matrix_norm(z, "nuc"),
    "cond": lambda m, z: m.linalg.cond(z),
    "vecdot": lambda m, z: m.linalg.vecdot(z, z[::1] * 1j),
    "tensorinv": lambda m, z: m.linalg.tensorinv(z, ind=1),
    "var": lambda m, z: m.var(z, 0),
    "std": lambda m, z: m.std(z),
    "cov": lambda m, z: m.cov(z),
    "corrcoef": lambda m, z: m.corrcoef(z),
    "logsumexp": lambda m, z: m.logsumexp(z, 1),
    "logcumsumexp": lambda m, z: m.logcumsumexp(z, 0),
    "logaddexp": lambda m, z: m.logaddexp(3 * z, 4 * z.T),
    "softsign": lambda m, z: m.nn.functional.softsign(z),
    "l1_loss": lambda m, z: m.nn.functional.l1_loss(z, z.mH),
    "float_power": lambda m, z: m.float_power(z, 3),
}
