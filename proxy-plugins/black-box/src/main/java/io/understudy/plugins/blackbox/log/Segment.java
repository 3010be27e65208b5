package io.understudy.plugins.blackbox.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A file of the log, for reading. Thread-safe. */
final class Segment {
    final Path file;
    final SegmentHeader header;
    private final @Nullable LogCipher cipher;
    /** Transactions that are still needed. */
    private final AtomicInteger needed = new AtomicInteger();
    /** Bytes that the file takes. */
    private volatile long size;

    private @Nullable FileChannel channel;

    Segment(Path file, SegmentHeader header, @Nullable LogCipher cipher, long size) {
        this.file = file;
        this.header = header;
        this.cipher = cipher;
        this.size = size;
    }

    long size() {
        return size;
    }

    void size(long bytes) {
        size = bytes;
    }

    void retain() {
        needed.incrementAndGet();
    }

    void release() {
        needed.decrementAndGet();
    }

    boolean isNeeded() {
        return needed.get() > 0;
    }

    /** Encrypts a body if the segment is encrypted. */
    List<byte[]> stored(int number, List<byte[]> body) {
        return cipher == null ? body : List.of(cipher.encrypt(number, body));
    }

    /** Returns the body of a record, as it was before it was encrypted. */
    byte[] read(int offset, int length) throws IOException {
        ByteBuffer in = ByteBuffer.allocate(RecordFrame.HEAD + length);
        FileChannel from = channel();
        while (in.hasRemaining()) {
            if (from.read(in, offset + in.position()) < 0) {
                throw new IOException(file + " ends within the record at offset " + offset);
            }
        }
        RecordFrame frame = RecordFrame.read(header.id(), in.array(), 0);
        byte[] body = Arrays.copyOfRange(in.array(), RecordFrame.HEAD, in.capacity());
        if (frame == null || frame.length() != length || !frame.matches(header.id(), body)) {
            throw new IOException(file + " is damaged: the record at offset " + offset + " cannot be read");
        }
        return opened(frame.number(), body);
    }

    /** Decrypts a body if the segment is encrypted. */
    byte[] opened(int number, byte[] body) throws IOException {
        try {
            return cipher == null ? body : cipher.decrypt(number, body);
        } catch (GeneralSecurityException e) {
            throw new IOException(file + " is damaged: record " + number + " cannot be decrypted", e);
        }
    }

    private synchronized FileChannel channel() throws IOException {
        FileChannel open = channel;
        if (open == null || !open.isOpen()) {
            open = FileChannel.open(file, StandardOpenOption.READ);
            channel = open;
        }
        return open;
    }

    synchronized void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
    }

    void delete() throws IOException {
        close();
        Files.deleteIfExists(file);
    }
}
