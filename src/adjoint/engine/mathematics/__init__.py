"""The ways to read a rule: with floats (`floats`), and with symbols that print it as text, Python and C (`symbols`,
`c_loops`).
"""
