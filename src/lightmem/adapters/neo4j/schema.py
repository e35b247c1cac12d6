"""Constraints and indexes of the graph.

`(:Knowledge:Entity|Concept)` is a node of long-term memory and `(:Name)-[:NAMES]->` what it is
called; `(:Support)` is one user's support for a node, a name or an edge, by keyed hash.
"""

#: Dimensions of the vectors that nodes are found by: those of the default encoder.
EMBEDDING_DIM = 384

_GONE = {f"Neo.ClientError.Schema.{what}DropFailed" for what in ("Index", "Constraint")}
MADE_MEANWHILE = {
    f"Neo.ClientError.Schema.{what}AlreadyExists"
    for what in ("EquivalentSchemaRule", "Index", "Constraint")
} | _GONE

#: What versions that never filled it have made.
DROPPED = (
    "DROP CONSTRAINT concept_identity IF EXISTS",
    "DROP INDEX concept_key IF EXISTS",
    "DROP INDEX concept_text IF EXISTS",
    "DROP INDEX concept_embedding IF EXISTS",
)


def embedding_index(dim: int) -> str:
    """The name of the vector index for vectors of this length."""
    return f"knowledge_embedding_{dim}"


def schema(dim: int) -> tuple[str, ...]:
    """The statements that make the schema; each changes nothing the second time."""
    return (
        *DROPPED,
        # MERGE alone can race into two nodes; the uniqueness constraints make it safe.
        "CREATE CONSTRAINT knowledge_identity IF NOT EXISTS "
        "FOR (c:Knowledge) REQUIRE (c.tenant_id, c.id) IS UNIQUE",
        "CREATE CONSTRAINT name_identity IF NOT EXISTS "
        "FOR (n:Name) REQUIRE (n.tenant_id, n.id) IS UNIQUE",
        "CREATE CONSTRAINT support_identity IF NOT EXISTS "
        "FOR (s:Support) REQUIRE (s.tenant_id, s.element_id, s.supporter) IS UNIQUE",
        "CREATE CONSTRAINT graph_tenant IF NOT EXISTS FOR (t:GraphTenant) REQUIRE t.id IS UNIQUE",
        "CREATE INDEX name_key IF NOT EXISTS FOR (n:Name) ON (n.tenant_id, n.key)",
        "CREATE INDEX knowledge_tenant IF NOT EXISTS FOR (c:Knowledge) ON (c.tenant_id)",
        "CREATE INDEX support_supporter IF NOT EXISTS "
        "FOR (s:Support) ON (s.tenant_id, s.supporter)",
        "CREATE FULLTEXT INDEX name_words IF NOT EXISTS FOR (n:Name) ON EACH [n.tenant_id, n.name]",
        f"CREATE VECTOR INDEX {embedding_index(dim)} IF NOT EXISTS "
        "FOR (c:Knowledge) ON (c.embedding) OPTIONS {indexConfig: {"
        f"`vector.dimensions`: {dim}, `vector.similarity_function`: 'cosine'}}}}",
    )
