package io.understudy.rebuild;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Relays connections to a server. Those that have sent a text can be cut or silenced, apart from all others. */
final class StatementRelay implements AutoCloseable {
    private final int target;
    private final String text;
    private final boolean silent;
    private final ServerSocket listener;
    private final List<Relayed> connections = new CopyOnWriteArrayList<>();

    /** @param silent whether a connection relays nothing any more, in both directions, once it has sent the text */
    StatementRelay(int target, String text, boolean silent) throws IOException {
        this.target = target;
        this.text = text;
        this.silent = silent;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        begin(this::accept);
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void begin(Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        // The connection, or the relay, is closed.
                    }
                },
                "statement-relay");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Relayed relayed = new Relayed(listener.accept(), new Socket(InetAddress.getLoopbackAddress(), target));
            connections.add(relayed);
            begin(relayed::up);
            begin(relayed::down);
        }
    }

    private final class Relayed {
        private final Socket client;
        private final Socket server;
        private volatile boolean chosen;

        Relayed(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void up() throws IOException {
            byte[] buffer = new byte[1 << 16];
            InputStream in = client.getInputStream();
            OutputStream out = server.getOutputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                boolean drops = chosen && silent;
                chosen |= new String(buffer, 0, length, StandardCharsets.ISO_8859_1).contains(text);
                if (!drops) {
                    out.write(buffer, 0, length);
                }
            }
            if (!chosen || !silent) {
                server.close();
            }
        }

        void down() throws IOException {
            byte[] buffer = new byte[1 << 16];
            InputStream in = server.getInputStream();
            OutputStream out = client.getOutputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                if (!chosen || !silent) {
                    out.write(buffer, 0, length);
                }
            }
            if (!chosen || !silent) {
                client.close();
            }
        }

        void cut() throws IOException {
            client.close();
            server.close();
        }
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Closes the connections that have sent the text. */
    void cut() throws IOException {
        for (Relayed relayed : connections) {
            if (relayed.chosen) {
                relayed.cut();
            }
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Relayed relayed : connections) {
            relayed.cut();
        }
    }
}
