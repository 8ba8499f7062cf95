"""Questions on the ideas behind training: steps, layers, and what goes wrong."""

from adjoint_lab.rooms.quiz.topics.activations import ACTIVATIONS
from adjoint_lab.rooms.quiz.topics.mistakes import MISTAKES
from adjoint_lab.rooms.quiz.topics.networks import NETWORKS
from adjoint_lab.rooms.quiz.topics.updates import UPDATES

# --- steps ---

UPDATES.concept(
    "order-of-a-step",
    1,
    3,
    prompt="In which order does a training step do its work?",
    right="forward, zero_grad, backward, update",
    because="backward() needs the loss and clean gradients, and the update needs the gradients of this loss.",
    wrong={
        "forward, backward, zero_grad, update": "The update would find gradients of zero.",
        "zero_grad, backward, forward, update": "backward() starts at the loss, which the forward pass computes.",
        "forward, update, zero_grad, backward": "The update would use the gradients of the step before.",
        "backward, forward, update, zero_grad": "backward() starts at the loss, which the forward pass computes.",
    },
)

UPDATES.concept(
    "why-subtract",
    1,
    2,
    prompt="Why does gradient descent subtract the gradient from a weight?",
    right="The loss grows fastest in the direction of the gradient",
    because="A positive gradient means that a larger weight gives a larger loss. So the weight has to move the other "
    "way.",
    wrong={
        "The gradient of a loss is negative until training ends": "It has either sign, depending on the side of the "
        "minimum.",
        "The weights of a network should become smaller over time": "Subtracting a negative gradient makes a weight "
        "larger.",
        "The chain rule computes gradients with reversed signs": "Its signs are correct: the gradient points uphill.",
        "The learning rate is a negative number by convention": "It is positive. The minus sign is part of the update.",
    },
)

NETWORKS.concept(
    "why-activation",
    2,
    4,
    prompt="Why is there an activation such as tanh between two linear layers?",
    right="Without it, both layers together are one linear layer",
    because="A linear function of a linear function is linear. The activation makes curved boundaries possible.",
    wrong={
        "Without it, no gradient gets from one layer to the next": "Linear layers pass gradients on, too.",
        "Without it, the outputs of a layer could be negative": "Negative outputs do no harm; tanh has them as well.",
        "Without it, the neurons of a layer would stay all equal": "Different initial weights make neurons differ.",
        "Without it, the second layer would not need a bias term": "It could use one. But both layers would still be "
        "one linear function.",
    },
)

NETWORKS.concept(
    "why-hidden-layer",
    2,
    4,
    prompt="Why does XOR need a hidden layer?",
    right="No single line separates its two classes",
    because="One neuron has a straight boundary. A hidden layer bends the plane so that a line is enough.",
    wrong={
        "Four samples are too few for one neuron": "AND has four samples as well, and one neuron learns it.",
        "One neuron has no bias to move its boundary": "It has one. The boundary moves, but stays a line.",
        "Its inputs are equal in half of the samples": "So are those of AND, which one neuron learns.",
        "The gradient of one neuron is 0 at the start": "For almost all initial weights it is not. Training ends in a "
        "compromise.",
    },
)

ACTIVATIONS.concept(
    "dead-relu-stays",
    2,
    4,
    prompt="A ReLU outputs 0 for every sample. Why does training not revive it?",
    right="Its slope is 0 there, so its weights get no gradient",
    because="The chain rule multiplies by this slope. Without a gradient, no step changes the weights and the bias.",
    wrong={
        "Its weights are 0, and a product with 0 remains 0": "The weights need not be 0. Their sum with the bias is "
        "negative.",
        "Its output of 0 is the best one for these samples": "It is 0 whatever would be best: the neuron does not "
        "react.",
        "Its gradient is so large that each step misses it": "Its gradient is 0.",
        "Its bias is no parameter, and is not trained at all": "The bias is a parameter, but it gets no gradient "
        "either.",
    },
)

ACTIVATIONS.concept(
    "why-vanishing",
    3,
    5,
    prompt="Why do gradients vanish in a deep network of sigmoids?",
    right="Each layer multiplies them by a slope of at most 1/4",
    because="With weights of ordinary size, ten such layers leave less than a millionth: 1/4 to the power of 10.",
    wrong={
        "Each layer subtracts a part of them for its weights": "Layers multiply gradients. The gradients of the "
        "weights are computed beside, and nothing is taken away.",
        "Each layer passes them on to just one of its inputs": "A layer passes gradients to all of its inputs.",
        "Each layer rounds them to a smaller number of digits": "Floats keep their relative precision. The factors "
        "make the numbers small.",
        "Each layer divides them by the number of its neurons": "There is no such division; the slope of the sigmoid "
        "is the factor.",
    },
)

# --- mistakes ---

MISTAKES.concept(
    "why-zero",
    1,
    3,
    prompt="Why are the gradients set to zero before each backward pass?",
    right="backward() adds to them, so old ones would remain in them",
    because="Without it, each step also repeats the gradients of earlier weights. This can spoil training, or go "
    "unnoticed.",
    wrong={
        "backward() leaves out parameters whose gradients are not 0": "It does not look at them. It adds to whatever "
        "is there.",
        "An optimizer looks for parameters whose gradients are 0": "It updates all of its parameters by their "
        "gradients.",
        "The gradients of the last step take up too much memory": "Zeros take up as much. It is about the sum.",
        "The loss would be computed with gradients of older steps": "The loss is computed from the weights. Gradients "
        "play no part in it.",
    },
)

MISTAKES.concept(
    "rate-far-too-large",
    1,
    3,
    prompt="What does a learning rate do that is far too large?",
    right="Steps jump across the minimum, and the loss can grow",
    because="The gradient is the slope at one point. A long step lands where the slope is different, often steeper.",
    wrong={
        "Steps reach the same minimum, after a shorter time": "Up to some rate that is true. Beyond it, steps jump "
        "across the minimum.",
        "Steps end in the closest minimum and get stuck there": "That is more likely with a small rate.",
        "Steps get smaller and smaller until training stands": "Steps are proportional to the rate: they get larger.",
        "Steps follow single samples and learn them by heart": "That is overfitting, which has other causes.",
    },
)

MISTAKES.concept(
    "second-backward",
    2,
    4,
    prompt="In adjoint, backward() is called twice on the same loss before a step of SGD. What happens?",
    right="The gradients double, and the step is twice as long",
    because="Each pass adds the same gradients. PyTorch raises an error, unless the first pass has retain_graph=True.",
    wrong={
        "The second pass does nothing, as all gradients exist": "It does not check. It adds the same gradients again.",
        "The second pass replaces the gradients by equal ones": "backward() adds and does not replace.",
        "The second derivative is added to the first derivative": "For second derivatives the gradients themselves "
        "have to be recorded.",
        "The gradients are squared, and the step is quite short": "The passes are added, not multiplied.",
    },
)

MISTAKES.concept(
    "kept-graph",
    3,
    5,
    prompt="The loss is computed once, before the loop, and every step calls its backward(). What goes wrong?",
    right="Every step repeats the gradient at the first weights",
    because="A graph keeps the numbers with which it was computed. The loss has to be computed again in every step.",
    wrong={
        "Every step uses the gradient of the step before it": "The graph is still that of the first step.",
        "Every step after the first one has gradients of zero": "The same graph gives the same gradients again.",
        "Every step adds a copy of the network to the graph": "The graph is not extended: nothing is computed anew.",
        "Every step moves the weights in a random direction": "The direction is not random: it is the same one "
        "forever.",
    },
)

MISTAKES.concept(
    "equal-weights-harm",
    2,
    4,
    prompt="All weights of a network start with the same number. Why is that a problem?",
    right="The neurons of a layer get equal gradients and stay equal",
    because="A layer of eight equal neurons can do no more than a layer of one. Random weights break the symmetry.",
    wrong={
        "The gradients of all layers are 0, and nothing is learned": "That happens if all weights are 0. Equal weights "
        "get gradients, but equal ones.",
        "The outputs of a layer cancel each other, and are all 0": "Equal outputs add up.",
        "The learning rate would have to differ between neurons": "Rates are not to blame: equal neurons cannot become "
        "different.",
        "The loss of such a network is infinite at the beginning": "The loss is finite. It falls, and then stays too "
        "large.",
    },
)
