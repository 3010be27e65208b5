package io.understudy.plugins.blackbox.log;

import io.understudy.plugins.binlog.TransactionKind;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads one segment from its begin to its end. Where it is damaged it goes on with the next whole record: the checksums
 * include the segment's random id, so that no bytes of a client's look like one.
 */
final class SegmentReader {
    private static final int NONE = -1;

    private final Segment segment;
    private final FileWindow in;
    private final Map<Integer, byte[]> formats;
    private final LogVisitor visitor;
    /** Whether the segment's primary and position are known. */
    private boolean started;
    /** Number of the last whole record. */
    private int last = NONE;

    private SegmentReader(Segment segment, FileWindow in, Map<Integer, byte[]> formats, LogVisitor visitor) {
        this.segment = segment;
        this.in = in;
        this.formats = formats;
        this.visitor = visitor;
    }

    /**
     * Reads all. Returns the segment, or null if the file has no header.
     *
     * @param formats by their sums, those of the segments before; those of this one are added
     * @param cut whether an unfinished end is removed
     * @throws LogException if the key or the version is another one
     */
    static @Nullable Segment read(
            Path file, LogCipher.Keys keys, Map<Integer, byte[]> formats, boolean cut, LogVisitor visitor)
            throws IOException {
        Set<StandardOpenOption> options =
                cut ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE) : Set.of(StandardOpenOption.READ);
        try (FileChannel channel = FileChannel.open(file, options)) {
            FileWindow in = new FileWindow(channel);
            byte[] head = Arrays.copyOf(in.at(0, SegmentHeader.LENGTH), SegmentHeader.LENGTH);
            SegmentHeader header = SegmentHeader.read(file, head);
            if (header == null) {
                if (in.end() >= SegmentHeader.LENGTH) {
                    visitor.damage(new LogDamage(file, 0, in.end(), LogDamage.Kind.START));
                }
                return null;
            }
            Segment segment = new Segment(file, header, header.cipher(file, keys), channel.size());
            long end = new SegmentReader(segment, in, formats, visitor).read();
            if (cut && end < channel.size()) {
                channel.truncate(end);
                segment.size(end);
            }
            return segment;
        }
    }

    /** Returns where the file is to be cut. */
    private long read() throws IOException {
        long at = SegmentHeader.LENGTH;
        while (at < in.end()) {
            RecordFrame frame = frame(at);
            long behind = at + (frame == null ? RecordFrame.HEAD + 1 : frame.total());
            if (frame == null || !deliver(at, frame)) {
                if (behind > in.end()) {
                    damage(
                            at,
                            in.end(),
                            segment.header.synced() ? LogDamage.Kind.UNFINISHED : LogDamage.Kind.UNFINISHED_UNSYNCED);
                    return at;
                }
                behind = frame != null && behind < in.end() ? behind : nextWhole(at + 1);
                if (behind == NONE) {
                    damage(at, in.end(), LogDamage.Kind.END);
                    return in.end();
                }
                damage(at, behind, LogDamage.Kind.MIDDLE);
            }
            at = behind;
        }
        return at;
    }

    private void damage(long from, long to, LogDamage.Kind kind) {
        boolean unassigned = !started && kind == LogDamage.Kind.MIDDLE;
        visitor.damage(new LogDamage(segment.file, from, to - from, unassigned ? LogDamage.Kind.START : kind));
    }

    private @Nullable RecordFrame frame(long at) throws IOException {
        byte[] bytes = in.at(at, RecordFrame.HEAD);
        RecordFrame frame = RecordFrame.read(segment.header.id(), bytes, in.index(at));
        return frame != null && frame.number() > last ? frame : null;
    }

    /** Returns the stored body of a record, or null if it is not whole. */
    private byte @Nullable [] body(long at, RecordFrame frame) throws IOException {
        if (at + frame.total() > in.end() + 1) { // the end's own byte may be damaged
            return null;
        }
        long from = at + RecordFrame.HEAD;
        byte[] window = in.at(from, frame.length());
        byte[] body = Arrays.copyOfRange(window, in.index(from), in.index(from) + frame.length());
        return frame.matches(segment.header.id(), body) ? body : null;
    }

    private long nextWhole(long from) throws IOException {
        for (long at = from; at + RecordFrame.HEAD < in.end(); at++) {
            RecordFrame frame = frame(at);
            if (frame != null && body(at, frame) != null) {
                return at;
            }
        }
        return NONE;
    }

    /** Returns whether the record is whole. */
    private boolean deliver(long at, RecordFrame frame) throws IOException {
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

    private void deliver(long at, RecordFrame frame, ByteBuffer body) {
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
                        new LogPlace(segment, (int) at, frame.length()));
            }
        }
    }
}
