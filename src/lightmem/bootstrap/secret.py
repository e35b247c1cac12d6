"""The secret that keyed hashes of this installation use, and that all its processes have the same.

Tombstones, owners' marks in exports and support in the graph are known again by keyed hashes: a
process with another secret would know none of them, and say nothing of it.
"""

import hashlib
import hmac
import os
import secrets

from lightmem.errors import OtherSecret
from lightmem.ports import Ledger
from lightmem.settings import Settings

#: The fact of the ledger by which a secret is known again, and what it is the keyed hash of.
CHECK = "secret_check"
_CHECKED = b"the secret of this installation"


def installation_secret(settings: Settings) -> bytes:
    """The secret that keyed hashes of this installation use.

    From `LIGHTMEM_SECRET`, else from the file `secret` in the data folder, made on first use
    with mode 0600.
    """
    if settings.secret is not None:
        return settings.secret.get_secret_value().encode()
    path = settings.data_dir / "secret"
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = secrets.token_urlsafe(32)
    draft = path.with_name(f".secret-{secrets.token_hex(8)}")
    draft.touch(mode=0o600)
    draft.write_text(fresh, encoding="ascii")
    try:
        # A link fails when the file is there, so two first starts agree on one secret.
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return path.read_text(encoding="ascii").encode()


async def check_secret(ledger: Ledger, secret: bytes) -> None:
    """Refuse a secret that is not the one that the ledger was begun with; the first is kept.

    Raises:
        OtherSecret: this process has another one.
    """
    own = hmac.new(secret, _CHECKED, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(await ledger.settle_meta(CHECK, own), own):
        raise OtherSecret(
            "LIGHTMEM_SECRET, or without it the file `secret` in the data folder, is not what this "
            "ledger was begun with: give every process the secret of the first one"
        )
