"""The equilibrium of steam reforming, and a proof that it is the only one: all roots of two laws of mass action.

One mole of methane and two of steam react by CH₄ + H₂O ⇌ CO + 3 H₂ and CO + H₂O ⇌ CO₂ + H₂ at 1000 K. The unknowns are
the extents of both reactions, in moles. The equations are polynomials with several roots, to any of which Newton's
method may lead. sg.prove.root proves that exactly one is in a box that contains all amounts which are not negative.
Run: python examples/equilibrium.py
"""

import math

import numpy as np

import symgrad as sg

FORMATION = {"CH4": 19.492, "H2O": -192.590, "CO": -200.275, "CO2": -395.886, "H2": 0.0}  # kJ/mol at 1000 K, JANAF
REACTIONS = ({"CH4": -1, "H2O": -1, "CO": 1, "H2": 3}, {"CO": -1, "H2O": -1, "CO2": 1, "H2": 1})
ATOMS = {"CH4": (1, 4, 0), "H2O": (0, 2, 1), "CO": (1, 0, 1), "CO2": (1, 0, 2), "H2": (0, 2, 0)}  # C, H and O
START = {"CH4": 1.0, "H2O": 2.0, "CO": 0.0, "CO2": 0.0, "H2": 0.0}
PHYSICAL, WIDE = ([0.0, 0.0], [1.0, 1.0]), ([-4.0, -4.0], [4.0, 4.0])  # no more than the methane can react


def amounts(extent):
    """Return the moles of each substance."""
    return {s: START[s] + sum(r.get(s, 0) * extent[k] for k, r in enumerate(REACTIONS)) for s in START}


def constant(reaction):
    """Return the equilibrium constant, for pressures in bar."""
    return math.exp(-sum(n * FORMATION[s] for s, n in reaction.items()) / (8.314462618e-3 * 1000))


def residuals(extent, pressure):
    """Return products − K · reactants of each reaction, in partial pressures, multiplied by powers of the total."""
    n = amounts(extent)
    total = sum(n.values())
    results = []
    for reaction in REACTIONS:
        made = math.prod(n[s] ** k for s, k in reaction.items() if k > 0)
        used = math.prod(n[s] ** -k for s, k in reaction.items() if k < 0)
        rise = sum(reaction.values())  # of the number of molecules
        results.append(made * pressure**rise - constant(reaction) * used * total**rise)
    return sg.stack(results)


def newton(start, pressure):
    """Return where Newton's method leads, by numbers alone."""
    x, f = np.array(start), sg.compile(lambda v: residuals(v, pressure))
    for _ in range(60):
        x = x - np.linalg.solve(np.asarray(sg.jacobian(f)(x)), np.asarray(f(x)))
    return x


def main():
    """Prove one equilibrium at each pressure, and compare with Newton's method and with the balance of atoms."""
    methane = []
    for pressure in (1.0, 5.0, 20.0):
        F = lambda x, pressure=pressure: residuals(x, pressure)
        proof = sg.prove.root(F, PHYSICAL)
        assert sg.prove.check(proof.certificate, F)
        n = amounts(proof.zero.lower)
        assert min(n.values()) > 0.01 > 1e12 * proof.zero.width.max()  # so no amount is negative
        print(f"{pressure:g} bar: exactly one equilibrium, " + ", ".join(f"{s} {x:.4f}" for s, x in n.items()))
        assert abs(newton([0.5, 0.3], pressure) - proof.zero.lower).max() < 1e-12
        assert np.allclose(sum(n[s] * np.array(ATOMS[s]) for s in n), (1.0, 8.0, 2.0), atol=1e-14)
        methane.append(n["CH4"])
    assert methane == sorted(methane)
    print("Newton's method agrees, no atom is lost, and pressure favours methane, as Le Chatelier says")
    result = sg.prove.all_roots(lambda x: residuals(x, 1.0), WIDE)
    negative = [root for root in result.zeros if min(amounts(root.upper).values()) < 0]
    assert result.is_complete
    assert len(negative) == len(result.zeros) - 1
    print(f"With extents from −4 to 4 the equations have {len(result.zeros)} roots at 1 bar, one of them physical")


if __name__ == "__main__":
    main()
