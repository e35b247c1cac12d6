"""The secret that keyed hashes of this installation use."""

import os
import secrets

from lightmem.settings import Settings


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
