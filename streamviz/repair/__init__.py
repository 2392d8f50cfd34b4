"""JSON repair: strict first; what is cut off is closed and what is broken is mended, with a list of every edit."""

from .incremental import IncrementalReader
from .repair_json import RepairLevel, repair_json, repair_tool_call_arguments
from .report import Edit, EditLevel, RepairReport, RepairStatus, Root
from .rules import RULES

__all__ = [
    "RULES",
    "Edit",
    "EditLevel",
    "IncrementalReader",
    "RepairLevel",
    "RepairReport",
    "RepairStatus",
    "Root",
    "repair_json",
    "repair_tool_call_arguments",
]
