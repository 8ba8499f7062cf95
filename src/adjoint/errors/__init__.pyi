import weakref

from .given import (
    describe as describe,
)
from .guard_warnings import (
    collect_warnings as collect_warnings,
)
from .kinds import (
    AdjointError as AdjointError,
    AnomalyError as AnomalyError,
    ArgumentError as ArgumentError,
    ArrayError as ArrayError,
    ArrayIndexError as ArrayIndexError,
    CheckpointError as CheckpointError,
    ConversionError as ConversionError,
    CopyError as CopyError,
    CourseError as CourseError,
    DataError as DataError,
    ExpressionError as ExpressionError,
    FileError as FileError,
    GradientError as GradientError,
    GraphError as GraphError,
    LabError as LabError,
    LaunchError as LaunchError,
    LibraryError as LibraryError,
    MatrixError as MatrixError,
    MissingExtraError as MissingExtraError,
    MissingProgramError as MissingProgramError,
    MissingRuleError as MissingRuleError,
    NumberError as NumberError,
    NumberRangeError as NumberRangeError,
    OperandError as OperandError,
    OpError as OpError,
    ShapeError as ShapeError,
    StateError as StateError,
    TraceError as TraceError,
)
from .optional import (
    installed_numpy as installed_numpy,
    library as library,
)
from .suggest import (
    nearest as nearest,
    unknown_name_error as unknown_name_error,
)
from .warning_kinds import (
    AdjointWarning as AdjointWarning,
    AttentionFallbackWarning as AttentionFallbackWarning,
    CompiledResultWarning as CompiledResultWarning,
    DivergingLossWarning as DivergingLossWarning,
    HiddenLayersWarning as HiddenLayersWarning,
    IdentityComparisonWarning as IdentityComparisonWarning,
    InputScaleWarning as InputScaleWarning,
    LostUpdateWarning as LostUpdateWarning,
    MissingBackwardWarning as MissingBackwardWarning,
    MissingGradientWarning as MissingGradientWarning,
    MissingHistoryWarning as MissingHistoryWarning,
    MissingParameterWarning as MissingParameterWarning,
    NotFiniteLossWarning as NotFiniteLossWarning,
    OverwrittenGradientWarning as OverwrittenGradientWarning,
    PrecisionWarning as PrecisionWarning,
    ProbabilitiesAsScoresWarning as ProbabilitiesAsScoresWarning,
    RandomNumbersWarning as RandomNumbersWarning,
    RecompilationWarning as RecompilationWarning,
    SecondBackwardWarning as SecondBackwardWarning,
    StaleGradientWarning as StaleGradientWarning,
    StaleGraphWarning as StaleGraphWarning,
)

switched_on: set[weakref.ref]
