package io.understudy.plugins.blackbox.log;

import io.understudy.plugins.binlog.TransactionKind;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads one segment from its begin to its end. Where it is damaged it goes on with the next whole record: the checksums
 * include the segment's random id, so that no bytes of a client's look like one.
 */
final class SegmentReader {
    private static final int NONE = -1;
    /** No array is longer on any virtual machine. */
    private static final long LARGEST = Integer.MAX_VALUE - 8;

    private final Segment segment;
    private final byte[] in;
    /** Offset behind the last byte that is not zero. */
    private final int end;

    private final Map<Integer, byte[]> formats;
    private final LogVisitor visitor;
    /** Whether the segment's primary and position are known. */
    private boolean started;
    /** Number of the last whole record. */
    private int last = NONE;

    private SegmentReader(Segment segment, byte[] in, int end, Map<Integer, byte[]> formats, LogVisitor visitor) {
        this.segment = segment;
        this.in = in;
        this.end = end;
        this.formats = formats;
        this.visitor = visitor;
    }

    /**
     * Reads all. Returns the segment, or null if the file has no header.
     *
     * @param formats by their sums, those of the segments before; those of this one are added
     * @param cut whether an unfinished end is removed
     * @throws LogException if the key or the version is another one, or the file is too large
     */
    static @Nullable Segment read(
            Path file, LogCipher.Keys keys, Map<Integer, byte[]> formats, boolean cut, LogVisitor visitor)
            throws IOException {
        if (Files.size(file) > LARGEST) {
            throw LogException.unusable(file + " has " + Files.size(file) + " bytes, more than this version can read:"
                    + " rescue what you need of it with the version that wrote it, then move the file away");
        }
        byte[] in = Files.readAllBytes(file);
        int content = in.length;
        while (content > 0 && in[content - 1] == 0) {
            content--;
        }
        SegmentHeader header = SegmentHeader.read(file, Arrays.copyOf(in, SegmentHeader.LENGTH));
        if (header == null) {
            if (content >= SegmentHeader.LENGTH) {
                visitor.damage(new LogDamage(file, 0, content, LogDamage.Kind.START));
            }
            return null;
        }
        Segment segment = new Segment(file, header, header.cipher(file, keys), in.length);
        int end = new SegmentReader(segment, in, content, formats, visitor).read();
        if (cut && end < in.length) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(end);
            }
            segment.size(end);
        }
        return segment;
    }

    /** Returns where the file is to be cut. */
    private int read() {
        int at = SegmentHeader.LENGTH;
        while (at < end) {
            RecordFrame frame = frame(at);
            long behind = at + (frame == null ? RecordFrame.HEAD + 1 : frame.total());
            if (frame == null || !deliver(at, frame)) {
                if (behind > end) {
                    damage(
                            at,
                            end,
                            segment.header.synced() ? LogDamage.Kind.UNFINISHED : LogDamage.Kind.UNFINISHED_UNSYNCED);
                    return at;
                }
                behind = frame != null && behind < end ? behind : nextWhole(at + 1);
                if (behind == NONE) {
                    damage(at, end, LogDamage.Kind.END);
                    return end;
                }
                damage(at, behind, LogDamage.Kind.MIDDLE);
            }
            at = (int) behind;
        }
        return at;
    }

    private void damage(long from, long to, LogDamage.Kind kind) {
        boolean unassigned = !started && kind == LogDamage.Kind.MIDDLE;
        visitor.damage(new LogDamage(segment.file, from, to - from, unassigned ? LogDamage.Kind.START : kind));
    }

    private @Nullable RecordFrame frame(int at) {
        if (at + RecordFrame.HEAD > in.length) {
            return null;
        }
        RecordFrame frame = RecordFrame.read(segment.header.id(), in, at);
        return frame != null && frame.number() > last ? frame : null;
    }

    /** Returns the stored body of a record, or null if it is not whole. */
    private byte @Nullable [] body(int at, RecordFrame frame) {
        if (at + frame.total() > end + 1) { // the end's own byte may be damaged
            return null;
        }
        int from = at + RecordFrame.HEAD;
        byte[] body = Arrays.copyOfRange(in, from, from + frame.length());
        return frame.matches(segment.header.id(), body) ? body : null;
    }

    private int nextWhole(int from) {
        for (int at = from; at + RecordFrame.HEAD < end; at++) {
            RecordFrame frame = frame(at);
            if (frame != null && body(at, frame) != null) {
                return at;
            }
        }
        return NONE;
    }

    /** Returns whether the record is whole. */
    private boolean deliver(int at, RecordFrame frame) {
        byte[] stored = body(at, frame);
        if (stored == null) {
            return false;
        }
        try {
            deliver(at, frame, ByteBuffer.wrap(segment.opened(frame.number(), stored)));
            last = frame.number();
            return true;
        } catch (IOException | IllegalArgumentException | BufferUnderflowException e) {
            return false;
        }
    }

    private void deliver(int at, RecordFrame frame, ByteBuffer body) {
        byte type = body.get();
        if (type == LogRecord.START) {
            LogStart start = LogRecord.start(body);
            started = true;
            visitor.start(start);
        } else if (type == LogRecord.FORMAT) {
            byte[] event = new byte[body.remaining()];
            body.get(event);
            formats.putIfAbsent(LogRecord.sum(event), event);
        } else if ((type == LogRecord.MISSED || type == LogRecord.APPLIED) && started) {
            visitor.missed(LogRecord.text(body), type == LogRecord.APPLIED);
        } else if (type == LogRecord.OUTCOME) {
            byte[] record = new byte[body.remaining()];
            body.get(record);
            visitor.outcome(record);
        } else if (type == LogRecord.TRANSACTION && started) {
            body.getInt();
            long millis = body.getLong();
            byte[] format = formats.get(body.getInt());
            String gtid = LogRecord.text(body);
            String[] kind = LogRecord.text(body).split(" ", 2);
            if (format == null) {
                damage(at, at + frame.total(), LogDamage.Kind.MIDDLE);
                visitor.missed(gtid, false);
            } else {
                segment.retain();
                visitor.transaction(
                        new LoggedTransaction(
                                gtid,
                                TransactionKind.valueOf(kind[0]),
                                millis,
                                format,
                                body.remaining(),
                                kind.length > 1 ? kind[1] : null),
                        new LogPlace(segment, at, frame.length()));
            }
        }
    }
}
