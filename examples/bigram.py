"""A bigram model of names, fitted by counting and by gradient descent: both give the same model.

    python examples/bigram.py

A bigram model predicts each letter from the one before it. Counting all 3764 pairs in 558 names gives a table of
probabilities with a loss (the mean cross-entropy of the next letter) of 2.3143. Gradient descent instead trains a
table of 27 by 27 scores on the cross-entropy. It starts from a uniform guess, log 27 = 3.2958, and reaches 2.3143
after 200 steps. Every probability is then within 1e-4 of the one found by counting.
"""

import argparse

import numpy as np

from adjoint import data, nn, optim, softmax

parser = argparse.ArgumentParser(description="Learn which letter follows which, by counting and by gradients.")
parser.add_argument("--steps", type=int, default=200, help="steps of training (default: 200)")
steps = parser.parse_args().steps

names = data.names()
characters = data.Characters(names)
inputs, after = characters.windows(names, context=1)  # all pairs; token 0 starts and ends each name
before, size = inputs[:, 0], characters.vocab_size

counts = np.zeros((size, size))
np.add.at(counts, (before, after), 1)
counted = counts / counts.sum(axis=1, keepdims=True)
print(f"by counting    loss {-np.log(counted[before, after]).mean():.4f}")

scores = nn.Embedding(size, size)  # one row per letter: the scores of the next letter
nn.init.zeros(scores.weight)
# Adam scales the steps of rare letters, whose gradients are small, to be as large as those of the others
optimizer = optim.Adam(scores.parameters(), lr=1.0)
for step in range(steps):
    loss = nn.cross_entropy(scores(before), after)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 40 == 0 or step == steps - 1:
        print(f"step {step + 1:4}      loss {loss.data:.4f}")
learned = softmax(scores.weight, axis=1).data

print(f"\nthe largest difference between two probabilities: {abs(learned - counted).max():.6f}")
for pair in ("an", "el", "th"):
    i, j = characters.encode(pair)
    print(f"  {pair[1]} after {pair[0]}: counted {counted[i, j]:.4f}, learned {learned[i, j]:.4f}")
