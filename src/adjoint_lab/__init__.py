"""The lab: a local web application in which the engine computes what a page shows.

`adjoint lab` starts it. A page holds one WebSocket: it sends messages to the rooms of the lab (Explore, Train,
Mistakes, Quiz, Learn), and receives answers and events. The lab uses the public names of adjoint, and the course.

    command.py          the command `adjoint lab`, which adjoint finds by its entry point
    serve/              the server; start reading at serve/session.py
      server.py           the application, and how it starts
      gate.py             access control
      session.py          one page: a thread carries out its messages
      dispatcher.py       the rooms of a page, its queue of messages, and the answers
      messages.py         reading and validating messages
      outbox.py           what is sent to a page, and how often
      workers.py          training in pieces, with questions in between: in a thread, or on the event loop
    page/               the rooms in a page without a server, where Python runs in a worker of the browser
      host.py             carries out the messages on the event loop
      learn.py            checks programs in a second worker
    protocol/           the types of the messages, and the TypeScript generated from them
    rooms/              what the messages do
      explore.py          an expression, its graph and all steps of both passes
      train.py            train a network and watch it
      mistakes.py         a training run with a classic mistake next to a healthy one
      quiz/               questions about graphs, with explanations
      learn.py            the lessons of the course, and checks of a learner's programs
    scenes.py           a graph with its steps, as a page draws it
    replay.py           compute a graph again with other inputs
    programs.py         an expression as a program with adjoint or PyTorch
    export.py           a scene as an HTML file
    widget.py           Explore in a notebook
    player.py           a room that advances step by step in a worker
    configurations.py   the settings of a training run
    experiments.py      a training run that can be inspected at any step
    faults.py           the classic mistakes
    assets/             the built page; its source is web/
"""
