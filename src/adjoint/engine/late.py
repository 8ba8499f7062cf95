"""What lower layers need from higher ones, by name. `bindings.install` binds the names when adjoint is imported.

So imports point downward everywhere, and `import adjoint` loads neither NumPy nor the drawings: a function in
`bindings.py` imports its layer when it is first called.
"""

import os
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjoint.engine.rule import Op
    from adjoint.engine.value import Value

# engine -> its own higher files
value: Callable[[], ModuleType]
row_doc: "Callable[[Op], str | None]"
rule_as_text: "Callable[[Op], str]"
# engine -> arrays
tensor: Callable[[], ModuleType]
class_for: Callable[[object], type | None]
compute: "Callable[[Op, Sequence], object]"
number_like: Callable[[float, Sequence], object]
array_contributions: "Callable[[Value, object, bool], list]"
array_ufunc: Callable[..., object]
array_function: Callable[..., object]
float64: Callable[[], object]
copying: Callable[[], ModuleType]
# arrays -> operations on arrays that are made of others
astype: Callable[[Any, Any], Any]
take_along_axis: Callable[[Any, Any, int], Any]
nuclear_norm: Callable[..., Any]
# arrays -> compat
torch_functions: Callable[[], ModuleType]
# data, nn -> files
write_file: Callable[[str | os.PathLike, bytes], None]
gpt2_files: Callable[[], ModuleType]
# engine, compile, nn, training -> see, adjoint_lab
mimebundle: Callable[..., dict[str, str]]
rich_text: Callable[[Any], object]
explore: Callable[[Any], Any]
module_drawing: Callable[[], ModuleType]
history_plots: Callable[[], ModuleType]
plot_loss: Callable[..., Any]
