package io.understudy.plugins.blackbox.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Reads a file mostly forwards, a part at a time. */
final class FileWindow {
    private static final int LEAST = 1 << 20;

    private final FileChannel channel;
    private final long end;
    private byte[] bytes = {};
    private long begin;

    FileWindow(FileChannel channel) throws IOException {
        this.channel = channel;
        end = content(channel);
    }

    /** Returns the offset behind the last byte that is not zero. */
    long end() {
        return end;
    }

    private static long content(FileChannel channel) throws IOException {
        long at = channel.size();
        while (at > 0) {
            ByteBuffer part = ByteBuffer.allocate((int) Math.min(LEAST, at));
            long from = at - part.capacity();
            while (part.hasRemaining() && channel.read(part, from + part.position()) >= 0) {
                continue;
            }
            for (int i = part.capacity() - 1; i >= 0; i--) {
                if (part.get(i) != 0) {
                    return from + i + 1;
                }
            }
            at = from;
        }
        return 0;
    }

    /**
     * Returns an array that holds {@code length} bytes from an offset at {@link #index}; zeros behind the file's end.
     */
    byte[] at(long offset, int length) throws IOException {
        if (offset < begin || offset + length > begin + bytes.length) {
            ByteBuffer part = ByteBuffer.allocate(Math.max(LEAST, length));
            while (part.hasRemaining() && channel.read(part, offset + part.position()) >= 0) {
                continue;
            }
            bytes = part.array();
            begin = offset;
        }
        return bytes;
    }

    /** Returns the index of an offset in the array that {@link #at} returned last. */
    int index(long offset) {
        return (int) (offset - begin);
    }
}
