"""You count every derivative separately: inputs times outputs. That is the price of finite differences for one pair at
a time. A pass finds a whole row or a whole column of derivatives at once."""


def plan(inputs, outputs):
    return ("forward" if inputs < outputs else "reverse"), inputs * outputs
