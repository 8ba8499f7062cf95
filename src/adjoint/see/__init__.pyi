"""The public names of `adjoint.see`, each written once."""

from . import plots as plots
from .drawing.lookalikes import (
    is_lookalike as is_lookalike,
    lookalike_scene as lookalike_scene,
)
from .drawing.svg import scene_as_svg as scene_as_svg
from .drawing.text_trees import scene_as_text as scene_as_text
from .explanation.derivative_formulas import local_derivative as local_derivative
from .explanation.equations import (
    backward_mathml as backward_mathml,
    derivative_mathml as derivative_mathml,
    forward_mathml as forward_mathml,
    seed_mathml as seed_mathml,
)
from .explanation.groups import Groups as Groups
from .explanation.mathml import as_mathml as as_mathml, name_as_mathml as name_as_mathml
from .explanation.naming import names_of as names_of
from .explanation.narration import (
    SIGNS as SIGNS,
    as_document as as_document,
    backward_text as backward_text,
    forward_text as forward_text,
    number as number,
    seed_text as seed_text,
)
from .explanation.nodes import BackwardStep as BackwardStep, Node as Node, as_mathematics as as_mathematics
from .explanation.steps import Explanation as Explanation
from .explanation.summaries import as_json as as_json
from .expression import Expression as Expression, Statement as Statement
from .reasons.answers import Step as Step, Why as Why
