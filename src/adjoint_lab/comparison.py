"""The speeds of the engines on one configuration."""

from dataclasses import replace

from adjoint.errors import LabError
from adjoint_lab.configurations import Configuration
from adjoint_lab.engines import ENGINES, available_engines
from adjoint_lab.experiments import Experiment
from adjoint_lab.protocol.train import Rates, Speed

MEASURED = 0.25  # seconds for which each engine is measured, alternating


class Comparison:
    """Measures the steps per second of each engine with the same network and data, alternating between them."""

    seconds = len(ENGINES) * MEASURED  # the whole measurement takes at least this long

    def __init__(self, configuration: Configuration):
        self._experiments: dict[str, Experiment] = {}
        for engine in available_engines():
            try:
                self._experiments[engine] = Experiment(replace(configuration, engine=engine).validate())
            except LabError:  # too large for scalar Values
                continue

    def advance(self) -> bool:
        """Measure each engine a little longer, and return whether all are done."""
        is_over = True
        for experiment in self._experiments.values():
            until = min(MEASURED, experiment.seconds + MEASURED / 10)
            while experiment.seconds < until and not experiment.stopped:
                experiment.step()
            is_over = is_over and (experiment.seconds >= MEASURED or bool(experiment.stopped))
        return is_over

    def rates(self) -> Rates:
        """Return the speed of each engine; None if the network is too large for it, or if it is not available."""
        return {name: _speed(self._experiments.get(name)) for name in ENGINES}


def _speed(experiment: Experiment | None) -> Speed | None:
    if experiment is None or experiment.rate is None:
        return None
    return {"rate": experiment.rate, "compile_seconds": experiment.compile_seconds}
