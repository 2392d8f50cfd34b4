"""Data frames of a run, each with documented columns."""

from .schema import Column, Schema

__all__ = ["Column", "Schema"]
