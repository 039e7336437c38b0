"""The chain rule at the blackboard: each link with its formula and its number, then their product from the right.

y = exp(sin(x²)) is three links, x -> u -> v -> y. Reverse mode multiplies their derivatives beginning at y, and symgrad
writes down the same product as a formula.
Run: python examples/chain_rule.py
"""

import math

import symgrad as sg

LINKS = [
    ("x", "u", lambda x: x**2),
    ("u", "v", sg.sin),
    ("v", "y", sg.exp),
]
CLASSROOM = {
    "product": lambda x: x**2 * sg.sin(x),
    "quotient": lambda x: sg.log(x) / x,
    "chain": lambda x: sg.sqrt(1 + x**2),
}


def links(x):
    """Go forward: print each link, and return the derivatives on the way."""
    value, slopes = x, []
    for argument, name, link in LINKS:
        a = sg.symbol(argument)
        y = link(a)
        form = sg.derive(y, a)
        slopes.append(form.lambdify()(value))
        result = link(sg.tensor(value)).item()
        print(f"   {name} = {y.expr!s:8} = {result:7.4f}     d{name}/d{argument} = {form!s:7} = {slopes[-1]:7.4f}")
        value = result
    return slopes


def backwards(slopes):
    """Multiply from the right: dy/dy = 1, dy/dv, dy/du, dy/dx."""
    adjoint = 1.0
    for (argument, _, _), slope in zip(reversed(LINKS), reversed(slopes), strict=True):
        print(f"   dy/d{argument} = {adjoint:.4f} * {slope:.4f} = {adjoint * slope:.4f}")
        adjoint *= slope
    return adjoint


def main():
    """Do it by hand, let symgrad do it, and compare with a difference quotient."""
    point = 1.2
    print(f"1. Forward, at x = {point}")
    slopes = links(point)
    print("2. Backwards")
    by_hand = backwards(slopes)

    print("3. The same, written out by symgrad")
    x = sg.tensor(point, requires_grad=True, name="x")
    y = sg.exp(sg.sin(x**2))
    print("   " + str(sg.explain(y, wrt=x)).replace("\n", "\n   ").rstrip())
    y.backward()
    assert math.isclose(x.grad.item(), by_hand, rel_tol=1e-12)

    print(f"4. Classroom cases, and their difference quotients at x = {point}")
    for name, f in CLASSROOM.items():
        s = sg.symbol("x")
        form, h = sg.derive(f(s), s), 1e-5
        number = form.lambdify()(point)
        quotient = (f(sg.tensor(point + h)) - f(sg.tensor(point - h))).item() / (2 * h)
        print(f"   {name:8}  d/dx {f(s).expr!s:14} = {form!s:24} {number:8.5f} {quotient:8.5f}")
        assert math.isclose(number, quotient, rel_tol=1e-8)


if __name__ == "__main__":
    main()
