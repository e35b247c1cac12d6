"""The Controller: plans a recall."""

from lightmem_controller.plan import PlanRecall

__all__ = ["PlanRecall"]
