"""The server of the lab: who may connect, the messages of a page, and the session that answers them."""
