package io.understudy.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports of the loopback address on which nothing listens, for what must know its port before it listens. They are below
 * those from which Linux takes the local ports of connections (32768): a port of those may be taken in between.
 */
public final class FreePort {
    private static final int FIRST = 20_000;
    private static final int PORTS = 12_000;
    private static final AtomicInteger NEXT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(PORTS));

    private FreePort() {}

    /** Returns a port, and another one at each call. Thread-safe. */
    public static int next() {
        for (int tried = 0; tried < PORTS; tried++) {
            int port = FIRST + NEXT.getAndIncrement() % PORTS;
            try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            } catch (IOException taken) {
                continue;
            }
        }
        throw new IllegalStateException("no port from " + FIRST + " on is free");
    }
}
