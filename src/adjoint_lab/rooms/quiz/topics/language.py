"""Questions on language models: bigrams, the loss of guessing, attention."""

import math
from random import Random

from adjoint.see import number
from adjoint_lab.rooms.quiz.questions import NumberQuestion, Question, Wrong
from adjoint_lab.rooms.quiz.templates import Subject

LANGUAGE = Subject("language", "Language models")


@LANGUAGE("loss-of-guessing", 1, 3)
def loss_of_guessing(rng: Random, level: int) -> Question:
    count = rng.randint(3, 30) if level == 1 else rng.choice([27, *range(31, 128)])
    loss = math.log(count)
    return NumberQuestion(
        prompt=f"A model gives each of {count} symbols the same probability. What is its cross-entropy?",
        answer=loss,
        decimals=2,
        because="Each symbol has the probability 1/n, and the cross-entropy is −log(1/n) = log(n). An untrained model "
        "should start near this loss.",
        steps=[f"log({count}) = {number(round(loss, 4))}"],
        given={"n": float(count)},
        wrong=[
            Wrong(1 / count, "That is the probability of a symbol. The loss is its negative logarithm."),
            Wrong(-loss, "A cross-entropy is not negative: it is minus the logarithm of a probability."),
            Wrong(math.log2(count), "That is the loss in bits. Cross-entropy uses the natural logarithm."),
            Wrong(math.log10(count), "Cross-entropy uses the natural logarithm, not that to base 10."),
            Wrong(1 - 1 / count, "That is the probability of a wrong guess."),
        ],
    )


LANGUAGE.concept(
    "bigram-frequencies",
    1,
    4,
    prompt="A bigram model is trained by gradients until its loss no longer falls. What do its probabilities approach?",
    right="The relative frequencies of pairs in the text",
    because="Cross-entropy is smallest where the probabilities equal the relative frequencies. Counting gives the "
    "same.",
    wrong={
        "The same probability for all pairs of letters": "That is the model before it has seen any text.",
        "A probability of 1 for the most frequent pair": "Other pairs occur as well, and would then cost an infinite "
        "loss.",
        "The frequencies of single letters in the text": "A bigram model sees the letter before, and uses it.",
        "The frequencies of pairs in the whole language": "It has seen the training text alone.",
    },
)

LANGUAGE.concept(
    "causal-mask",
    2,
    5,
    prompt="What is the mask of causal attention for?",
    right="A position must not see the letters that come after it",
    because="The model is to predict the next letter. If it could see that letter, it would copy it and learn nothing.",
    wrong={
        "A position must not see the letters far in front of it": "Distant letters before it may help, and are "
        "allowed.",
        "A position must not see its own letter, just the others": "Its own letter is known when the next one is "
        "predicted.",
        "A position must not see letters that are rare in texts": "The mask depends on positions, not on letters.",
        "A position must not see more letters than fit in a word": "The mask depends on positions. Words have no part "
        "in it.",
    },
)

LANGUAGE.concept(
    "scaled-scores",
    3,
    5,
    prompt="Why does attention divide its scores by √d, where d is the length of the keys?",
    right="Scores grow with d, and softmax would saturate",
    because="A sum of d random products has a standard deviation of √d. Where softmax saturates, gradients vanish.",
    wrong={
        "Scores add up to d, and a softmax needs a sum of 1": "softmax makes its results add up to 1 for any scores.",
        "Scores are sums of d terms, and must become means": "A mean would divide by d. The typical size grows with "
        "√d.",
        "Scores would be negative for long keys otherwise": "Dividing by a positive number does not change a sign.",
        "Scores of different heads would not be comparable": "Heads are not compared with each other.",
    },
)

LANGUAGE.concept(
    "attention-weights",
    2,
    4,
    prompt="What do the attention weights of a position say?",
    right="How much each visible position adds to its result",
    because="The result is a weighted mean of the values of the visible positions. The weights add up to 1.",
    wrong={
        "How likely each letter of the alphabet comes next": "That is the output of the whole model, one number per "
        "letter and not per position.",
        "How far away each of the visible positions is": "The weights depend on queries and keys, not on the distance "
        "alone.",
        "How often each letter has occurred in the text": "Counting is what a bigram model does.",
        "How large the gradient of each visible position is": "Weights belong to the forward pass.",
    },
)
