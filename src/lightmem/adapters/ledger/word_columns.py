"""Which columns of users' rows hold what users said, and which hold none of it.

Every column that can hold text is in exactly one of the two lists; a test fails for one that is
not. Words have to be struck when they are forgotten: where it is done stands beside each.
"""

from collections.abc import Mapping

from lightmem.adapters.ledger.kept_words import KEPT

#: Columns with words, by table.
WORDS: Mapping[str, frozenset[str]] = {
    # Struck by `striking`, which forgets values, and `deletion`, which deletes turns.
    "turns": frozenset({"content", "metadata"}),
    "memories": frozenset({"text", "folded", "entities"}),
    "memory_versions": frozenset({"text", "entities"}),
    "memory_sources": frozenset({"quote"}),
    # Struck by `kept_words`, whatever they hold.
    **{
        table: frozenset(kept.column.name for kept in KEPT if kept.column.table.name == table)
        for table in sorted({kept.column.table.name for kept in KEPT})
    },
}

#: Ids, names that the application chose, and closed sets: in whichever table.
_NAMES = frozenset(
    {
        "id",
        "tenant_id",
        "user_id",
        "session_id",
        "client_id",
        "operation_id",
        "turn_id",
        "memory_id",
        "dream_id",
        "step_id",
        "superseded_by",
        "kind",
        "status",
        "role",
        "language",
        "valid_precision",
        # Ours alone, see who writes them: they tell what happened, never what was said.
        "reason",
    }
)

#: Columns without words, by table.
WORDLESS: Mapping[str, frozenset[str]] = {
    "users": frozenset({"erasing", "forgetting_state"}),
    "turns": frozenset({"speaker"}),
    "outcomes": frozenset({"outcome", "memory_ids"}),
    "outbox": frozenset({"last_reason"}),
    # Of the words as they are, and of what and whose they tell: taken away when words are struck.
    "memories": frozenset({"fingerprint", "attribute_key"}),
    "memory_sources": frozenset({"quote_hash"}),
    "import_lines": frozenset({"name"}),
    "tombstones": frozenset({"encoder_id", "forms"}),
    "dreams": frozenset({"policy", "trigger", "last_turn_id", "read_up_to", "unused_up_to"}),
    "dream_steps": frozenset({"action", "evidence", "verdict"}),
    "idempotency": frozenset({"route", "key", "body_hash", "owner"}),
}


def is_listed_once(table: str, column: str) -> bool:
    """Whether it is said of a column that it holds words, or that it holds none."""
    has_words = column in WORDS.get(table, frozenset())
    has_none = column in _NAMES or column in WORDLESS.get(table, frozenset())
    return has_words != has_none
