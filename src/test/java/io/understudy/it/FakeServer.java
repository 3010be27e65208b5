package io.understudy.it;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A primary that misbehaves as the test requires. Each connection gets a thread that runs the script. */
final class FakeServer implements AutoCloseable {
    /** Handles one connection, which is closed afterwards. */
    interface Script {
        void serve(InputStream in, OutputStream out) throws IOException;
    }

    private final ServerSocket listener;

    FakeServer(Script script) throws IOException {
        listener = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
        daemon(() -> {
            while (!listener.isClosed()) {
                try {
                    Socket socket = listener.accept();
                    daemon(() -> {
                        try (socket) {
                            script.serve(socket.getInputStream(), socket.getOutputStream());
                        } catch (IOException peerGone) {
                            // The proxy has closed its side, as it should.
                        }
                    });
                } catch (IOException closed) {
                    return;
                }
            }
        });
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "fake-server");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns a server that never sends anything. */
    static FakeServer silent() throws IOException {
        return new FakeServer((in, out) -> in.readAllBytes());
    }

    /** Returns a server that accepts every login, then sends {@code response} after each read, whatever the command. */
    static FakeServer answering(byte[] response) throws IOException {
        return new FakeServer((in, out) -> {
            letIn(in, out);
            byte[] buffer = new byte[65536];
            while (in.read(buffer) >= 0) {
                out.write(response);
            }
        });
    }

    /** Sends a greeting, reads the login and sends OK. */
    static void letIn(InputStream in, OutputStream out) throws IOException {
        out.write(packet(0, greeting()));
        if (in.read(new byte[65536]) < 0) {
            throw new EOFException("the proxy has closed within the login");
        }
        out.write(packet(2, new byte[] {0, 0, 0, 2, 0, 0, 0}));
    }

    static void greet(OutputStream out) throws IOException {
        out.write(packet(0, greeting()));
    }

    /** Returns a server that sends these bytes in place of a greeting and waits for the close. */
    static FakeServer greeting(byte[] bytes) throws IOException {
        return new FakeServer((in, out) -> {
            out.write(bytes);
            in.readAllBytes();
        });
    }

    static byte[] packet(int sequence, byte[] payload) {
        return new RawClient.Bytes()
                .uint(payload.length, 3)
                .uint(sequence, 1)
                .raw(payload)
                .bytes();
    }

    private static byte[] greeting() {
        long capabilities = RawClient.PLAIN | RawClient.CONNECT_WITH_DB;
        return new RawClient.Bytes()
                .uint(10, 1)
                .text("5.7.0-fake")
                .uint(0, 1)
                .uint(42, 4)
                .text("12345678")
                .uint(0, 1)
                .uint(capabilities & 0xFFFF, 2)
                .uint(45, 1)
                .uint(2, 2)
                .uint(capabilities >> 16, 2)
                .uint(21, 1)
                .raw(new byte[10])
                .text("123456789012")
                .uint(0, 1)
                .text("mysql_native_password")
                .uint(0, 1)
                .bytes();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
