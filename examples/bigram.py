"""A bigram model of names, by counting and by gradient descent: the same model.

    python examples/bigram.py

What letter follows a letter? Counting pairs in NAMES names gives a table of probabilities, whose surprise at the next
letter is A nats. A network of one 27 x 27 table of scores, trained by gradient descent on the cross-entropy, knows
nothing of counting: it begins at log 27 = 3.2958, and ends at B, with no probability further than C from that of the counts.
"""

import argparse

import numpy as np

from adjoint import Value, data, nn

parser = argparse.ArgumentParser(description="Learn which letter follows which, by counting and by gradients.")
parser.add_argument("--steps", type=int, default=1000, help="steps of gradient descent (default: 1000)")
steps = parser.parse_args().steps

names = data.names()
characters = data.Characters(names)
before, after = characters.windows(names, context=1)  # the letters in pairs; 0 begins a name and ends it
before, size = before[:, 0], len(characters)

# by counting
counts = np.zeros((size, size))
np.add.at(counts, (before, after), 1)
counted = counts / counts.sum(axis=1, keepdims=True)
print(f"counting {len(after)} pairs: loss {-np.log(counted[before, after]).mean():.4f}")

# by gradient descent
scores = Value(np.zeros((size, size)))
for step in range(steps):
    loss = nn.cross_entropy(scores[before], after)
    scores.zero_grad()
    loss.backward()
    scores.data -= 50 * scores.grad
    if step % (steps//5) == 0:
        print(f"step {step:4}   loss {loss.data:.4f}")
learned = scores.softmax(axis=1).data
print(f"by gradients: loss {loss.data:.4f}")
print(f"the largest difference of a probability: {abs(learned - counted).max():.4f}")
