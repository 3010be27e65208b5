package io.understudy.testkit.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.testkit.Bytes;
import io.understudy.wire.Leg;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** An end of a session that records what is sent to it. */
public final class FakeLeg implements Leg {
    private final ByteBufAllocator alloc;
    private final SocketAddress address = InetSocketAddress.createUnresolved("192.0.2.1", 4711);
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private boolean keeping = true;
    private long sentBytes;
    private int flushes;
    private boolean reading;
    private boolean closed;
    private boolean local;
    private boolean outputShut;
    private int leastRead = 1;

    public FakeLeg(ByteBufAllocator alloc) {
        this.alloc = alloc;
    }

    @Override
    public ByteBufAllocator alloc() {
        return alloc;
    }

    @Override
    public SocketAddress remoteAddress() {
        return address;
    }

    @Override
    public void write(ByteBuf bytes) {
        sentBytes += bytes.readableBytes();
        if (keeping) {
            sent.writeBytes(Bytes.read(bytes));
        }
        bytes.release();
    }

    @Override
    public void flush() {
        flushes++;
    }

    @Override
    public void awaitAtLeast(int bytes) {
        leastRead = bytes;
    }

    /** Returns the number of bytes below which the session need not be called. */
    public int leastRead() {
        return leastRead;
    }

    @Override
    public void setReading(boolean on) {
        reading = on;
    }

    @Override
    public void execute(Runnable task) {
        task.run();
    }

    @Override
    public void shutdownOutput() {
        outputShut = true;
    }

    @Override
    public void closeAfterFlush() {
        closed = true;
    }

    @Override
    public boolean isLocal() {
        return local;
    }

    /** Makes the leg a Unix socket, which counts as secure without TLS. */
    public void beLocal() {
        beLocal(true);
    }

    public void beLocal(boolean unixSocket) {
        local = unixSocket;
    }

    /** Discards and counts the bytes from now on, for measurements. */
    public void countOnly() {
        keeping = false;
    }

    /** Returns the bytes sent since the last call. */
    public byte[] take() {
        byte[] bytes = sent.toByteArray();
        sent.reset();
        return bytes;
    }

    public long sentBytes() {
        return sentBytes;
    }

    public int flushes() {
        return flushes;
    }

    public boolean reading() {
        return reading;
    }

    public boolean closed() {
        return closed;
    }

    public boolean outputShut() {
        return outputShut;
    }
}
