"""The public names of `adjoint.nn`, each written once."""

from . import functional as functional, init as init
from .activation_layers import (
    CELU as CELU,
    ELU as ELU,
    GELU as GELU,
    GLU as GLU,
    SELU as SELU,
    Hardshrink as Hardshrink,
    Hardsigmoid as Hardsigmoid,
    Hardswish as Hardswish,
    Hardtanh as Hardtanh,
    Identity as Identity,
    LeakyReLU as LeakyReLU,
    LogSigmoid as LogSigmoid,
    LogSoftmax as LogSoftmax,
    Mish as Mish,
    PReLU as PReLU,
    ReLU as ReLU,
    ReLU6 as ReLU6,
    Sigmoid as Sigmoid,
    SiLU as SiLU,
    Softmax as Softmax,
    Softmax2d as Softmax2d,
    Softmin as Softmin,
    Softplus as Softplus,
    Softshrink as Softshrink,
    Softsign as Softsign,
    Tanh as Tanh,
    Tanhshrink as Tanhshrink,
    Threshold as Threshold,
    activation as activation,
)
from .alignments import (
    ctc as ctc,
)
from .attention_layers import (
    Attention as Attention,
    TransformerBlock as TransformerBlock,
)
from .containers import (
    ModuleDict as ModuleDict,
    ModuleList as ModuleList,
    Parameter as Parameter,
    ParameterDict as ParameterDict,
    ParameterList as ParameterList,
)
from .convolutions import (
    Conv1d as Conv1d,
    Conv2d as Conv2d,
    Conv3d as Conv3d,
    ConvTranspose1d as ConvTranspose1d,
    ConvTranspose2d as ConvTranspose2d,
    ConvTranspose3d as ConvTranspose3d,
)
from .criteria import (
    BCELoss as BCELoss,
    BCEWithLogitsLoss as BCEWithLogitsLoss,
    CosineEmbeddingLoss as CosineEmbeddingLoss,
    CrossEntropyLoss as CrossEntropyLoss,
    CTCLoss as CTCLoss,
    FocalLoss as FocalLoss,
    GaussianNLLLoss as GaussianNLLLoss,
    HingeEmbeddingLoss as HingeEmbeddingLoss,
    HingeLoss as HingeLoss,
    HuberLoss as HuberLoss,
    KLDivLoss as KLDivLoss,
    L1Loss as L1Loss,
    MarginRankingLoss as MarginRankingLoss,
    MSELoss as MSELoss,
    MultiLabelMarginLoss as MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss,
    MultiMarginLoss as MultiMarginLoss,
    NLLLoss as NLLLoss,
    PoissonNLLLoss as PoissonNLLLoss,
    SmoothL1Loss as SmoothL1Loss,
    SoftMarginLoss as SoftMarginLoss,
    TripletMarginLoss as TripletMarginLoss,
)
from .diagnosis import (
    diagnose as diagnose,
)
from .dropouts import (
    AlphaDropout as AlphaDropout,
    Dropout as Dropout,
    Dropout1d as Dropout1d,
    Dropout2d as Dropout2d,
    Dropout3d as Dropout3d,
)
from .embeddings import (
    Embedding as Embedding,
    EmbeddingBag as EmbeddingBag,
)
from .functional_calls import (
    functional_call as functional_call,
)
from .gpt import (
    GPT as GPT,
)
from .layers import Linear as Linear
from .likelihood_losses import (
    focal as focal,
    gaussian_nll as gaussian_nll,
    poisson_nll as poisson_nll,
)
from .losses import (
    binary_cross_entropy as binary_cross_entropy,
    binary_cross_entropy_with_logits as binary_cross_entropy_with_logits,
    cross_entropy as cross_entropy,
    hinge as hinge,
    huber as huber,
    kl_div as kl_div,
    l1 as l1,
    mse as mse,
    nll as nll,
    smooth_l1 as smooth_l1,
)
from .margin_losses import (
    cosine_embedding as cosine_embedding,
    hinge_embedding as hinge_embedding,
    margin_ranking as margin_ranking,
    multi_margin as multi_margin,
    multilabel_margin as multilabel_margin,
    multilabel_soft_margin as multilabel_soft_margin,
    soft_margin as soft_margin,
    triplet_margin as triplet_margin,
)
from .module import (
    Module as Module,
)
from .multihead_attention import (
    MultiheadAttention as MultiheadAttention,
    TransformerEncoderLayer as TransformerEncoderLayer,
)
from .normalization_layers import (
    BatchNorm1d as BatchNorm1d,
    BatchNorm2d as BatchNorm2d,
    BatchNorm3d as BatchNorm3d,
    GroupNorm as GroupNorm,
    InstanceNorm1d as InstanceNorm1d,
    InstanceNorm2d as InstanceNorm2d,
    InstanceNorm3d as InstanceNorm3d,
    LayerNorm as LayerNorm,
    LocalResponseNorm as LocalResponseNorm,
    RMSNorm as RMSNorm,
)
from .paddings import (
    CircularPad1d as CircularPad1d,
    CircularPad2d as CircularPad2d,
    CircularPad3d as CircularPad3d,
    ConstantPad1d as ConstantPad1d,
    ConstantPad2d as ConstantPad2d,
    ConstantPad3d as ConstantPad3d,
    ReflectionPad1d as ReflectionPad1d,
    ReflectionPad2d as ReflectionPad2d,
    ReflectionPad3d as ReflectionPad3d,
    ReplicationPad1d as ReplicationPad1d,
    ReplicationPad2d as ReplicationPad2d,
    ReplicationPad3d as ReplicationPad3d,
    ZeroPad1d as ZeroPad1d,
    ZeroPad2d as ZeroPad2d,
    ZeroPad3d as ZeroPad3d,
)
from .pairs import (
    Bilinear as Bilinear,
    CosineSimilarity as CosineSimilarity,
    PairwiseDistance as PairwiseDistance,
)
from .pools import (
    AdaptiveAvgPool1d as AdaptiveAvgPool1d,
    AdaptiveAvgPool2d as AdaptiveAvgPool2d,
    AdaptiveAvgPool3d as AdaptiveAvgPool3d,
    AdaptiveMaxPool1d as AdaptiveMaxPool1d,
    AdaptiveMaxPool2d as AdaptiveMaxPool2d,
    AdaptiveMaxPool3d as AdaptiveMaxPool3d,
    AvgPool1d as AvgPool1d,
    AvgPool2d as AvgPool2d,
    AvgPool3d as AvgPool3d,
    Fold as Fold,
    LPPool1d as LPPool1d,
    LPPool2d as LPPool2d,
    LPPool3d as LPPool3d,
    MaxPool1d as MaxPool1d,
    MaxPool2d as MaxPool2d,
    MaxPool3d as MaxPool3d,
    PixelShuffle as PixelShuffle,
    PixelUnshuffle as PixelUnshuffle,
    Unfold as Unfold,
    Upsample as Upsample,
)
from .recurrent import (
    GRU as GRU,
    LSTM as LSTM,
    RNN as RNN,
    GRUCell as GRUCell,
    LSTMCell as LSTMCell,
    RNNCell as RNNCell,
)
from .scalar import (
    ACTIVATIONS as ACTIVATIONS,
    MLP as MLP,
    Layer as Layer,
    Neuron as Neuron,
)
from .sequential import (
    Sequential as Sequential,
)
from .shape_layers import Flatten as Flatten, Unflatten as Unflatten
