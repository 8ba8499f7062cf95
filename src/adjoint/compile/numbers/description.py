"""What a program of numbers consists of, as a sentence for people."""

from collections.abc import Mapping


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def describe_program(found: Mapping[str, int]) -> str:
    """Return a sentence such as "188,764 operations, of which 127,637 in lanes: 50 dot products in lanes, …".

    >>> describe_program({"operations": 3, "instructions": 2, "dot_products": 1, "bytes": 400})
    '3 operations in 2 instructions: 1 dot product of numbers; 400 bytes'
    """
    parts = []
    lanes, in_lanes = found.get("lanes", 0), found.get("dot_products_in_lanes", 0)
    if in_lanes:
        parts.append(f"{_count(in_lanes, 'dot product')} in lanes of up to {lanes:,}")
    others = found.get("lane_instructions", 0) - in_lanes
    if others:
        parts.append(f"{_count(others, 'other instruction')} in lanes")
    if found.get("dot_products"):
        parts.append(f"{_count(found['dot_products'], 'dot product')} of numbers")
    if found.get("gathers"):
        parts.append(_count(found["gathers"], "gather"))
    what = f"{_count(found['operations'], 'operation')} in {_count(found['instructions'], 'instruction')}"
    return f"{what}: {', '.join(parts)}; {found['bytes']:,} bytes" if parts else f"{what}; {found['bytes']:,} bytes"
