"""The lab: a local web application in which the engine computes what a page shows.

`adjoint lab` starts it. A page holds one WebSocket; over it go messages to the rooms of the lab (Explore, Train,
Mistakes, Quiz), and answers and events back.

    messages.py   the messages of a page, and their fields, read
    gate.py       who may come in
    session.py    one page: its messages carried out by the rooms
    outbox.py     what is sent to a page, and how often
    server.py     the application, and how it is started
    command.py    `adjoint lab`
"""
