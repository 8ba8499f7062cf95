import random

from adjoint import data, nn, no_grad, optim
from adjoint.errors import installed_numpy

STEPS = 200


def check(check, learner):
    def one(token):
        return [float(i == token) for i in range(27)]

    def spell(name):
        """Return a model that writes one name: it looks at how many tokens there are."""
        return lambda tokens: one(" abcdefghijklmnopqrstuvwxyz".index((name + " " * 40)[len(tokens) - 1]))

    def turn(tokens):
        """Write b after the boundary, a after b, and b again if the whole past is .ba; then stop."""
        return one({(0,): 2, (0, 2): 1, (0, 2, 1): 2}.get(tuple(tokens), 0))

    rng = random.Random(1)
    for name in ("a", "emma"):
        got = learner.generate(spell(name), rng)
        check.equal("generate(...) with a model that always writes " + name, got, name)
    check.equal("generate(...) with a model that writes bab", learner.generate(turn, rng), "bab")
    endless = learner.generate(lambda tokens: one(1), rng)
    check.equal("generate(...) with a model that never stops", endless, "a" * 12)
    uneven = [0.0, 0.7, 0.3] + [0.0] * 24
    firsts = [learner.generate(lambda tokens: uneven if len(tokens) == 1 else one(0), rng) for _ in range(400)]
    count = firsts.count("a")
    check.true(
        "If the first letter is a with probability 0.7 and b with 0.3, about 280 of 400 names should be a",
        240 <= count <= 320 and count + firsts.count("b") == 400,
        got=count,
    )
    if np := installed_numpy():
        model, loss = trained(np)
        names = [learner.generate(model, rng) for _ in range(10)]
        check.note(f"a GPT with a loss of {loss:.3f} after {STEPS} steps wrote: {', '.join(names)}")
    else:
        check.note("with NumPy installed, this check also trains a GPT, and your function writes ten names with it")


def trained(np):
    """Return a small GPT that was trained on first names, as a function from tokens to probabilities, and its loss."""
    rng, names = np.random.default_rng(1), data.names()
    X, Y = data.Characters(names).sequences(names)
    parts = [nn.Embedding(27, 16, seed=rng), nn.Embedding(13, 16, seed=rng)]
    rest = nn.Sequential(nn.TransformerBlock(16, num_heads=4, causal=True, seed=rng), nn.Linear(16, 27, seed=rng))
    parameters = [parameter for part in (*parts, rest) for parameter in part.parameters()]
    optimizer = optim.Adam(parameters, lr=0.02)

    def logits(tokens):
        return rest(parts[0](tokens) + parts[1](np.arange(tokens.shape[1])))

    losses = []
    for _ in range(STEPS):
        rows = rng.integers(len(X), size=32)
        loss = nn.cross_entropy(logits(X[rows]).reshape(-1, 27), Y[rows].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.data))

    def next_probabilities(tokens):
        with no_grad():
            scores = logits(np.array([tokens[-13:]])).data[0, -1] / 0.7
        powers = np.exp(scores - scores.max())
        return (powers / powers.sum()).tolist()

    return next_probabilities, float(np.mean(losses[-20:]))
