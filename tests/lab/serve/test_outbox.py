"""What is sent to a page and when, on an event loop with simulated time."""

import asyncio
from collections.abc import Callable
from itertools import pairwise

from clockwork import Clockwork

from adjoint_lab.serve.outbox import FULL, ROUNDS, Outbox


def sent_by(script: Callable) -> list[tuple[float, str]]:
    """Return the texts that a page receives, with their times, while a script adds texts to its outbox."""

    async def play():
        loop, outbox, found = asyncio.get_running_loop(), Outbox(), []

        async def send(text: str) -> None:
            found.append((loop.time(), text))

        sender = asyncio.create_task(outbox.send_all(send))
        await script(outbox)
        await asyncio.sleep(10)
        sender.cancel()
        return found

    with asyncio.Runner(loop_factory=Clockwork) as runner:
        return runner.run(play())


def test_the_first_update_after_a_pause_is_sent_immediately():
    async def script(outbox):
        for pause in (0.0, 1.0, 1 / ROUNDS, 0.5):
            await asyncio.sleep(pause)
            outbox.update("slider", f"{asyncio.get_running_loop().time()}")

    found = sent_by(script)
    assert len(found) == 4
    assert all(f"{when}" == text for when, text in found)


def test_updates_are_sent_at_most_thirty_times_per_second_including_the_last():
    async def script(outbox):
        for count in range(3000):
            outbox.update("slider", f"{count}")
            await asyncio.sleep(0.001)

    times, texts = zip(*sent_by(script))
    assert texts[0] == "0"
    assert texts[-1] == "2999"
    assert 85 <= len(times) <= 3 * ROUNDS + 1
    assert min(b - a for a, b in pairwise(times)) > 1 / ROUNDS - 1e-9


def test_one_round_sends_the_newest_update_of_every_key():
    async def script(outbox):
        outbox.update("loss", "first")
        await asyncio.sleep(0.001)
        for key, text in [("loss", "old"), ("boundary", "old"), ("norm", "only"), ("boundary", "new"), ("loss", "new")]:
            outbox.update(key, f"{key} {text}")

    assert [text for _, text in sent_by(script)] == ["first", "loss new", "boundary new", "norm only"]
    assert len({when for when, _ in sent_by(script)}) == 2


def test_replies_do_not_wait_for_a_round():
    async def script(outbox):
        outbox.update("slider", "first")
        await asyncio.sleep(0.001)
        outbox.update("slider", "second")
        for count in range(100):
            outbox.reply(f"reply {count}")
            await asyncio.sleep(0.0001)

    found = sent_by(script)
    replies = [(when, text) for when, text in found if text.startswith("reply")]
    assert [text for _, text in replies] == [f"reply {count}" for count in range(100)]
    assert all(abs(when - 0.001 - 0.0001 * count) < 1e-9 for count, (when, _) in enumerate(replies))
    assert found[-1] == (1 / ROUNDS, "second")


def test_reading_waits_while_too_many_replies_are_unsent():
    async def script(outbox):
        for count in range(FULL):
            outbox.reply(f"{count}")
        await outbox.wait_for_room()
        outbox.reply("taken")

    assert [text for _, text in sent_by(script)] == [*map(str, range(FULL)), "taken"]


def test_a_closed_outbox_drops_everything():
    async def script(outbox):
        outbox.reply("unsent")
        outbox.update("slider", "unsent")
        outbox.close()
        outbox.reply("late")
        outbox.update("slider", "late")

    assert sent_by(script) == []
