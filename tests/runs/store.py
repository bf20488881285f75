"""An S3-compatible server in this process, that can be told to refuse requests and knows what it was asked."""

import logging
import threading
from collections.abc import Callable, Iterable
from typing import Any

import boto3
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

BUCKET, KEY, SECRET = "studies", "testing", "hush-hush"

Environ = dict[str, Any]


class Store:
    """The server, with one bucket.

    Attributes
    ----------
    refuses : callable
        Gets a request (its WSGI environment); true if it is to be denied.
    """

    def __init__(self) -> None:
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self._app = DomainDispatcherApplication(create_backend_app)
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True)  # a free port
        self.endpoint = f"127.0.0.1:{self._server.server_port}"
        self.refuses: Callable[[Environ], bool] = lambda environ: False
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.client = boto3.client(
            "s3",
            endpoint_url=f"http://{self.endpoint}",
            region_name="us-east-1",
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
        )
        self.client.create_bucket(Bucket=BUCKET)

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def url(self, prefix: str, credentials: str = "", bucket: str = BUCKET) -> str:
        return f"s3://{credentials}{bucket}/{prefix}?endpoint_override={self.endpoint}&scheme=http&region=us-east-1"

    def files(self, prefix: str) -> dict[str, bytes]:
        """Read all objects below a prefix, without any code of ours."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=f"{prefix}/")
        keys = [told["Key"] for page in pages for told in page.get("Contents", [])]
        return {
            key.removeprefix(f"{prefix}/"): self.client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
            for key in keys
            if not key.endswith("/")  # empty objects that stand for folders
        }

    def put(self, key: str, data: bytes) -> None:
        self.client.put_object(Bucket=BUCKET, Key=key, Body=data)

    def delete(self, key: str) -> None:
        self.client.delete_object(Bucket=BUCKET, Key=key)

    def _answer(self, environ: Environ, start: Callable[..., Any]) -> Iterable[bytes]:
        known = f"Credential={KEY}/" in environ.get("HTTP_AUTHORIZATION", "")
        if known and not self.refuses(environ):
            answer: Iterable[bytes] = self._app(environ, start)
            return answer
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        code = "AccessDenied" if known else "InvalidAccessKeyId"
        body = f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode()
        start("403 Forbidden", [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
        return [body]


def writes(environ: Environ) -> bool:
    """Tell whether a request changes anything."""
    return environ["REQUEST_METHOD"] not in ("GET", "HEAD")
