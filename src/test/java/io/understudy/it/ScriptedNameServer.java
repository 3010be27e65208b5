package io.understudy.it;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A slow name server on loopback. It resolves every name to 127.0.0.1 with the shortest TTL, unless told otherwise. */
final class ScriptedNameServer implements AutoCloseable {
    private static final int HEADER = 12;
    private static final int TYPE_A = 1;

    private final DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();
    private final AtomicInteger requests = new AtomicInteger();
    private volatile Duration delay = Duration.ZERO;
    private volatile byte lastByte = 1;
    private volatile byte ttlSeconds;

    ScriptedNameServer() throws IOException {
        Thread thread = new Thread(this::serve, "name-server");
        thread.setDaemon(true);
        thread.start();
    }

    /** Creates a resolv.conf that names this server. */
    Path resolvConf(Path folder) throws IOException {
        return Files.writeString(
                folder.resolve("resolv.conf"), "nameserver [127.0.0.1]:" + socket.getLocalPort() + "\n");
    }

    void delay(Duration length) {
        delay = length;
    }

    /** Every name stands for 127.0.0.{@code lastByte} from now on. */
    void move(int lastByte, int ttlSeconds) {
        this.lastByte = (byte) lastByte;
        this.ttlSeconds = (byte) ttlSeconds;
    }

    /** Returns the number of queries so far. */
    int requests() {
        return requests.get();
    }

    private void serve() {
        byte[] buffer = new byte[1500];
        while (!socket.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                socket.receive(packet);
                requests.incrementAndGet();
                byte[] response = response(Arrays.copyOf(buffer, packet.getLength()));
                DatagramPacket out = new DatagramPacket(response, response.length, packet.getSocketAddress());
                later.schedule(() -> send(out), delay.toMillis(), TimeUnit.MILLISECONDS);
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void send(DatagramPacket packet) {
        try {
            socket.send(packet);
        } catch (IOException closed) {
            // The test has ended.
        }
    }

    private byte[] response(byte[] request) {
        int end = HEADER;
        while (request[end] != 0) {
            end += request[end] + 1;
        }
        boolean address = request[end + 2] == TYPE_A;
        Payload out = new Payload()
                .raw(Arrays.copyOf(request, 2))
                .raw(new byte[] {(byte) 0x81, (byte) 0x80, 0, 1, 0, (byte) (address ? 1 : 0), 0, 0, 0, 0})
                .raw(Arrays.copyOfRange(request, HEADER, end + 5));
        if (address) {
            out.raw(new byte[] {(byte) 0xC0, HEADER, 0, TYPE_A, 0, 1, 0, 0, 0, ttlSeconds, 0, 4, 127, 0, 0, lastByte});
        }
        return out.bytes();
    }

    @Override
    public void close() {
        socket.close();
        later.shutdownNow();
    }
}
