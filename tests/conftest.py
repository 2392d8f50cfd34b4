"""What holds for all tests."""

from hypothesis import settings

settings.register_profile("streamviz", deadline=None)  # how long an example takes is the machine's business
settings.load_profile("streamviz")
