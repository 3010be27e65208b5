package io.understudy.it;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Clients that are none: random bytes, half-open connections, cut packets, and one that reads slowly. */
final class SoakIntruder implements Runnable {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long SIP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int SIP = 64 << 10;
    private static final int SIPS = 300;
    private static final int TIMEOUT_MILLIS = 5_000;
    private static final int KINDS = 7;

    private final InetSocketAddress address;
    private final Random random = new Random(7);
    private volatile boolean stopped;
    private final AtomicLong visits = new AtomicLong();

    SoakIntruder(InetSocketAddress address) {
        this.address = address;
    }

    /** Makes it run until the next {@link #stop}. */
    void start() {
        stopped = false;
    }

    void stop() {
        stopped = true;
    }

    long visits() {
        return visits.get();
    }

    @Override
    public void run() {
        while (!stopped) {
            try {
                intrude((int) (visits.getAndIncrement() % KINDS));
            } catch (IOException expected) {
                // The proxy or the server closed.
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void intrude(int kind) throws IOException {
        switch (kind) {
            case 0 -> {
                try (RawClient client = RawClient.open(address)) {
                    client.sendRaw(bytes(200));
                    client.readAll();
                }
            }
            case 1 -> {
                try (RawClient client = RawClient.open(address)) {
                    client.read();
                    client.sendRaw(bytes(500));
                    client.readAll();
                }
            }
            case 2 -> {
                try (Socket silent = new Socket(address.getAddress(), address.getPort())) {
                    silent.setSoTimeout(TIMEOUT_MILLIS);
                    silent.getInputStream().readAllBytes();
                }
            }
            case 3 -> {
                try (RawClient client = login()) {
                    client.sendRaw(new byte[] {100, 0, 0, 0, 3, 'S', 'E', 'L', 'E', 'C', 'T'});
                    client.reset();
                }
            }
            case 4 -> {
                try (RawClient client = login()) {
                    client.sendRaw(new byte[] {100, 0, 0, 0, 3, 'S', 'E', 'L', 'E', 'C', 'T'});
                    client.shutdownOutput();
                    client.readAll();
                }
            }
            case 5 -> {
                try (RawClient client = login()) {
                    client.sendRaw(bytes(40));
                    client.shutdownOutput();
                    client.readAll();
                }
            }
            default -> {
                try (RawClient client = RawClient.open(address)) {
                    client.read();
                    // An SSLRequest, and then no TLS.
                    client.send(
                            1,
                            new Payload()
                                    .uint(RawClient.PLAIN | 1 << 11, 4)
                                    .zeros(28)
                                    .bytes());
                    client.sendRaw(bytes(300));
                    client.readAll();
                }
            }
        }
    }

    private RawClient login() throws IOException {
        RawClient client = RawClient.open(address);
        client.login("app", MirrorProxy.PASSWORD, "shop", RawClient.PLAIN);
        return client;
    }

    private byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Reads most of a result of 20 MB, 64 KiB at a time, and leaves. */
    void readSlowly() {
        while (!stopped) {
            try (RawClient client = RawClient.open(address, SIP)) {
                client.login("app", MirrorProxy.PASSWORD, "shop", RawClient.PLAIN);
                client.query("SELECT REPEAT('x', 10000) FROM seq_1_to_2000");
                for (int sips = 0; sips < SIPS && !stopped && client.skip(SIP) == SIP; sips++) {
                    LockSupport.parkNanos(SIP_NANOS);
                }
            } catch (IOException expected) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }
}
