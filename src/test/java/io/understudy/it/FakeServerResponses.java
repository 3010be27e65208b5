package io.understudy.it;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Longer scripts for a {@link FakeServer}. */
final class FakeServerResponses {
    private static final byte[] EOF = {(byte) 0xFE, 0, 0, 2, 0};

    private FakeServerResponses() {}

    /** Accepts the login, sends rows in response to the first command, and closes after the last row. */
    static void resultThenClose(InputStream in, OutputStream socket, byte[] value, int rows) throws IOException {
        FakeServer.letIn(in, socket);
        OutputStream out = new BufferedOutputStream(socket, 1 << 16);
        byte[] buffer = new byte[65536];
        if (in.read(buffer) < 0) {
            return;
        }
        int sequence = 1;
        out.write(FakeServer.packet(sequence++, new byte[] {1}));
        out.write(FakeServer.packet(sequence++, column()));
        out.write(FakeServer.packet(sequence++, EOF));
        byte[] row = new RawClient.Bytes()
                .uint(0xFC, 1)
                .uint(value.length, 2)
                .raw(value)
                .bytes();
        for (int i = 0; i < rows; i++) {
            out.write(FakeServer.packet(sequence++, row));
        }
        out.write(FakeServer.packet(sequence, EOF));
        out.flush();
    }

    private static byte[] column() {
        return new RawClient.Bytes()
                .uint(3, 1)
                .text("def")
                .uint(0, 3)
                .uint(0, 1)
                .uint(1, 1)
                .text("v")
                .uint(0, 1)
                .uint(12, 1)
                .uint(45, 2)
                .uint(100_000, 4)
                .uint(0xFD, 1)
                .uint(0, 5)
                .bytes();
    }
}
