"""The public names of `adjoint.optim`, each written once."""

from . import lr_scheduler as lr_scheduler
from .adadelta import Adadelta as Adadelta
from .adagrad import Adagrad as Adagrad
from .adam import Adam as Adam, AdamW as AdamW
from .adam_variants import Adamax as Adamax, NAdam as NAdam, RAdam as RAdam
from .clipping import clip_grad_norm as clip_grad_norm, clip_grad_value as clip_grad_value
from .ema import EMA as EMA
from .lbfgs import LBFGS as LBFGS
from .lion import Lion as Lion
from .loss_scaling import LossScaler as LossScaler
from .more_schedules import (
    ChainedScheduler as ChainedScheduler,
    CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts,
    ExponentialLR as ExponentialLR,
    LambdaLR as LambdaLR,
    MultiStepLR as MultiStepLR,
    PolynomialLR as PolynomialLR,
)
from .muon import Muon as Muon
from .named_optimizers import OPTIMIZERS as OPTIMIZERS, make as make
from .optimizer import Optimizer as Optimizer
from .rmsprop import RMSprop as RMSprop
from .rprop import Rprop as Rprop
from .schedules import (
    ConstantLR as ConstantLR,
    CosineAnnealingLR as CosineAnnealingLR,
    LinearLR as LinearLR,
    OneCycleLR as OneCycleLR,
    ReduceLROnPlateau as ReduceLROnPlateau,
    Schedule as Schedule,
    SequentialLR as SequentialLR,
    StepLR as StepLR,
    WarmupLR as WarmupLR,
    rates_of as rates_of,
)
from .sgd import SGD as SGD
