"""A bigram model of names, once by counting and once by gradients: the same model.

    python examples/bigram.py

Which letter follows which? To count all 3764 pairs in 558 names gives a table of probabilities; its loss, the mean
surprise at the next letter, is 2.3143. A table of 27 by 27 scores that is trained on the cross-entropy has never heard
of counting. It begins at log 27 = 3.2958, knowing nothing; after 200 steps its loss is 2.3143, and no probability is
further than a ten-thousandth from that of the counts.
"""

import argparse

import numpy as np

from adjoint import data, nn, optim, softmax

parser = argparse.ArgumentParser(description="Learn which letter follows which, by counting and by gradients.")
parser.add_argument("--steps", type=int, default=200, help="steps of training (default: 200)")
steps = parser.parse_args().steps

names = data.names()
characters = data.Characters(names)
inputs, after = characters.windows(names, context=1)  # all pairs; the number 0 begins a name and ends it
before, size = inputs[:, 0], len(characters)

counts = np.zeros((size, size))
np.add.at(counts, (before, after), 1)
counted = counts / counts.sum(axis=1, keepdims=True)
print(f"by counting    loss {-np.log(counted[before, after]).mean():.4f}")

scores = nn.Embedding(size, size)  # for each letter a row: the scores of those that may follow
nn.init.zeros(scores.weight)
optimizer = optim.Adam(
    scores.parameters(), lr=1.0
)  # gives rare letters, whose gradients are small, steps as large as the others'
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
