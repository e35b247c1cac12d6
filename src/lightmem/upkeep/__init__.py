"""Keeping the stores true to the ledger: users erased, brought in, swept after, looked over.

Read `erase.py` for how a user leaves every store, `bring_in.py` for imports, `sweep.py` for what a
process that died may have left, and `doctor.py` for the comparison of all of it.
"""

from lightmem.upkeep.bring_in import ImportUser
from lightmem.upkeep.doctor import Check, Doctor, Report
from lightmem.upkeep.erase import EraseUser
from lightmem.upkeep.sweep import Sweep
from lightmem.upkeep.work import UpkeepWork

__all__ = ["Check", "Doctor", "EraseUser", "ImportUser", "Report", "Sweep", "UpkeepWork"]
