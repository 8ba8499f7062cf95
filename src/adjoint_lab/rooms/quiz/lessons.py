"""The questions of each lesson of the course."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LessonQuestions:
    """The templates of a lesson, by name."""

    name: str
    title: str
    templates: tuple[str, ...]


LESSONS = (
    LessonQuestions(
        "nudge",
        "Nudge",
        ("derivative-meaning", "nudge", "sign-of-gradient", "zero-gradient", "flat-spot", "matters-most",
         "step-of-a-check", "nudge-gap"),
    ),
    LessonQuestions(
        "chain_rule",
        "The chain rule by hand",
        ("chain-rule-purpose", "paths-add-up", "adjoint-meaning", "chain-product", "chain-sum-product", "chain-square",
         "chain-power", "chain-deep", "tanh-slope", "no-influence"),
    ),
    LessonQuestions(
        "remember",
        "Value I: remember",
        ("remembered-operands", "reflected-product", "constants", "forward-value", "forward-order", "which-expression"),
    ),
    LessonQuestions(
        "local_rules",
        "Value II: local rules",
        ("why-accumulate", "rule-of-a-product", "slope-from-result", "local-derivative", "contribution",
         "derivative-formula", "used-twice", "self-product", "relu-sides", "chain-division", "chain-exp"),
    ),
    LessonQuestions(
        "backward",
        "backward()",
        ("order-guarantee", "too-early", "seed-gradient", "visited-set", "root-gradient", "backward-order",
         "visited-next", "diamond"),
    ),
    LessonQuestions(
        "checking",
        "Is it right?",
        ("central-differences", "step-of-a-check", "check-passes", "nudge", "nudge-gap", "local-derivative",
         "derivative-formula"),
    ),
    LessonQuestions(
        "network",
        "Neuron, layer, network, loop",
        ("order-of-a-step", "why-subtract", "why-activation", "count-parameters", "neuron-output", "neuron-gradient",
         "linear-layers", "sgd-step", "moves-loss-down"),
    ),
    LessonQuestions("mistakes", "What goes wrong", ()),  # all questions of the topic
    LessonQuestions(
        "xor",
        "XOR, ReLU, sigmoid",
        ("why-hidden-layer", "xor-one-neuron", "one-neuron-tables", "dead-relu-stays", "why-vanishing", "relu-sides",
         "sigmoid-slope", "dead-relu", "vanishing-chain", "off-or-on"),
    ),
    LessonQuestions(
        "classes",
        "Classes",
        ("softmax-maximum", "p-minus-y", "cross-entropy-meaning", "softmax-cross-entropy", "chain-log", "chain-exp"),
    ),
    LessonQuestions(
        "speed",
        "A thousand times faster",
        ("why-reverse-mode", "forward-mode-shape", "why-unbroadcast", "why-arrays-are-fast", "matmul-shape",
         "which-product", "bias-gradient", "weight-entry"),
    ),
    LessonQuestions(
        "gpt",
        "From pairs of letters to a GPT",
        ("loss-of-guessing", "bigram-frequencies", "causal-mask", "scaled-scores", "attention-weights",
         "softmax-maximum", "cross-entropy-meaning"),
    ),
)  # fmt: skip
