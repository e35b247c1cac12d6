"""The composition root: picks an adapter for each port by its URL, opens all and closes all."""

from lightmem.bootstrap.secret import installation_secret
from lightmem.bootstrap.services import (
    Services,
    open_controller,
    open_indexing,
    open_relay,
    open_selector,
    open_services,
    open_writer,
)

__all__ = [
    "Services",
    "installation_secret",
    "open_controller",
    "open_indexing",
    "open_relay",
    "open_selector",
    "open_services",
    "open_writer",
]
