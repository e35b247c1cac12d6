"""A server that speaks Ollama's HTTP and takes its time: what waiting for a model costs."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANSWER = json.dumps({"steps": []})
NAME = "slow"


class SlowModel(ThreadingHTTPServer):
    """Answers each request after `seconds`, any number at a time."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, seconds: float) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seconds = seconds
        self.answered = 0

    @property
    def url(self) -> str:
        """As settings name it."""
        return f"ollama://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: SlowModel
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._send({"models": [{"name": f"{NAME}:latest"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(self.server.seconds)
        self.server.answered += 1
        words = sum(len(each["content"].split()) for each in body["messages"])
        message = {"role": "assistant", "content": ANSWER}
        counts = {"prompt_eval_count": words, "eval_count": len(ANSWER.split())}
        self._send({"model": NAME, "message": message, "done": True, **counts})

    def log_message(self, *arguments: Any) -> None:
        """Nothing: what is measured says enough."""

    def _send(self, content: Any) -> None:
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def slow_model(seconds: float) -> Iterator[SlowModel]:
    """A running server."""
    server = SlowModel(seconds)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
