"""Questions on the ideas behind derivatives, graphs and the backward pass."""

from adjoint_lab.rooms.quiz.topics.activations import ACTIVATIONS
from adjoint_lab.rooms.quiz.topics.chain import CHAIN
from adjoint_lab.rooms.quiz.topics.meaning import MEANING
from adjoint_lab.rooms.quiz.topics.nodes import NODES

# --- derivatives ---

MEANING.concept(
    "derivative-meaning",
    1,
    2,
    prompt="The derivative of f at x is 14. What does that say?",
    right="A tiny change of x changes f(x) about 14 times as much",
    because="A derivative is the ratio of two changes: that of the result to that of the input, for a tiny change.",
    wrong={
        "The value of the function at x is 14 times as large as x": "That would be f(x) / x. A derivative compares "
        "changes, not values.",
        "A change of x by 1 changes f(x) by 14, wherever x is": "The derivative belongs to this x. Elsewhere the curve "
        "may be steeper or flatter, and a change of 1 is not tiny.",
        "The minimum of the function is about 14 units from x": "A derivative says how steep the curve is here, not "
        "how far away its minimum is.",
        "The largest value that f takes in the area of x is 14": "It says how fast f changes, not how large it is.",
    },
)

MEANING.concept(
    "zero-gradient",
    1,
    3,
    prompt="The gradient of a weight w is 0. What does that mean?",
    right="The loss is flat in w: a tiny change of w hardly changes it",
    because="A gradient of 0 says that the loss neither rises nor falls with w here. It does not say why.",
    wrong={
        "The weight w itself is 0, so that it adds nothing to the sum": "The gradient says nothing about the value of "
        "w. A weight of 5 can have a gradient of 0.",
        "The loss is 0 as well, and there is nothing left to learn": "The loss can be large where it is flat, for "
        "example behind a ReLU that is off.",
        "The network does not use w, and w can be removed from it": "w may matter for other inputs: a ReLU that is off "
        "now can be on for the next sample.",
        "The weight w has its best value, where the loss is smallest": "The loss is also flat at a maximum, on a "
        "plateau and behind a dead ReLU.",
    },
)

MEANING.concept(
    "central-differences",
    2,
    4,
    prompt="Why does a gradient check use (f(x + h) − f(x − h)) / (2·h) instead of (f(x + h) − f(x)) / h?",
    right="Its error shrinks with h², that of the other with h",
    because="On both sides of x the curve bends by the same amount, so that this part of the error cancels.",
    wrong={
        "It evaluates f less often, if there are many inputs": "It evaluates f more often: twice per input, where the "
        "other can use f(x) for all inputs.",
        "Its result is exact, however large the step h may be": "It is exact for parabolas. For other curves an error "
        "of the order of h² remains.",
        "It has no rounding error, because it divides by 2·h": "It subtracts two nearly equal numbers as well, so the "
        "rounding error remains.",
        "It gives the correct slope at a kink such as relu's": "At a kink it gives the average of both slopes, which "
        "is neither of them.",
    },
)

MEANING.concept(
    "step-of-a-check",
    2,
    4,
    prompt="Why should the step h of a gradient check not be extremely small?",
    right="f(x + h) and f(x − h) then agree in nearly all digits",
    because="Their difference is then mostly rounding error, and dividing by 2·h magnifies it. With an h that is too "
    "large the curvature matters; for 64-bit floats, about 1e-5 balances both.",
    wrong={
        "The division by such a tiny number would take too long": "The time of a division does not depend on the "
        "number.",
        "The check would then measure the second derivative of f": "The difference still approaches the first "
        "derivative.",
        "The curvature of f adds an error that grows as h shrinks": "The error due to curvature shrinks with h. The "
        "rounding error grows.",
        "The derivative becomes smaller and smaller along with h": "The change of f shrinks with h, but the ratio of "
        "both changes does not.",
    },
)

MEANING.concept(
    "check-passes",
    3,
    5,
    prompt="A gradient check passes at one random input. Which mistake can it have missed?",
    right="A rule that is wrong for inputs of the other sign",
    because="Central differences test every rule that the graph uses, but only at this input. Check several inputs, "
    "and compare with another implementation.",
    wrong={
        "A factor 2 that is missing from a rule it has used": "The numerical derivative does not use the rules, so it "
        "would differ by that factor.",
        "A path of the graph whose contribution was dropped": "The numerical derivative includes every path, so both "
        "would differ.",
        "A wrong sign in the rule of the graph's last node": "All gradients would have the wrong sign, and the check "
        "would fail.",
        "A node in the middle that passes no gradient back": "Everything behind that node would have too small a "
        "gradient, and the check would fail.",
    },
)

# --- the chain rule ---

CHAIN.concept(
    "chain-rule-purpose",
    1,
    2,
    prompt="What is the chain rule for in backpropagation?",
    right="To combine local derivatives into those of the whole graph",
    because="Every operation knows the derivative of its own result. The chain rule multiplies these along each path.",
    wrong={
        "To find the order in which the forward pass runs the nodes": "That order follows from the graph: operands "
        "come before results.",
        "To choose a learning rate at which the loss goes down fast": "It gives the direction. You choose the rate.",
        "To approximate derivatives by differences of function values": "Finite differences do not need it. The chain "
        "rule is exact.",
        "To keep the gradients of deep graphs from becoming too large": "It cannot: a product of many factors may "
        "explode or vanish.",
    },
)

CHAIN.concept(
    "paths-add-up",
    2,
    4,
    prompt="A value reaches the loss on two paths. How does the chain rule combine them?",
    right="Multiply the local derivatives along each path, then add both",
    because="Along a path, changes are scaled one after another. Changes that arrive on different paths add up.",
    wrong={
        "Add the local derivatives along each path, then multiply both": "It is the other way around: factors along a "
        "path, terms across paths.",
        "Multiply the local derivatives of both paths into one product": "The paths run side by side, not one after "
        "the other. Their results add up.",
        "Multiply the derivatives along each path, keep the larger one": "Both paths change the loss, so neither can "
        "be left out.",
        "Multiply the derivatives along each path, then take the mean": "Each path has its full effect, so the results "
        "are added and not averaged.",
    },
)

CHAIN.concept(
    "adjoint-meaning",
    2,
    4,
    prompt="What is the gradient, or adjoint, of a value v in the middle of a graph?",
    right="How fast the loss changes with v: ∂L/∂v",
    because="Backpropagation computes ∂L/∂v for every node v, from the loss to the inputs.",
    wrong={
        "How fast v changes with the loss: ∂v/∂L": "The loss is computed from v, not v from the loss.",
        "How fast v changes with the inputs: ∂v/∂x": "That is what forward mode carries along. The adjoint looks from "
        "v to the loss.",
        "How much of the value of L comes from v": "It is about changes. In L = a + b, a may be most of L, and both "
        "gradients are 1.",
        "How far v is from the value it should have": "It gives a direction and a slope, not a distance.",
    },
)

CHAIN.concept(
    "why-accumulate",
    1,
    3,
    prompt="Why do the rules of backward() add to a gradient with += instead of assigning it with =?",
    right="A value used several times gets a contribution from each use",
    because="With =, all contributions but the last are lost. With +=, they add up, as the chain rule demands.",
    wrong={
        "Adding to a number is faster than assigning a new one to it": "It is not faster. It is needed to keep earlier "
        "contributions.",
        "The gradients of several training steps are to be averaged": "zero_grad() removes the gradients of earlier "
        "steps. The sum is over the uses in one graph.",
        "An assignment would change the number of the operand as well": "data and grad are separate; assigning one "
        "does not change the other.",
        "A gradient has to grow from node to node on the way back": "Gradients may shrink or change sign on the way. "
        "Each node has its own.",
    },
)

# --- the graph ---

NODES.concept(
    "constants",
    1,
    3,
    prompt="Why does the engine compute no gradient for the 3 in y = 3·x?",
    right="Nothing would use it, as training does not change the 3",
    because="A gradient says how to change a number. A constant stays as it is, so the work can be saved.",
    wrong={
        "Its gradient is 0, because a constant does not change": "The loss does depend on this 3. Its gradient would "
        "be x times that of y.",
        "A product passes a gradient to one of its operands alone": "A product has two local derivatives. It would "
        "pass x times the gradient of y to the 3.",
        "The chain rule is for functions of a single variable": "It covers several variables, with one derivative for "
        "each.",
        "It is an integer, and derivatives need real numbers": "Written as 3.0, it would be treated in the same way.",
    },
)

NODES.concept(
    "remembered-operands",
    1,
    3,
    prompt="A Value remembers the operands it was computed from, in micrograd as _prev. What for?",
    right="backward() follows them from the result to the inputs",
    because="They are the edges of the graph. Without them, backward() would not know where to pass a gradient on to.",
    wrong={
        "The forward pass computes the result from them later": "The result is computed at once, when the operation "
        "runs.",
        "They protect the operands from being changed later on": "They do not: the data of an operand can still be "
        "assigned.",
        "They hold the gradients that flow back to this value": "Each value holds its gradient in grad. The operands "
        "say where it flows next.",
        "The optimizer finds the weights to be updated in them": "An optimizer gets a list of parameters, and does not "
        "need the graph.",
    },
)

NODES.concept(
    "reflected-product",
    1,
    2,
    prompt="a is a Value. Why does 2 * a need the method __rmul__?",
    right="An int does not know how to multiply itself by a Value",
    because="Python asks int first. It returns NotImplemented, so Python asks the right operand for __rmul__.",
    wrong={
        "A product with a constant has a different derivative": "The rule is the same one. Only the way in which "
        "Python finds it differs.",
        "A product depends on the order of both of its factors": "2·a and a·2 are equal. Python still has to find a "
        "method for each.",
        "Python evaluates the operands of * from right to left": "It evaluates them from left to right, and asks the "
        "left one first.",
        "A Value can be changed if it is on the left of a star": "Neither operand changes: the product is a new Value.",
    },
)

NODES.concept(
    "rule-of-a-product",
    1,
    3,
    prompt="What does the backward rule of y = a·b need to know?",
    right="The gradient of y, and the numbers a and b",
    because="a receives b·y.grad and b receives a·y.grad. All that happens after y is contained in y.grad.",
    wrong={
        "The gradient of y, and all nodes behind y": "What happens behind y is already contained in its gradient.",
        "The value of the loss, and the number y": "The value of the loss is not needed, only the gradient of y.",
        "The gradients that a and b had before it": "It adds to them, but does not need them to compute its part.",
        "The number y, and the operands of a and b": "A rule is local: what a and b were computed from does not "
        "matter.",
    },
)

NODES.concept(
    "order-guarantee",
    2,
    4,
    prompt="What must the order of a backward pass guarantee?",
    right="A node comes after all nodes that use it",
    because="Only then has it received all contributions to its gradient, and can pass the sum on.",
    wrong={
        "A node comes after all of its own operands": "That is the order of the forward pass, the other way around.",
        "A node comes right after one that uses it": "One is not enough: other users may still add to its gradient.",
        "Nodes come in the order of their creation": "In that order the inputs come first, before any gradient has "
        "arrived.",
        "Leaves come before the nodes in the middle": "A leaf receives its gradient from the nodes in the middle, so "
        "it comes after them.",
    },
)

NODES.concept(
    "too-early",
    2,
    4,
    prompt="What goes wrong if a node passes its gradient on before all of its users have been visited?",
    right="It passes on a sum in which some parts are missing",
    because="Parts that arrive later stay in the node itself, and everything before it gets too little.",
    wrong={
        "It passes on a value that has not been computed yet": "All values were computed in the forward pass.",
        "It passes on its local derivative of an older step": "Local derivatives belong to this graph, and are "
        "complete.",
        "It passes on the sum, but with the opposite sign": "Signs come from the local derivatives, not from the "
        "order.",
        "It passes on the same sum once more for each user": "Each node is visited once. The sum itself is incomplete.",
    },
)

NODES.concept(
    "seed-gradient",
    1,
    2,
    prompt="Why does backward() start with a gradient of 1 at the loss L?",
    right="L changes exactly as much as L itself: ∂L/∂L = 1",
    because="The chain rule multiplies this 1 by all local derivatives. With 0 in its place, all gradients would be 0.",
    wrong={
        "L is divided by its value, so that it starts at 1": "Nothing is divided. The value of L does not matter here.",
        "L is a mean, and the weights of a mean add up to 1": "It is 1 for every L, a sum or a product as well.",
        "A learning rate of 1 holds until an optimizer runs": "The learning rate is no part of the backward pass.",
        "All gradients of a graph add up to 1 in the end": "They do not add up to anything in particular.",
    },
)

NODES.concept(
    "visited-set",
    2,
    4,
    prompt="Why does a topological sort remember which nodes it has visited?",
    right="A value that is used twice would otherwise come twice",
    because="It would then pass its gradient on twice. With many shared values, the sort would also take exponential "
    "time.",
    wrong={
        "A graph may have cycles, in which it would never end": "A graph of Values has no cycles: operands exist "
        "before their results.",
        "A leaf has no operands, and would be left out of it": "A leaf is found as the operand of another node.",
        "A node that was visited needs its gradient set to 0": "Sorting does not touch gradients.",
        "A node could otherwise be confused with an equal one": "Nodes are told apart by identity, not by their "
        "numbers.",
    },
)

ACTIVATIONS.concept(
    "slope-from-result",
    2,
    3,
    prompt="The rule for y = tanh(x) multiplies by 1 − y². Why is it written with y, and not with x?",
    right="y is known, so tanh does not have to be computed again",
    because="1 − tanh(x)² is the same number. The forward pass has already computed tanh(x): it is y.",
    wrong={
        "The slope of tanh depends on y and does not depend on x": "y is a function of x, so it depends on both. They "
        "are two ways to write the same slope.",
        "The gradient comes from y, so a rule can use y alone": "A rule may use operands as well; that of a product "
        "does.",
        "Written with x, the derivative would be another number": "1 − tanh(x)² is the same number.",
        "The number x is lost after the forward pass is over": "x is the operand, which the graph keeps.",
    },
)
