package io.understudy.it;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** Lets a server be reached under another address: 127.0.0.N with a port of its own. */
final class Forwarder implements AutoCloseable {
    private final ServerSocket listener;
    private final InetSocketAddress to;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final List<AtomicLong> sent = new CopyOnWriteArrayList<>();

    /** @param port 0 for any */
    Forwarder(int lastByte, int port, InetSocketAddress to) throws IOException {
        listener = new ServerSocket(port, 50, InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) lastByte}));
        this.to = to;
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Returns the number of connections in which the server has sent more bytes. */
    long connectionsAbove(long bytes) {
        return sent.stream().filter(one -> one.get() > bytes).count();
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "forwarder");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (true) {
            try {
                Socket client = listener.accept();
                Socket server = new Socket(to.getAddress(), to.getPort());
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                sockets.add(client);
                sockets.add(server);
                AtomicLong fromServer = new AtomicLong();
                sent.add(fromServer);
                start(() -> copy(client, server, new AtomicLong()));
                start(() -> copy(server, client, fromServer));
            } catch (IOException closed) {
                if (listener.isClosed()) {
                    return;
                }
            }
        }
    }

    private static void copy(Socket from, Socket to, AtomicLong bytes) {
        try (from;
                to;
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            byte[] buffer = new byte[8192];
            int read;
            while ((read = in.read(buffer)) >= 0) {
                bytes.addAndGet(read);
                out.write(buffer, 0, read);
            }
        } catch (IOException closed) {
            // One of the two has left.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
