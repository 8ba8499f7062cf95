"""Layers and containers under PyTorch's names: the same state_dict, outputs and gradients as in `torch.nn`."""

import numpy as np
import pytest
import torch
from closeness import require_close

from adjoint import Value, nn
from adjoint.errors import AdjointError

RNG = np.random.default_rng(0)
X, Y, Z = RNG.normal(size=(4, 3)), RNG.normal(size=(4, 5)), RNG.normal(size=(4, 3))
SEQUENCE, IMAGE, VOLUME = RNG.normal(size=(2, 3, 5)), RNG.normal(size=(2, 3, 4, 5)), RNG.normal(size=(1, 2, 3, 4, 3))
QUERY, KEY = RNG.normal(size=(2, 5, 4)), RNG.normal(size=(2, 6, 4))
PADDING = np.array([[False] * 6, [False] * 4 + [True] * 2])
CAUSAL, CAUSAL6 = np.triu(np.ones((5, 6), bool), 1), np.triu(np.ones((6, 6), bool), 1)
PER_HEAD = np.where(RNG.random((4, 5, 6)) > 0.7, -2.0, 0.0)
INDICES = np.array([[1, 2, 2], [0, 5, 3]])

CASES = [
    ("Bilinear", (3, 5, 2), {}, (X, Y)),
    ("Bilinear", (3, 5, 2, False), {}, (X[0], Y[0])),
    ("CosineSimilarity", (), {}, (X, Z)),
    ("CosineSimilarity", (0,), {}, (X, Z)),
    ("CosineSimilarity", (), {}, (X, Z[:, :1])),
    ("PairwiseDistance", (1.0,), {"keepdim": True}, (X, Z)),
    ("Softmax2d", (), {}, (IMAGE,)),
    ("Unflatten", (1, (3, 1)), {}, (X,)),
    ("Embedding", (6, 2), {"padding_idx": 2}, (INDICES,)),
    ("EmbeddingBag", (6, 2), {}, (INDICES,)),
    ("EmbeddingBag", (6, 2), {"mode": "max"}, (INDICES,)),
    ("EmbeddingBag", (6, 2), {"mode": "sum"}, (INDICES.ravel(), np.array([0, 2, 2]))),
    ("RNNCell", (3, 5), {}, (X, Y)),
    ("RNNCell", (3, 5, False, "relu"), {}, (X[0],)),
    ("LSTMCell", (3, 5), {}, (X, (Y, Y + 1))),
    ("LSTMCell", (3, 5), {"bias": False}, (X,)),
    ("GRUCell", (3, 5), {}, (X, Y)),
    *((f"{kind}Pad{n}d", (tuple(range(2 * n))[::-1] if n < 3 else 1,), {}, (x,))
      for kind in ("Zero", "Replication", "Circular") for n, x in ((1, SEQUENCE), (2, IMAGE[..., :4]), (3, VOLUME))
      if not (kind == "Circular" and n == 2)),
    *((f"ConstantPad{n}d", (2, 1.5), {}, (x,)) for n, x in ((1, SEQUENCE), (2, IMAGE), (3, VOLUME))),
    *((f"ReflectionPad{n}d", (1,), {}, (x,)) for n, x in ((1, SEQUENCE), (2, IMAGE), (3, VOLUME))),
    ("CircularPad2d", ((1, 2, 2, 1),), {}, (IMAGE,)),
    ("MultiheadAttention", (4, 2), {}, (QUERY.swapaxes(0, 1), KEY.swapaxes(0, 1), KEY.swapaxes(0, 1) + 1)),
    ("MultiheadAttention", (4, 2), {"batch_first": True, "bias": False}, (QUERY[0], KEY[0], KEY[0])),
    ("MultiheadAttention", (4, 2), {"batch_first": True}, (QUERY, KEY, KEY, PADDING, True, CAUSAL, False)),
    ("MultiheadAttention", (4, 2), {"batch_first": True}, (QUERY, KEY, KEY, None, True, PER_HEAD)),
    ("TransformerEncoderLayer", (4, 2, 8, 0.0), {}, (KEY,)),
    ("TransformerEncoderLayer", (4, 2, 8, 0.0, "gelu"), {"batch_first": True, "norm_first": True}, (KEY, CAUSAL6)),
    ("ReLU", (True,), {}, (X,)),
    ("LeakyReLU", (0.2,), {"inplace": True}, (X,)),
    ("BCEWithLogitsLoss", (), {"weight": X**2}, (X, (Z > 0) * 1.0)),
    ("BCEWithLogitsLoss", (), {"weight": X**2, "pos_weight": Z[0] ** 2}, (X, (Z > 0) * 1.0)),
    ("CrossEntropyLoss", (), {"weight": X[0] ** 2}, (Z, np.array([0, 2, 1, 1]))),
    ("GaussianNLLLoss", (), {}, (X, Z, Y[:1, :3] ** 2)),
    ("GaussianNLLLoss", (), {}, (X, Z, Y[:, :1] ** 2)),
    ("Conv1d", (3, 4, 3), {"padding": 2, "padding_mode": "circular"}, (SEQUENCE,)),
    ("Conv1d", (3, 4, 4), {"padding": "same", "padding_mode": "replicate"}, (SEQUENCE[0],)),
    ("Conv2d", (3, 2, 2, 2, (1, 2)), {"padding_mode": "reflect"}, (IMAGE,)),
    ("Conv3d", (2, 2, 2), {"padding": 1, "dilation": 2, "padding_mode": "replicate"}, (VOLUME,)),
    ("BatchNorm1d", (3,), {"bias": False}, (SEQUENCE,)),
    ("BatchNorm1d", (3,), {}, (SEQUENCE[:0],)),
    ("BatchNorm2d", (3,), {"affine": False, "bias": False}, (IMAGE,)),
    ("BatchNorm3d", (2,), {"bias": False}, (VOLUME,)),
    ("InstanceNorm2d", (3,), {"affine": True, "bias": False}, (IMAGE,)),
    ("GroupNorm", (1, 3), {"bias": False}, (IMAGE,)),
    ("LSTM", (3, 4, 2), {"proj_size": 2, "bidirectional": True, "batch_first": True}, (SEQUENCE.swapaxes(1, 2),)),
    ("LSTM", (5, 4), {"proj_size": 3, "batch_first": True}, (SEQUENCE, (Z[None, :2], Y[None, :2, :4]))),
    ("LSTM", (5, 4), {"proj_size": 3, "bias": False, "batch_first": False}, (SEQUENCE[0],)),
    ("MultiheadAttention", (4, 2), {"kdim": 3, "vdim": 2, "batch_first": True}, (QUERY, KEY[..., :3], KEY[..., 2:])),
    ("MultiheadAttention", (4, 2), {"vdim": 3, "bias": False, "batch_first": True}, (QUERY, KEY, KEY[..., 1:])),
    ("MultiheadAttention", (4, 2), {"add_bias_kv": True}, (QUERY, KEY[:, :5], KEY[:, :5], None, True, CAUSAL[:2, :2])),
    ("MultiheadAttention", (4, 2), {"add_zero_attn": True, "batch_first": True}, (QUERY[0], KEY[0], KEY[0] + 1)),
    ("MultiheadAttention", (4, 2), {"add_bias_kv": True, "add_zero_attn": True, "batch_first": True},
     (QUERY, KEY, KEY, None, True, PER_HEAD)),
    ("MultiheadAttention", (4, 2), {"add_bias_kv": True, "add_zero_attn": True, "batch_first": True},
     (QUERY, KEY, KEY, PADDING, True, CAUSAL, False)),
]  # fmt: skip


def convert(x, wrap):
    if isinstance(x, tuple):
        return tuple(convert(part, wrap) for part in x)
    return wrap(x) if isinstance(x, np.ndarray) else x


def flat(x):
    return [leaf for part in x for leaf in flat(part)] if isinstance(x, (tuple, list)) else [x]


def theirs(x):
    return torch.tensor(x, requires_grad=x.dtype.kind == "f")


def ours(x):
    return Value(x) if x.dtype.kind == "f" else x


@pytest.mark.parametrize(("name", "arguments", "options", "inputs"), CASES, ids=[case[0] for case in CASES])
def test_a_layer_agrees_with_pytorch(name, arguments, options, inputs):
    torch.manual_seed(0)
    wrapped = {key: torch.tensor(x) if isinstance(x, np.ndarray) else x for key, x in options.items()}
    reference = getattr(torch.nn, name)(*arguments, **wrapped).double()
    layer = getattr(nn, name)(*arguments, **options)
    assert sorted(layer.state_dict()) == sorted(reference.state_dict())
    layer.load_state_dict(reference.state_dict())
    given, expected = convert(inputs, ours), convert(inputs, theirs)
    result, target = (
        layer(*given),
        reference(*[x * 1 if "LeakyReLU" in name or name == "ReLU" else x for x in expected]),
    )
    for a, b in zip(flat(result), flat(target), strict=True):
        require_close(a.data, b.detach().numpy())
        direction = np.cos(np.arange(b.numel())).reshape(b.shape)
        (a * direction).sum().backward(retain_graph=True)
        (b * torch.tensor(direction)).sum().backward(retain_graph=True)
    parameters = dict(reference.named_parameters())
    pairs = list(zip(flat(given), flat(expected)))
    pairs += [(p, parameters[key]) for key, p in layer.named_parameters()]
    for a, b in pairs:
        if isinstance(a, Value) and b.grad is not None:
            require_close(a.grad, b.grad.numpy())


def test_a_causal_query_may_attend_to_the_keys_that_are_added():
    layer = nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True, batch_first=True, seed=0)
    for mask in (None, CAUSAL):
        found, weights = layer(QUERY, KEY, KEY, attn_mask=mask, is_causal=True)
        expected, other = layer(QUERY, KEY, KEY, attn_mask=CAUSAL)
        require_close(found.data, expected.data)
        require_close(weights.data, other.data)
    assert weights.data[:, 0, -2:].all()


def test_the_activation_of_an_encoder_layer_may_be_a_function():
    named = nn.TransformerEncoderLayer(4, 2, 8, 0.0, "gelu", seed=0)
    given = nn.TransformerEncoderLayer(4, 2, 8, 0.0, nn.functional.gelu, seed=0)
    assert np.array_equal(given(KEY).data, named(KEY).data)


def test_the_weights_of_a_loss_are_in_its_state_and_are_not_trained():
    criterion = nn.CrossEntropyLoss(weight=[1.0, 2.0, 3.0])
    assert not list(criterion.parameters())
    reference = torch.nn.CrossEntropyLoss(weight=torch.tensor([0.5, 1.0, 4.0], dtype=torch.float64))
    criterion.load_state_dict(reference.state_dict())
    expected = reference(torch.tensor(X), torch.tensor([0, 2, 1, 1]))
    require_close(float(criterion(X, np.array([0, 2, 1, 1]))), expected.item())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.LSTM(3, 4, bias="no"), "LSTM: bias must be True or False, not str 'no'"),
        (lambda: nn.GRU(3, 4, batch_first=1), "GRU: batch_first must be True or False, not int 1"),
        (lambda: nn.BatchNorm1d(3, eps=-1.0)(X), "batch_norm: eps must be at least 0, not float -1.0"),
        (lambda: nn.HuberLoss(delta=1j), "HuberLoss: delta needs a number, not complex 1j"),
        (lambda: nn.CrossEntropyLoss(ignore_index=1)(X, X / X.sum(1, keepdims=True)), "ignore_index=1 needs labels"),
        (lambda: nn.Conv1d(1, 1, 1, padding_mode="mirror"), "unknown padding_mode 'mirror'"),
        (lambda: nn.LSTM(3, 4, proj_size=4), "LSTM: proj_size=4 must be less than hidden_size=4"),
        (lambda: nn.MultiheadAttention(4, 2, kdim=0), "MultiheadAttention: kdim must be an integer of at least 1"),
        (lambda: nn.MultiheadAttention(4, 2, kdim=3)(KEY, KEY, KEY), "of shape (samples, positions, 3), not"),
    ],
)
def test_arguments_that_a_layer_cannot_have_are_refused(make, message):
    with pytest.raises(AdjointError) as error:
        make()
    assert message in str(error.value)


def test_the_initial_distribution_of_cells_and_bilinear_layers_is_that_of_pytorch():
    for name, arguments in (("Bilinear", (9, 20, 30)), ("GRUCell", (20, 30)), ("Embedding", (60, 50, 7))):
        layer, reference = getattr(nn, name)(*arguments, seed=0), getattr(torch.nn, name)(*arguments)
        for key, x in reference.state_dict().items():
            assert layer.state_dict()[key].shape == tuple(x.shape)
            assert layer.state_dict()[key].std() == pytest.approx(float(x.std()), rel=0.25)
    assert not nn.Embedding(60, 50, 7, seed=0).weight.data[7].any()


# --- containers -----------------------------------------------------------------------------------------


class Ours(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])
        self.heads = nn.ModuleDict({"a": nn.Linear(3, 1), "b": nn.Linear(3, 2)})
        self.scale = nn.Parameter(np.ones(3))
        self.shifts = nn.ParameterList([nn.Parameter(np.zeros(3)), np.ones(3)])
        self.gains = nn.ParameterDict({"g": nn.Parameter(np.ones(1))})

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).tanh() * self.scale
        return self.heads["a"](x + self.shifts[0]) * self.gains["g"] + self.heads["b"](x - self.shifts[1])


class Theirs(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(3, 3) for _ in range(2)])
        self.heads = torch.nn.ModuleDict({"a": torch.nn.Linear(3, 1), "b": torch.nn.Linear(3, 2)})
        self.scale = torch.nn.Parameter(torch.ones(3))
        self.shifts = torch.nn.ParameterList([torch.nn.Parameter(torch.zeros(3)), torch.ones(3)])
        self.gains = torch.nn.ParameterDict({"g": torch.nn.Parameter(torch.ones(1))})

    forward = Ours.forward


def test_a_model_of_containers_has_the_names_and_outputs_of_pytorch():
    model, reference = Ours(), Theirs().double()
    assert set(model.state_dict()) == set(reference.state_dict())
    model.load_state_dict(reference.state_dict())
    require_close(model(X).data, reference(torch.tensor(X)).detach().numpy())
    model(X).sum().backward()
    reference(torch.tensor(X)).sum().backward()
    for (name, a), (other, b) in zip(sorted(model.named_parameters()), sorted(reference.named_parameters())):
        assert name == other
        require_close(a.grad, b.grad.numpy())


def test_a_module_list_works_like_a_list():
    def steps(n):
        found = n.ModuleList()
        found.append(n.Linear(1, 1)).extend([n.ReLU(), n.Tanh()])
        found.insert(1, n.Sigmoid())
        found[0] = n.Linear(2, 1)
        removed = found.pop(2)
        del found[-1]
        found += [n.ReLU(), n.Linear(5, 6)]
        shown = [type(module).__name__ for module in found]
        return shown, type(removed).__name__, len(found), type(found[1:3]).__name__, list(found.state_dict())

    assert steps(nn) == steps(torch.nn)


def test_a_module_dict_works_like_a_dict():
    def steps(n):
        found = n.ModuleDict({"a": n.ReLU()})
        found["b"], found["a"] = n.Linear(1, 2), n.Tanh()
        found.update({"c": n.ReLU(), "d": n.ReLU()})
        removed = found.pop("c")
        del found["d"]
        kinds = [(name, type(module).__name__) for name, module in found.items()]
        return (
            kinds,
            type(removed).__name__,
            "a" in found,
            list(found),
            len(list(found.values())),
            list(found.state_dict()),
        )

    assert steps(nn) == steps(torch.nn)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nn.ModuleList([nn.Linear]), r"ModuleList holds modules, not .* create an instance: Linear\(…\)"),
        (lambda: nn.ModuleList([nn.ReLU()])(X), "ModuleList has no forward; call each of its modules"),
        (lambda: nn.ModuleList([nn.ReLU()])[1], "index 1 is out of range: the ModuleList has 1 modules"),
        (lambda: nn.ModuleDict({"a.b": nn.ReLU()}), "'a.b' cannot name a module"),
        (lambda: nn.ModuleDict({"keys": nn.ReLU()}), "'keys' cannot name a module"),
        (lambda: nn.ModuleDict({"_a": nn.ReLU()}), "'_a' cannot name a module"),
        (lambda: nn.ZeroPad2d((1, 2, 3)), r"padding must be one integer or 4, not tuple \(1, 2, 3\)"),
        (lambda: nn.ZeroPad2d(1)(X), r"shape \(samples, channels, height, width\)"),
        (lambda: nn.Dropout2d(0.5)(X), r"shape \(samples, channels, height, width\)"),
        (lambda: nn.GRUCell(2, 3)(X), r"expected an input of shape \(samples, 2\) or \(2,\), not \(4, 3\)"),
        (lambda: nn.LSTMCell(3, 5)(X, Y), r"the state must be a pair of arrays, \(h, c\)"),
        (lambda: nn.GRUCell(3, 5)(X, X), r"expected a state of shape \(4, 5\), not \(4, 3\)"),
        (lambda: nn.Bilinear(2, 2, 1)(X, X), r"expected inputs of shapes \(…, 2\) and \(…, 2\), not \(4, 3\)"),
        (lambda: nn.Embedding(3, 2, 5), "padding_idx must be within 3 embeddings, not int 5"),
        (lambda: nn.EmbeddingBag(6, 2)([1, 2]), r"expected indices of shape \(bags, size\), or offsets"),
        (lambda: nn.EmbeddingBag(6, 2)([1, 2], [1]), "offsets must rise from 0"),
        (lambda: nn.EmbeddingBag(6, 2, "men"), "did you mean 'mean'"),
    ],
)
def test_errors_say_what_is_expected(call, message):
    with pytest.raises(AdjointError, match=message):
        call()
