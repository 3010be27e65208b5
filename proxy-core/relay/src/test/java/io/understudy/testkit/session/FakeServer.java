package io.understudy.testkit.session;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A server that follows a test's script, over real sockets. Each connection gets a thread that runs the script. */
public final class FakeServer implements AutoCloseable {
    /** Handles one connection, which is closed afterwards. */
    @FunctionalInterface
    public interface Script {
        void run(FakeServerConnection connection) throws Exception;
    }

    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> finished = new CompletableFuture<>();

    public FakeServer(Script script) throws IOException {
        listener = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
        daemon(() -> {
            while (!listener.isClosed()) {
                try {
                    Socket socket = listener.accept();
                    open.add(socket);
                    daemon(() -> serve(script, socket));
                } catch (IOException closed) {
                    return;
                }
            }
        });
    }

    private void serve(Script script, Socket socket) {
        try (socket) {
            script.run(new FakeServerConnection(socket));
            finished.complete(null);
        } catch (Throwable e) { // an assertion's failure too: await() rethrows it
            finished.completeExceptionally(e);
        } finally {
            open.remove(socket);
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "fake-server");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns a server that never sends anything. */
    public static FakeServer silent() throws IOException {
        return new FakeServer(connection -> connection.in().readAllBytes());
    }

    /** Returns a server that sends these bytes in place of a handshake packet and waits for the close. */
    public static FakeServer sending(byte[] bytes) throws IOException {
        return new FakeServer(connection -> {
            connection.raw(bytes);
            connection.in().readAllBytes();
        });
    }

    /** Returns a server that accepts every login, then sends {@code response} after each read, whatever the command. */
    public static FakeServer responding(byte[] response) throws IOException {
        return new FakeServer(connection -> {
            connection.letInPlain();
            byte[] buffer = new byte[65536];
            while (connection.in().read(buffer) >= 0) {
                connection.raw(response);
            }
        });
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /** Waits for the end of the first connection's script and rethrows its failure. */
    public void await() throws Exception {
        finished.get(20, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
