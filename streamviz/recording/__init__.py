"""Recordings: the bytes of a response, kept."""

from .recording import Recording

__all__ = ["Recording"]
