"""Kombu's Redis transport, without its own bookkeeping of messages that were handed out.

The outbox brings back what a worker or a broker lost, once its lease is over. So a message is gone
from Redis when a worker has it, and none is put back when the connection breaks: Kombu would try
to through the connection that is gone, and what it raises then ends the worker (Celery 5.7).
"""

from kombu.transport import TRANSPORT_ALIASES, redis


class ForgetfulChannel(redis.Channel):
    """A channel that keeps no copy of what it handed out, and puts nothing back."""

    ack_emulation = False
    do_restore = False


class Transport(redis.Transport):
    """Redis, through such channels."""

    Channel = ForgetfulChannel


#: Its name, as logs show it.
TRANSPORT = "lightmem-redis"
TRANSPORT_ALIASES[TRANSPORT] = f"{__name__}:{Transport.__name__}"
