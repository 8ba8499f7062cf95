

def test_two(engines):
    n, p = engines
    assert n.accelerated and not p.accelerated
    a = n.Value(2.0)
    b = p.Value(2.0)
    assert type(a) is not type(b)
    (a * a).backward()
    (b * b).backward()
    assert a.grad == b.grad
