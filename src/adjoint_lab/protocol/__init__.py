"""The messages that the rooms send to a page, as types.

The types are written once, here. `typescript.py` generates `messages.ts` of each room in web/ from them:

    python -m adjoint_lab.protocol.typescript
"""
