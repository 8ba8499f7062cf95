"""The ways to evaluate a rule. `protocol` types them, `floats` computes with numbers, and `symbols` builds an
expression, which `printing` writes as mathematics and `symbols` and `c_loops` write as Python and C.
"""
