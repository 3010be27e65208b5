package io.understudy.embedded;

import java.io.IOException;
import java.net.Socket;

/** One relayed connection: two sockets and a lane for each direction. Guarded by the link's lock. */
final class LinkConnection {
    private final DelayedLink link;
    private final long number;
    private final Socket client;
    private final Socket server;
    private final LinkLane up;
    private final LinkLane down;

    LinkConnection(DelayedLink link, long number, Socket client, Socket server) {
        this.link = link;
        this.number = number;
        this.client = client;
        this.server = server;
        up = new LinkLane(link, this, client, server);
        down = new LinkLane(link, this, server, client);
    }

    void start() {
        up.start();
        down.start();
    }

    void wake() {
        up.wake();
        down.wake();
    }

    long number() {
        return number;
    }

    boolean isUp(LinkLane lane) {
        return lane == up;
    }

    /** Closes both sockets with RST, and drops the bytes in transit. */
    void cut() {
        up.abandon();
        down.abandon();
        reset(client);
        reset(server);
        link.forget(this);
    }

    /** Closes both sockets once both directions have ended. */
    void ended() {
        if (up.hasEnded() && down.hasEnded()) {
            up.abandon();
            down.abandon();
            close(client);
            close(server);
            link.forget(this);
        }
    }

    /** Closes with RST instead of FIN. */
    static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            // It is closed already.
        }
        close(socket);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Nothing is left to do with it.
        }
    }
}
