"""Results of worked problems are written as the data are: decimals of decimals, fractions of fractions."""

import symgrad as sg


def test_results_of_decimals_are_decimals():
    assert str(sg.related_rates("x*y = 6", "y", rates={"x": 0.3}, x=2, y=3)).endswith("dx/dt = 0.3:\n  dy/dt = −0.45")
    cone = str(sg.related_rates("V = pi*h**3/12", "h", rates={"V": 2.5}, h=5))
    assert cone.endswith("dh/dt = 0.4/π ≈ 0.127324")
    pendulum = str(sg.error_propagation("2*pi*sqrt(L/g)", L=(1.2, 0.01), g=(9.81, 0.02)))
    for line in ("L = 1.2 ± 0.01, g = 9.81 ± 0.02", "∂f/∂L = π/(g·√(L/g)) ≈ 0.91564", "f ≈ 2.19754", "Δf ≈ 0.0113965"):
        assert line in pendulum
    assert "∂f/∂q = p/(2·√q) = 0.75" in str(sg.sensitivity("p*sqrt(q)", p=4.5, q=9.0))
    assert "f(0.5) = 0.25" in str(sg.tangent("x**2", x=0.5))
    assert "u = [0.6, 0.8]" in str(sg.directional_derivative("x**2*y", [3, 4], x=0.5, y=2))
    assert "dy/dt = −3/2" in str(sg.related_rates("x**2 + y**2 = 25", "y", rates={"x": 2}, x=3, y=4))


def test_small_numbers_are_written_with_a_power_of_ten():
    assert "f(x₂) = −4.645589899·10⁻⁵" in str(sg.newton("cos(x) - x", x=1))


def test_a_rate_that_stands_alone_is_not_solved_for():
    assert "solve" not in str(sg.related_rates("A = pi*r**2", "A", rates={"r": 0.5}, r=6))
