"""What a worker registers is something that Celery can run."""

from lightmem.adapters.celery import TASK, make_app
from lightmem.queue_worker import task_of
from lightmem_consolidator.schedule import LOOK


def test_every_task_of_a_worker_can_be_registered_under_its_name() -> None:
    app = make_app("memory://")

    for name in (TASK, LOOK):
        app.task(task_of(lambda: None), name=name)
    app.finalize()

    assert {TASK, LOOK} <= set(app.tasks)
