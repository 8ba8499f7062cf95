"""Operations on shapes, for `adjoint check`."""

import adjoint
from adjoint.cli.checks import Groups

GROUPS: Groups = {
    "shapes": {
        "reshape": lambda x: adjoint.reshape(x, (2, 6)),
        "transpose": lambda x: x.T,
        "matrix_transpose": lambda x: adjoint.matrix_transpose(x),
        "swapaxes": lambda x: adjoint.swapaxes(x, 0, 1),
        "flatten": lambda x: adjoint.flatten(x),
        "astype": lambda x: adjoint.astype(x, "float64"),
        "moveaxis": lambda x: adjoint.moveaxis(x, 0, 1),
        "squeeze": lambda x: adjoint.squeeze(x[:1], 0),
        "expand_dims": lambda x: adjoint.expand_dims(x, 1),
        "broadcast_to": lambda x: adjoint.broadcast_to(x, (2, 3, 4)),
        "flip": lambda x: adjoint.flip(x, axis=0),
        "roll": lambda x: adjoint.roll(x, 1, axis=1),
        "repeat": lambda x: adjoint.repeat(x, 2, axis=0),
        "tile": lambda x: adjoint.tile(x, (2, 1)),
        "pad": lambda x: adjoint.pad(x, 1),
        "concat": lambda x: adjoint.concat([x, x * 2.0], axis=0),
        "stack": lambda x: adjoint.stack([x, x * x]),
        "permute": lambda x: adjoint.permute(x, 1, 0),
        "chunk": lambda x: adjoint.chunk(x, 2, 1)[1],
        "index_select": lambda x: adjoint.index_select(x, 1, [3, 0, 3]),
        "clone": lambda x: adjoint.clone(x),
        "split": lambda x: adjoint.split(x, 2, axis=1)[1],
    },
}
