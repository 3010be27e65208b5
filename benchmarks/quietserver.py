"""A server that accepts every login and responds to every command with OK: for the memory figures of `run`."""

import selectors
import socket
import struct
import threading

CAPABILITIES = 0x0000_0001 | 0x0000_0008 | 0x0000_0200 | 0x0000_2000 | 0x0000_8000 | 0x0008_0000
AUTOCOMMIT = 2
OK = b"\0\0\0" + struct.pack("<HH", AUTOCOMMIT, 0)
HANDSHAKE = (b"\x0a5.5.5-10.11.6-MariaDB\0" + struct.pack("<I", 1) + b"12345678\0"
             + struct.pack("<HBHHB", CAPABILITIES & 0xFFFF, 45, AUTOCOMMIT, CAPABILITIES >> 16, 21) + bytes(10)
             + b"123456789012\0mysql_native_password\0")


def packet(sequence, payload):
    return struct.pack("<I", len(payload) | sequence << 24) + payload


class Server:
    """Listens on a free loopback port, on a thread of its own, until closed."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.port = self.listener.getsockname()[1]
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.open = True
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while self.open:
            for key, _ in self.selector.select(0.2):
                if key.fileobj is self.listener:
                    self.accept()
                else:
                    self.respond(key.fileobj)

    def accept(self):
        client, _ = self.listener.accept()
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.sendall(packet(0, HANDSHAKE))
        self.selector.register(client, selectors.EVENT_READ)

    def respond(self, client):
        try:
            received = client.recv(65536)
        except OSError:
            received = b""
        if not received or received[4:5] == b"\x01" and received[3] == 0:
            self.selector.unregister(client)
            client.close()
        else:
            # One command at a time: no client here pipelines.
            client.sendall(packet(received[3] + 1, OK))

    def close(self):
        self.open = False
