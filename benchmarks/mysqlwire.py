"""A minimal client that logs in (mysql_native_password) and runs a statement: idle sessions for `relay`."""

import hashlib
import socket
import struct

CAPABILITIES = 0x0000_0001 | 0x0000_0008 | 0x0000_0200 | 0x0000_2000 | 0x0000_8000 | 0x0008_0000


def scramble(password, nonce):
    if not password:
        return b""
    one = hashlib.sha1(password.encode()).digest()
    two = hashlib.sha1(nonce + hashlib.sha1(one).digest()).digest()
    return bytes(a ^ b for a, b in zip(one, two))


class Session:
    def __init__(self, host, port, user, password, schema):
        self.sock = socket.create_connection((host, port), 10)
        self.buffer = b""
        handshake = self.read()
        if handshake[0] == 0xFF:
            raise RuntimeError(f"refused: {handshake[3:]!r}")
        end = handshake.index(b"\0", 1)
        nonce = handshake[end + 5 : end + 13] + handshake[end + 32 : end + 44]
        answer = scramble(password, nonce)
        self.write(1, struct.pack("<IIB23x", CAPABILITIES, 1 << 24, 45) + user.encode() + b"\0" + bytes([len(answer)])
                   + answer + schema.encode() + b"\0mysql_native_password\0")
        reply = self.read()
        if reply[0] == 0xFE:
            method, _, data = reply[1:].partition(b"\0")
            if method != b"mysql_native_password":
                raise RuntimeError(f"the account wants {method!r}; give it mysql_native_password")
            self.write(3, scramble(password, data[:20]))
            reply = self.read()
        if reply[0] != 0:
            raise RuntimeError(f"login failed: {reply!r}")

    def query(self, sql):
        """Runs a statement with at most one result of any size and discards the response."""
        self.send(sql)
        self.receive()

    def send(self, sql):
        self.write(0, b"\x03" + sql.encode())

    def receive(self):
        """Discards the response to what was sent first."""
        first = self.read()
        if first[0] in (0x00, 0xFF):
            return
        ends = 0
        while ends < 2:
            packet = self.read()
            ends += packet[0] == 0xFE and len(packet) < 9

    def write(self, sequence, payload):
        self.sock.sendall(struct.pack("<I", len(payload) | sequence << 24) + payload)

    def read(self):
        while len(self.buffer) < 4 or len(self.buffer) < 4 + (need := int.from_bytes(self.buffer[:3], "little")):
            got = self.sock.recv(65536)
            if not got:
                raise RuntimeError("connection closed")
            self.buffer += got
        packet, self.buffer = self.buffer[4 : 4 + need], self.buffer[4 + need :]
        return packet

    def close(self):
        self.sock.close()
