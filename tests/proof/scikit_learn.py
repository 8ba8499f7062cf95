"""scikit-learn's checks of estimators, on MLPClassifier and MLPRegressor, and on scikit-learn's own classes."""

import warnings
from importlib.metadata import version
from typing import Any

from report import Difference, Report, Share
from sklearn import neural_network as theirs
from sklearn.utils.estimator_checks import check_estimator

from adjoint import sklearn as ours

SETTINGS: dict[str, dict[str, Any]] = {"defaults": {}, "max_iter=20": {"max_iter": 20}}
ESTIMATORS = "MLPClassifier", "MLPRegressor"
ABSENT = {  # what the names of checks contain that run for scikit-learn's estimators alone, and why
    "sample_weight": "these checks run for estimators whose fit takes sample_weight, which adjoint's do not",
    "multilabel": "these checks run for classifiers of several labels per sample; adjoint's have one",
}


def run() -> Report:
    """Run every check that scikit-learn has for an estimator of each kind, on its own estimator too."""
    report = Report(
        "Checks of scikit-learn",
        f"scikit-learn {version('scikit-learn')}, sklearn.utils.estimator_checks",
        "every check of check_estimator (those of parametrize_with_checks) on each estimator; scikit-learn's own "
        "estimators of the same names run beside them. A check runs if the estimator has what it is about",
    )
    for setting, options in SETTINGS.items():
        own = {name: failures(getattr(theirs, name)(**options)) for name in ESTIMATORS}
        found = {name: failures(getattr(ours, name)(**options)) for name in ESTIMATORS}
        for who, results in (("adjoint", found), ("scikit-learn's own", own)):
            total = sum(count for count, _, _ in results.values())
            failed = sum(len(messages) for _, messages, _ in results.values())
            report.shares.append(Share(f"{setting}: {who}", total - failed, total))
        for name, (_, messages, checks) in found.items():
            for check, message in messages.items():
                also = "scikit-learn's own fails too" if check in own[name][1] else ""
                report.differences.append(Difference(f"{name}, {setting}: {check}: {message}", "wrong", also))
            for check in sorted(own[name][2] - checks):
                reason = next((text for word, text in ABSENT.items() if word in check), "")
                report.differences.append(Difference(f"{name}, {setting}: {check}", "missing", reason))
        for name, (_, messages, _) in own.items():
            for check, message in messages.items():
                if check not in found[name][1]:
                    what = f"scikit-learn's {name}, {setting}: {check}"
                    report.differences.append(Difference(what, "reference", message))
    return report


def failures(estimator: Any) -> tuple[int, dict[str, str], set[str]]:
    """Return how many checks ran on an estimator, the messages of those that failed, and the names of all."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks have data that no network fits
        results = check_estimator(estimator, on_skip=None, on_fail=None)
    ran = [result for result in results if result["status"] != "skipped"]
    failed = {
        result["check_name"]: " ".join(f"{type(result['exception']).__name__}: {result['exception']}".split())[:200]
        for result in ran
        if result["status"] != "passed"
    }
    return len(ran), failed, {result["check_name"] for result in ran}
