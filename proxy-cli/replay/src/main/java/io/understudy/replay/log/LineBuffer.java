package io.understudy.replay.log;

import io.understudy.plugins.capture.CaptureStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * A window on a stream in which lines are found. Everything from {@link #mark} on stays in the array, at offsets that
 * change only within {@link #fill}, which moves them to the front.
 */
final class LineBuffer {
    private static final int FIRST = 1 << 18;
    private static final int LONG = 16 * FIRST;
    /** More than the longest statement that is read, with what belongs to it. */
    private static final int MOST = 128 << 20;

    private final InputStream in;
    byte[] bytes = new byte[FIRST];
    /** The first byte not yet consumed. */
    int at;
    /** The first byte to keep. */
    int mark;

    private int limit;
    /** Offset in the stream of the array's first byte. */
    private long base;

    private boolean ended;
    private long line = 1;

    LineBuffer(InputStream in) {
        this.in = in;
    }

    /**
     * Returns the offset of the line break that ends the line at {@code from}, or of the end of the stream. Offsets
     * from before the call are to be taken relative to {@link #mark}.
     */
    int end(int from) throws IOException {
        int relative = from - mark;
        int p = from;
        while (true) {
            byte[] window = bytes;
            int stop = limit;
            while (p < stop) {
                if (window[p] == '\n') {
                    return p;
                }
                p++;
            }
            int searched = p - mark;
            if (!fill()) {
                return limit;
            }
            p = mark + Math.max(relative, searched);
        }
    }

    /** Reads more. Returns false at the end of the stream. */
    boolean fill() throws IOException {
        if (ended) {
            return false;
        }
        if (limit == bytes.length) {
            if (mark > bytes.length / 2) {
                System.arraycopy(bytes, mark, bytes, 0, limit - mark);
                base += mark;
                at -= mark;
                limit -= mark;
                mark = 0;
            } else if (bytes.length >= MOST) {
                throw damaged("no end of a line or statement within " + (MOST >> 20) + " MiB; is this a log?");
            } else {
                bytes = Arrays.copyOf(bytes, bytes.length * 2);
            }
        }
        int n = in.read(bytes, limit, bytes.length - limit);
        if (n < 0) {
            ended = true;
            return false;
        }
        limit += n;
        return true;
    }

    /** Returns whether {@code count} bytes from {@code from} are there, after reading as far as need be. */
    boolean has(int from, int count) throws IOException {
        int relative = from - mark;
        while (mark + relative + count > limit) {
            if (!fill()) {
                return false;
            }
        }
        return true;
    }

    int limit() {
        return limit;
    }

    boolean isOver() throws IOException {
        return !has(at, 1);
    }

    long line() {
        return line;
    }

    /** Returns the error of what is next and cannot be read: where it is, why, and what to do. */
    IOException damaged(String what) {
        return in instanceof CaptureStream files
                ? files.damaged(base + at, line, what)
                : new IOException("the log is damaged at byte " + (base + at) + ", line " + line + ": " + what);
    }

    /** Returns the name of what is read, for messages. */
    String name() {
        return in instanceof CaptureStream files ? files.name() : "the log";
    }

    /** Consumes up to {@code next}, behind a line break or at the end. */
    void consume(int next) {
        at = next;
        line++;
    }

    /** Returns the end of a line that is consumed already. */
    int end0(int from) {
        int p = from;
        while (p < limit && bytes[p] != '\n') {
            p++;
        }
        return p;
    }

    /** Goes back to a line that begins at {@code from}, behind {@link #mark}. */
    void rewind(int from, long number) {
        at = from;
        line = number;
    }

    /** Drops what is consumed, and the room that a long statement took. */
    void release() {
        mark = at;
        if (bytes.length > LONG && limit - at < FIRST) {
            bytes = Arrays.copyOfRange(bytes, at, at + FIRST);
            base += at;
            limit -= at;
            at = 0;
            mark = 0;
        }
    }

    boolean startsWith(int from, int end, String text) {
        if (from + text.length() > end) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (bytes[from + i] != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    boolean contains(int from, int end, String text) {
        for (int p = from; p <= end - text.length(); p++) {
            if (startsWith(p, end, text)) {
                return true;
            }
        }
        return false;
    }

    void close() throws IOException {
        in.close();
    }
}
