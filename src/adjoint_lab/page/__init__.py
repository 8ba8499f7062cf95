"""The rooms of the lab in a page without a server: Python runs in a worker of the browser.

The static site loads Pyodide, which is Python as WebAssembly, in a Web Worker (`web/src/page/engine.worker.ts`). It has
no threads, no processes and no sockets. The rooms and the messages are those of the served lab.
"""
