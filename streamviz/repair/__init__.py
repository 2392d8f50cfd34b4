"""Arguments of tool calls: strict first, and where they are cut off, closed with a list of every edit."""

from .arguments import repair_tool_call_arguments
from .report import Edit, EditLevel, RepairReport, RepairStatus

__all__ = ["Edit", "EditLevel", "RepairReport", "RepairStatus", "repair_tool_call_arguments"]
