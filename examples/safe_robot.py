"""A robot arm that certainly keeps clear of an obstacle, along its whole length and for all angles of its two joints.

sg.prove.positive proves it for a box of angles. sg.enclose divides all angles into boxes that are certainly safe, boxes
that certainly are not, and thin ones between them that remain undecided (Jaulin and Walter, set inversion, 1993).
Run: python examples/safe_robot.py
"""

import numpy as np

import symgrad as sg

LENGTHS, OBSTACLE, SAFE = (1.0, 0.75), (1.0, 0.875), 0.375  # floats whose squares are floats, too
WORK, ALL = ([-1.2, -1.0], [-0.2, 1.2]), ([-1.6, -2.0], [1.6, 2.0])  # lower and upper bounds of the angles


def clearance(q):
    """Return the squared distance of the obstacle from each link, at the link's nearest point, minus SAFE²."""
    x, y, excess = 0.0, 0.0, []
    for length, angle in zip(LENGTHS, (q[0], q[0] + q[1]), strict=True):
        along, up = length * sg.cos(angle), length * sg.sin(angle)
        right, above = OBSTACLE[0] - x, OBSTACLE[1] - y
        part = sg.clip((right * along + above * up) / length**2, 0.0, 1.0)  # where on the link, 0 at its joint
        excess.append((right - part * along) ** 2 + (above - part * up) ** 2 - SAFE**2)
        x, y = x + along, y + up
    return sg.stack(excess)


def divided(steps=12):
    """Return the boxes (n, 2, 2) of ALL that are certainly safe, those that certainly are not, and the undecided."""
    safe, unsafe, boxes = [], [], np.array([ALL])
    for step in range(steps):
        bounds = sg.enclose(clearance, (boxes[:, 0].T, boxes[:, 1].T))  # of all boxes at once
        is_safe, is_unsafe = (bounds.lower > 0).all(axis=0), (bounds.upper < 0).any(axis=0)
        safe.append(boxes[is_safe])
        unsafe.append(boxes[is_unsafe])
        undecided = boxes[~is_safe & ~is_unsafe]
        low, high, axis = undecided.copy(), undecided.copy(), step % 2
        low[:, 1, axis] = high[:, 0, axis] = undecided[:, :, axis].mean(axis=1)
        boxes = np.concatenate([low, high])
    return np.concatenate(safe), np.concatenate(unsafe), undecided


def joints(q):
    """Return the places of the base, the elbow and the tool in the complex plane."""
    return np.cumsum([0.0, *(np.array(LENGTHS) * np.exp(1j * np.cumsum(q)))])


def distance(q):
    """Return the distance of the obstacle from the nearest of 2000 points of the arm."""
    base, elbow, tool = joints(q)
    s = np.linspace(0, 1, 1000)
    points = np.concatenate([base + s * (elbow - base), elbow + s * (tool - elbow)])
    return abs(points - complex(*OBSTACLE)).min()


def area(boxes):
    """Return the part of ALL that boxes cover."""
    return (boxes[:, 1] - boxes[:, 0]).prod(axis=1).sum() / np.subtract(*ALL).prod()


def main():
    """Prove the box, refute the proof of all angles, divide them, and compare with poses."""
    proof = sg.prove.positive(clearance, WORK)
    assert proof
    assert sg.prove.check(proof.certificate, clearance)
    print(f"1. For all angles from {WORK[0]} to {WORK[1]} the arm is farther than {SAFE} from the obstacle: proved")
    refuted = sg.prove.positive(clearance, ALL)
    assert distance(refuted.witness) < SAFE
    print(f"2. Not for all angles: at {refuted.witness.round(3)} the distance is {distance(refuted.witness):.3f}")
    safe, unsafe, undecided = divided()
    parts = [area(boxes) for boxes in (safe, unsafe, undecided)]
    print("3. Of all angles {:.0%} are safe, {:.0%} are not, {:.0%} are undecided".format(*parts))
    assert abs(sum(parts) - 1) < 1e-12
    assert all(distance(q) > SAFE for q in np.random.default_rng(0).uniform(safe[:, 0], safe[:, 1]))
    assert all(distance(q) < SAFE + 1e-6 for q in np.random.default_rng(0).uniform(unsafe[:, 0], unsafe[:, 1]))
    print(f"   A pose in each of these {len(safe) + len(unsafe)} boxes agrees")


if __name__ == "__main__":
    main()
