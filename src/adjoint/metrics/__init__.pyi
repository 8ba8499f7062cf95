"""The public names of `adjoint.metrics`, each written once."""

from .batches import MeanOfBatches as MeanOfBatches, mean_of_batches as mean_of_batches
from .classification import (
    accuracy as accuracy,
    confusion_matrix as confusion_matrix,
    f1 as f1,
    precision as precision,
    recall as recall,
)
from .ranking import auc as auc, top_k as top_k
from .regression import mae as mae, mse as mse, r2 as r2, rmse as rmse
