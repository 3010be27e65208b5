package io.understudy.plugins.blackbox.log;

import io.understudy.base.Secret;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writer of a log. What was appended since the last {@link #flush} is written together, or, if that fails, not at
 * all: then its segment ends before it, and the next {@link #start} begins another one. Used by one thread, except for
 * {@link #trim} and {@link #bytes}.
 */
public final class TransactionLog implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(TransactionLog.class);

    private static final int MIB = 1 << 20;
    private static final int LARGEST_SEGMENT = 32 * MIB;
    /** A longer file is a change that fdatasync has to write, too, so it is made longer by this much at once. */
    private static final int AHEAD = MIB;

    private final Path directory;
    private final long size;
    private final boolean synced;
    private final LogCipher.Keys keys;
    private final byte @Nullable [] salt;
    private final DirectoryLock lock;
    private final List<Segment> segments;
    private final ByteBuffer staging = ByteBuffer.allocateDirect(MIB);
    private long lastNumber;

    private @Nullable Writing writing;

    /** The segment that is being written. */
    private static final class Writing {
        private final Segment segment;
        private final FileChannel channel;
        private byte @Nullable [] format;
        private int records;
        /** Offset behind what was written to the channel. */
        private long written;
        /** Offset behind the last flush. */
        private long flushed;
        /** Transactions appended since. */
        private int pending;

        private Writing(Segment segment, FileChannel channel) {
            this.segment = segment;
            this.channel = channel;
        }
    }

    private TransactionLog(
            Path directory,
            long size,
            boolean synced,
            LogCipher.Keys keys,
            DirectoryLock lock,
            List<Segment> segments) {
        this.directory = directory;
        this.size = size;
        this.synced = synced;
        this.keys = keys;
        this.lock = lock;
        this.segments = segments;
        byte[] known = null;
        for (Segment each : segments) {
            known = each.header.salt() == null ? known : each.header.salt();
            lastNumber = Math.max(lastNumber, each.header.number());
        }
        salt = keys.present() && known == null ? SegmentHeader.random() : keys.present() ? known : null;
    }

    /**
     * Opens a log and reads it, or creates it.
     *
     * @param size bytes that it may take
     * @param synced whether {@link #flush} waits for the disk
     * @param key encrypts it, or null
     * @param visitor receives what it holds
     * @throws LogException if it cannot be used, with the remedy; nothing is changed then
     */
    public static TransactionLog open(
            Path directory, long size, boolean synced, @Nullable Secret key, LogVisitor visitor) throws LogException {
        try {
            DirectoryLock lock = DirectoryLock.take(directory);
            try {
                LogCipher.Keys keys = new LogCipher.Keys(key);
                List<Segment> segments = new ArrayList<>(LogFiles.read(directory, keys, true, visitor));
                return new TransactionLog(directory, size, synced, keys, lock, segments);
            } catch (IOException | RuntimeException | Error e) { // a large file may take more memory than there is
                lock.close();
                throw e;
            }
        } catch (LogException e) {
            throw e;
        } catch (IOException e) {
            throw new LogException(
                    LogException.Reason.IO,
                    "the log in " + directory + " cannot be opened (" + e + "): see that the proxy's user owns it",
                    e);
        }
    }

    /** Returns whether {@link #start} has to come next: nothing was started, a segment is full, or has failed. */
    public boolean needsStart() {
        Writing now = writing;
        return now == null || now.written + staging.position() >= segmentSize();
    }

    /**
     * Says what position comes next. Begins a segment if {@link #needsStart}.
     *
     * @param next whether to begin one in any case: another primary's
     */
    public void start(LogStart start, boolean next) throws LogException {
        try {
            if (next || needsStart()) {
                seal();
                begin();
            }
            record(List.of(LogRecord.start(start)));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Ends the present segment: what was made longer ahead is made shorter. */
    private void seal() throws IOException {
        Writing now = writing;
        if (now != null) {
            flush();
            writing = null;
            try (FileChannel channel = now.channel) {
                channel.truncate(now.flushed);
                now.segment.size(now.flushed);
            }
        }
    }

    private void begin() throws IOException {
        Path file;
        do {
            file = LogFiles.file(directory, ++lastNumber);
        } while (Files.exists(file)); // without a header, as its writer was killed before the first flush, or damaged
        byte[] check = salt == null ? null : keys.check(salt);
        SegmentHeader header = new SegmentHeader(lastNumber, synced, SegmentHeader.random(), salt, check);
        FileChannel channel = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(DirectoryLock.OWNER_ONLY));
        Segment segment = new Segment(file, header, header.cipher(file, keys), 0);
        writing = new Writing(segment, channel);
        synchronized (segments) {
            segments.add(segment);
        }
        put(header.bytes());
        if (synced) {
            try (FileChannel entries = FileChannel.open(directory, StandardOpenOption.READ)) {
                entries.force(true);
            }
        }
    }

    /**
     * Says that there is room, before anything is appended.
     *
     * @param bytes that will be appended before the next {@link #flush}
     * @throws LogException if the log would become larger than it may be
     */
    public void reserve(long bytes) throws LogException {
        if (bytes() + bytes + MIB > size) {
            trim(0);
            if (bytes() + bytes + MIB > size) {
                throw new LogException(
                        LogException.Reason.SIZE_FULL,
                        directory + " holds " + bytes() + " of at most " + size + " bytes that some standby has not"
                                + " applied: see why it lags, or raise plugins.black-box.size",
                        null);
            }
        }
    }

    /** Appends a transaction. It is in the log after the next {@link #flush}. */
    public LogPlace append(LoggedTransaction transaction, List<byte[]> events) throws LogException {
        Writing now = present();
        if (transaction.format() != now.format) {
            record(List.of(LogRecord.format(transaction.format())));
            now.format = transaction.format();
        }
        List<byte[]> body = new ArrayList<>(events.size() + 1);
        body.add(LogRecord.head(transaction));
        body.addAll(events);
        long at = now.written + staging.position();
        int length = record(body);
        now.segment.retain();
        now.pending++;
        return new LogPlace(now.segment, (int) at, length);
    }

    /**
     * Appends that a transaction was not kept.
     *
     * @param applied whether that is because every standby had applied it
     */
    public void missed(String gtid, boolean applied) throws LogException {
        record(List.of(LogRecord.missed(gtid, applied)));
    }

    /** Appends what became of a lost statement. It goes with its segment. */
    public void outcome(byte[] outcome) throws LogException {
        record(List.of(LogRecord.outcome(outcome)));
    }

    private Writing present() {
        Writing now = writing;
        if (now == null) {
            throw new IllegalStateException("start() first");
        }
        return now;
    }

    /** Returns the bytes of the stored body. */
    private int record(List<byte[]> body) throws LogException {
        Writing now = present();
        byte[] id = now.segment.header.id();
        List<byte[]> stored = now.segment.stored(now.records, body);
        RecordFrame frame = RecordFrame.of(id, now.records++, stored);
        try {
            put(frame.head(id));
            for (byte[] part : stored) {
                put(ByteBuffer.wrap(part));
            }
            put(ByteBuffer.wrap(new byte[] {RecordFrame.END}));
            return frame.length();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private void put(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (!staging.hasRemaining()) {
                writeStaged();
            }
            ByteBuffer part = bytes.slice();
            part.limit(Math.min(part.limit(), staging.remaining()));
            staging.put(part);
            bytes.position(bytes.position() + part.limit());
        }
    }

    private void writeStaged() throws IOException {
        Writing now = present();
        staging.flip();
        while (staging.hasRemaining()) {
            now.written += now.channel.write(staging, now.written);
        }
        staging.clear();
    }

    /**
     * Writes what was appended; a synced log then waits for the disk.
     *
     * @throws LogException if nothing of it is in the log: {@link #start} and append it again
     */
    public void flush() throws LogException {
        Writing now = writing;
        if (now == null) {
            return;
        }
        try {
            writeStaged();
            if (synced) {
                lengthen(now);
                now.channel.force(false);
            }
            now.flushed = now.written;
            now.pending = 0;
            now.segment.size(Math.max(now.segment.size(), now.flushed));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private void lengthen(Writing now) {
        if (now.written <= now.segment.size() || bytes() + 2 * AHEAD > size) {
            return;
        }
        long to = now.written + AHEAD;
        try {
            staging.clear();
            while (staging.hasRemaining()) {
                staging.put((byte) 0);
            }
            now.channel.write(staging.flip(), now.written);
            now.segment.size(to);
        } catch (IOException e) {
            log.debug("black-box: {} cannot be made longer ahead", now.segment.file, e);
        } finally {
            staging.clear();
        }
    }

    /** Takes back what was appended since the last flush, and ends the segment. */
    private LogException failed(IOException why) {
        staging.clear();
        Writing now = writing;
        writing = null;
        if (now != null) {
            for (; now.pending > 0; now.pending--) {
                now.segment.release();
            }
            try (FileChannel channel = now.channel) {
                channel.truncate(now.flushed);
                now.segment.size(now.flushed);
            } catch (IOException e) {
                log.debug("black-box: the end of {} cannot be taken back", now.segment.file, e);
            }
            if (now.flushed == 0) {
                forget(now.segment);
            }
        }
        if (why instanceof LogException known) {
            return known;
        }
        boolean full = String.valueOf(why.getMessage()).contains("No space left") || free() < MIB;
        return full
                ? new LogException(LogException.Reason.DISK_FULL, "the file system of " + directory + " is full", why)
                : new LogException(
                        LogException.Reason.IO,
                        directory + " cannot be written (" + why.getMessage()
                                + "): see the system's log about the disk",
                        why);
    }

    /** Deletes a segment in which nothing was written, so that attempts leave no files. */
    private void forget(Segment segment) {
        synchronized (segments) {
            segments.remove(segment);
        }
        try {
            segment.delete();
        } catch (IOException e) {
            log.debug("black-box: {} cannot be deleted", segment.file, e);
        }
    }

    private long free() {
        try {
            return Files.getFileStore(directory).getUsableSpace();
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }

    /** Returns the bytes that the files take. Thread-safe. */
    public long bytes() {
        synchronized (segments) {
            return segments.stream().mapToLong(Segment::size).sum();
        }
    }

    /**
     * Deletes the segments of which nothing is needed any longer, but for what two full ones hold: after a restart that
     * tells what became of statements. The newest stays: it has the position. Thread-safe.
     */
    public void trim() {
        trim(2 * segmentSize());
    }

    private long segmentSize() {
        return Math.min(LARGEST_SEGMENT, size / 16);
    }

    private void trim(long spared) {
        synchronized (segments) {
            for (Segment each : List.copyOf(segments)) {
                if (!each.isNeeded() && each != segments.get(segments.size() - 1) && bytes() > spared) {
                    delete(each);
                }
            }
        }
    }

    private void delete(Segment segment) {
        try {
            segment.delete();
            segments.remove(segment);
        } catch (IOException e) {
            log.warn(
                    "black-box: {} is no longer needed and cannot be deleted ({}); it counts towards"
                            + " plugins.black-box.size",
                    segment.file,
                    e.getMessage());
        }
    }

    @Override
    public void close() throws IOException {
        try {
            seal();
        } finally {
            synchronized (segments) {
                for (Segment each : segments) {
                    each.close();
                }
            }
            lock.close();
        }
    }
}
