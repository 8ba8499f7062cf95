"""What a back end of jit provides: the interface between the front, which knows Python, and what runs programs.

The front (`reachable`, `session`, `results`, `compiled`) finds what a call can reach, what the function changes and
what it returns. A back end records what the function computes in between, and runs it. A call goes through:

    recorder = backend.recorder(reach)        a Recorder for one run of the function
    trace = session.trace(fn, ..., recorder)  the function runs once, with stand-ins for its numbers and arrays
    program = backend.compile(trace)          a Program, which serves all calls with the same key
    bound = program.bind(reach)               a Bound: the program with the Values and containers of this call
    bound.run(state, data)                    a call; the arrays and numbers are read by the caller

The numbers of outputs (`Recorder.output`) are all that the front knows of the computation. Templates (`results.py`)
refer to them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from adjoint.errors import TraceError

if TYPE_CHECKING:
    from adjoint.compile.reachable import Reach
    from adjoint.compile.results import Template
    from adjoint.compile.session import Trace
    from adjoint.engine.value import Value

Source = tuple[str, int]  # an input of a program: ("data" or "grad", which Value) or ("place", which place)
UNCHANGED: Any = object()  # what a recorder returns for data that the function did not assign


class Unsuitable(TraceError):
    """A recorder raises this for a function that another back end must compile."""


class Recorder(Protocol):
    """Records what a function computes while it runs once. The session calls the methods in this order."""

    def record(self, run: Callable[[Mapping[Source, Any]], None]) -> None:
        """Call `run` with the stand-ins for the inputs, and record what happens inside.

        There must be a stand-in for each place that is an array or a number. A back end that records Values by itself
        needs none for their data and gradients.
        """
        ...

    def enter(self, stand_ins: Mapping[Source, Any]) -> None:
        """Let the Values hold their stand-ins, right before the function runs."""
        ...

    def replacement(self, value: "Value") -> "Value":
        """Return the Value that the function sees instead of a scalar Value: itself, or one that stands for it."""
        ...

    def content(self, i: int) -> tuple[Any, Any]:
        """Return the data and the gradient of Value `i` when the function has returned, or UNCHANGED for each.

        A gradient may be None, which is zero, or a Value that the function computed.
        """
        ...

    def output(self, x: Any) -> int:
        """Return the number of an output of the program: the same for the same object."""
        ...

    def template(self, x: Any) -> "Template | None":
        """Return how to make a Value, an array or a number that the function computed; None for another object."""
        ...

    def finish(self) -> None:
        """Raise an error if the recording lacks something that the function did."""
        ...

    def leave(self) -> None:
        """Put back what `enter` replaced. This is called after errors too, also after one in `enter`."""
        ...

    def explain(self, error: Exception) -> TraceError | None:
        """Return the error for code that cannot be recorded; None if `error` is of another kind."""
        ...


class Bound(Protocol):
    """A program with the Values and containers of a call."""

    changes_state: bool

    def run(self, state: Sequence, data: Sequence) -> Any:
        """Run the program, store its results, and return what the function returns.

        `state` has the contents of `reach.state_places()`, and `data` those of `reach.data_places()`.
        """
        ...


class Program(Protocol):
    """A compiled function. It serves all calls with one key, and keeps none of their Values alive."""

    trace: "Trace"
    is_checked: bool  # whether its first results were compared with eager ones

    def bind(self, reach: "Reach") -> Bound:
        """Return the program for the objects of a call."""
        ...

    def ignores(self, i: int, value: "Value") -> bool:
        """Return whether another Value that the program makes could be in the place of Value `i` in the next call."""
        ...

    def listing(self, full: bool = False) -> str:
        """Return what it computes as text, abbreviated unless `full`. `str` of a program is a summary in a sentence."""
        ...


class BackEnd(Protocol):
    """Records and compiles functions."""

    def recorder(self, reach: "Reach") -> Recorder:
        """Return what records a function; raise Unsuitable if another back end must compile it."""
        ...

    def compile(self, trace: "Trace") -> Program:
        """Return the program of a trace."""
        ...
