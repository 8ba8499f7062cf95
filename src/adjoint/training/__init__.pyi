"""The public names of `adjoint.training`, each written once."""

from .divergence import warn_of_divergence as warn_of_divergence
from .eager_steps import EagerStep as EagerStep, NotFinite as NotFinite
from .objectives import LOSSES as LOSSES, Objective as Objective
from .recipes import RECIPES as RECIPES, Recipe as Recipe
from .scalar_steps import ScalarStep as ScalarStep
