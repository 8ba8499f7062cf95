"""Questions on the ideas behind classes, arrays and the modes of differentiation."""

from adjoint_lab.rooms.quiz.topics.activations import ACTIVATIONS
from adjoint_lab.rooms.quiz.topics.arrays import ARRAYS

ACTIVATIONS.concept(
    "softmax-maximum",
    3,
    5,
    prompt="Why does softmax first subtract the largest logit from all logits?",
    right="exp() could overflow, and the result stays the same",
    because="exp(z − m) = exp(z) / exp(m), and the factor cancels in the division. The largest exponent is then 0.",
    wrong={
        "The largest probability becomes exactly 1 by that": "exp of the largest becomes 1, before the division by the "
        "sum.",
        "The probabilities would otherwise not add up to 1": "The division by their sum takes care of that.",
        "The gradients of all the other classes become zero": "The result does not change, so the gradients do not "
        "either.",
        "The logits have to be negative to be probabilities": "Logits may have any sign; exp makes them positive.",
    },
)

ACTIVATIONS.concept(
    "p-minus-y",
    3,
    5,
    prompt="The gradient of the cross-entropy with respect to the logits is p − y. What follows for a training step?",
    right="Logits with too much probability go down, others go up",
    because="y is 1 for the correct class and 0 for the others. p − y is the excess of probability, and a step "
    "subtracts it.",
    wrong={
        "The logit of the correct class changes, and no others": "The others have the gradient p, which is not 0.",
        "The logits stop changing once the largest is correct": "They change until p equals y, which takes large "
        "differences of the logits.",
        "Logits of sure predictions change most, right or wrong": "If a sure prediction is correct, p is close to y, "
        "and the gradient is small.",
        "Logits of the least likely classes go down the most": "They have the smallest p, and so the smallest "
        "gradient.",
    },
)

ACTIVATIONS.concept(
    "cross-entropy-meaning",
    2,
    4,
    prompt="The correct class has the probability p. What is the cross-entropy of this sample?",
    right="−log(p): 0 for p = 1, and large for a small p",
    because="It is the surprise about the correct class: 0 if it was certain, and without bound as p goes to 0.",
    wrong={
        "1 − p: 0 for p = 1, and close to 1 for a small p": "That is the expected error rate. Cross-entropy uses the "
        "logarithm.",
        "log(p): 0 for p = 1, and negative for a small p": "The sign is missing: a loss should be smallest for p = 1.",
        "(1 − p)²: 0 for p = 1, close to 1 for a small p": "That is a squared error.",
        "−p·log(p): 0 for p = 1, and also 0 for p = 0": "The weight is y and not p: it is 1 for the correct class.",
    },
)

ARRAYS.concept(
    "why-reverse-mode",
    2,
    5,
    prompt="A loss depends on 1,000 weights. Why is its gradient computed in reverse mode?",
    right="One backward pass gives all of the 1,000 derivatives",
    because="Forward mode carries the derivatives for one input along, so it would need 1,000 passes.",
    wrong={
        "One forward pass gives them as well, but less exactly": "Both modes are exact. A forward pass gives the "
        "derivatives for one input.",
        "Forward mode would need differences of the loss values": "Forward mode applies the chain rule, too, from the "
        "inputs on.",
        "Forward mode works for functions of one variable alone": "It works for any number, with a pass for each.",
        "Reverse mode does not have to store any other numbers": "The opposite is true: it keeps the numbers of the "
        "forward pass.",
    },
)

ARRAYS.concept(
    "forward-mode-shape",
    3,
    5,
    prompt="All derivatives of all outputs are needed. For which function is forward mode much cheaper?",
    right="1 input and 1,000 outputs",
    because="Forward mode needs a pass per input, and reverse mode a pass per output.",
    wrong={
        "1,000 inputs and 1 output": "That is the shape of a loss: one backward pass is enough, and forward mode needs "
        "1,000.",
        "1,000 inputs and 2 outputs": "Two backward passes are enough, and forward mode needs 1,000.",
        "500 inputs and 500 outputs": "Both modes need 500 passes.",
        "900 inputs and 30 outputs": "30 backward passes are enough, and forward mode needs 900.",
    },
)

ARRAYS.concept(
    "why-unbroadcast",
    2,
    4,
    prompt="A bias of shape (3,) is added to an array of shape (5, 3). Why is its gradient a sum over the rows?",
    right="It is used in every row, and contributions add up",
    because="Broadcasting is a use in five places. As for any value that is used several times, the contributions add "
    "up.",
    wrong={
        "The bias was summed over the rows by broadcasting": "Broadcasting copied it to each row, without a sum.",
        "The loss is a sum over rows, not a mean over rows": "The rule is the same for every loss. A mean is already "
        "contained in the incoming gradient.",
        "The rows of the incoming gradient are equal anyway": "They differ from sample to sample.",
        "The largest row would be too large without others": "Nothing is limited here: every row counts.",
    },
)

ARRAYS.concept(
    "why-arrays-are-fast",
    2,
    4,
    prompt="Why is a network on arrays so much faster than one of single Values?",
    right="A few nodes per layer replace thousands of single ones",
    because="The arithmetic is the same. Creating a node and visiting it in Python costs far more than one "
    "multiplication.",
    wrong={
        "Arrays store their numbers with fewer digits than Values": "In float64 they have the same digits and are "
        "still faster.",
        "Arrays need no graph, so that backward() has less to do": "They have a graph, but a small one.",
        "Arrays use approximate rules in place of the chain rule": "The rules are exact, with matrices in place of "
        "numbers.",
        "Arrays leave out all multiplications by a weight of zero": "They multiply all of them.",
    },
)
