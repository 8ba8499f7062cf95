"""Settings of a context: `with`, threads and asyncio tasks."""

import asyncio
from threading import Thread

import pytest

from adjoint.errors.settings import Setting


def test_a_setting_returns_to_what_it_was_also_after_an_error():
    size, color = Setting(1), Setting("red")
    color.set("blue")
    with size.to(2):
        with pytest.raises(ZeroDivisionError), size.to(0):
            1 // size.get()
        assert (size.get(), color.get()) == (2, "blue")
    assert (size.get(), color.get()) == (1, "blue")


def test_a_new_thread_starts_with_the_defaults_and_changes_no_other():
    size, seen = Setting(1), []

    def read_and_change() -> None:
        seen.append(size.get())
        size.set(3)

    with size.to(2):
        thread = Thread(target=read_and_change)
        thread.start()
        thread.join()
        assert size.get() == 2
    assert seen == [1]


def test_an_asyncio_task_changes_no_other():
    size = Setting(1)

    async def change() -> int:
        size.set(size.get() + 1)
        return size.get()

    async def main() -> list[int]:
        return await asyncio.gather(change(), change())

    assert asyncio.run(main()) == [2, 2]
    assert size.get() == 1
