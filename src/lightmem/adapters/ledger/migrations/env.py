"""Runs the migrations over the connection, and within the transaction, that `schema` hands over."""

from alembic import context

from lightmem.adapters.ledger.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
)
with context.begin_transaction():
    context.run_migrations()
