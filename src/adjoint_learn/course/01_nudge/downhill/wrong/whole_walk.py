"""You return the list of all places. The task asks for the last one alone."""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


def downhill(f, x, rate, steps):
    places = [x]
    for _ in range(steps):
        places.append(places[-1] - rate * slope(f, places[-1]))
    return places
