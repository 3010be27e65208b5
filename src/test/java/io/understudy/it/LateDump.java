package io.understudy.it;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Lets a server be reached under another address where dump connections run behind: their bytes arrive later by a fixed
 * time, and never if the server is gone by then.
 */
final class LateDump implements AutoCloseable {
    private static final int BINLOG_DUMP = 0x12;

    private final ServerSocket listener;
    private final InetSocketAddress to;
    private final long delayNanos;
    private volatile boolean delays;

    private record Chunk(byte[] bytes, long atNanos) {}

    LateDump(InetSocketAddress to, long delayMillis) throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.to = to;
        delayNanos = TimeUnit.MILLISECONDS.toNanos(delayMillis);
        start(this::accept);
    }

    /** Returns whether it has found a dump to delay: in a connection with TLS it finds none. */
    boolean delays() {
        return delays;
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "late-dump");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket server = new Socket(to.getAddress(), to.getPort());
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                start(() -> relay(client, server));
            } catch (IOException closed) {
                // The server is down, or the test is over.
            }
        }
    }

    private void relay(Socket client, Socket server) {
        BlockingQueue<Chunk> late = new LinkedBlockingQueue<>();
        boolean[] dump = new boolean[1];
        start(() -> {
            try (client;
                    server) {
                byte[] buffer = new byte[65536];
                InputStream in = client.getInputStream();
                OutputStream out = server.getOutputStream();
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    if (read > 4 && buffer[3] == 0 && buffer[4] == BINLOG_DUMP) {
                        dump[0] = true;
                        delays = true;
                        start(() -> pass(late, client, server));
                    }
                    out.write(buffer, 0, read);
                }
            } catch (IOException closed) {
                // One of the two has left.
            }
        });
        try (client;
                server) {
            byte[] buffer = new byte[65536];
            InputStream in = server.getInputStream();
            OutputStream out = client.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (dump[0]) {
                    late.add(new Chunk(Arrays.copyOf(buffer, read), System.nanoTime() + delayNanos));
                } else {
                    out.write(buffer, 0, read);
                }
            }
        } catch (IOException closed) {
            // One of the two has left.
        }
    }

    private static void pass(BlockingQueue<Chunk> late, Socket client, Socket server) {
        try {
            while (!server.isClosed()) {
                Chunk next = late.poll(1, TimeUnit.SECONDS);
                if (next != null) {
                    TimeUnit.NANOSECONDS.sleep(next.atNanos() - System.nanoTime());
                    if (!server.isClosed()) {
                        client.getOutputStream().write(next.bytes());
                    }
                }
            }
        } catch (IOException closed) {
            // One of the two has left.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
