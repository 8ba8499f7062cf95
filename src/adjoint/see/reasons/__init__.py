"""Why a gradient is what it is: `adjoint.why`. Start with `asking.py`."""
