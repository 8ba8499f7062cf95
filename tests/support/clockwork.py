"""An event loop with simulated time, for tests of what happens when."""

import asyncio
import selectors


class Clockwork(asyncio.SelectorEventLoop):
    """An event loop with simulated time: instead of sleeping, it advances its clock."""

    def __init__(self):
        self.now, loop = 0.0, self

        class Selector(selectors.DefaultSelector):
            def select(self, timeout=None):
                loop.now += timeout or 0.0
                return super().select(0)

        super().__init__(Selector())

    def time(self) -> float:
        return self.now
