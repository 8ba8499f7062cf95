"""The server of the lab: access control, the messages of a page, and the session that answers them.

Start reading at `session.py`. `server.py` builds the application and starts it.
"""
