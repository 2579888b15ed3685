"""The tests reach this machine and nothing else."""

from __future__ import annotations

import socket
import threading

import httpx
import pytest
from pytest_socket import SocketConnectBlockedError

pytestmark = pytest.mark.filterwarnings('ignore:A test tried to use')

SOMEWHERE = '192.0.2.1'
"""An address that is nobody's (RFC 5737)."""


def test_no_connection_leaves_this_machine() -> None:
    with socket.socket() as plain, pytest.raises(SocketConnectBlockedError):
        plain.connect((SOMEWHERE, 80))


def test_no_client_leaves_this_machine() -> None:
    with pytest.raises(SocketConnectBlockedError):
        httpx.get(f'http://{SOMEWHERE}/', timeout=1, trust_env=False)


def test_servers_on_this_machine_can_be_reached() -> None:
    with socket.create_server(('127.0.0.1', 0)) as server:
        greeter = threading.Thread(target=lambda: server.accept()[0].sendall(b'hello'))
        greeter.start()
        with socket.create_connection(server.getsockname(), timeout=10) as client:
            assert client.recv(5) == b'hello'
        greeter.join()
