__getattr__, __dir__, __all__ = _attach(__name__, __file__)
