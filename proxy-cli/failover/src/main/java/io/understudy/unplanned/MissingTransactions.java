package io.understudy.unplanned;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.EventHeader;
import io.understudy.plugins.binlog.EventType;
import io.understudy.plugins.binlog.TransactionBytes;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The transactions of one rescue file or of several, each once, in an order that agrees with all files. Their bytes are
 * in a file without a name, which goes with the process: it holds rows. Used by one thread.
 */
final class MissingTransactions implements AutoCloseable {
    private static final int MAGIC = 4;
    /** A transaction is an array here. */
    private static final int LONGEST = Integer.MAX_VALUE - 1024;

    private final ServerFlavor flavor;
    private final FileChannel spool;
    private List<MissingTransaction> all = new ArrayList<>();

    MissingTransactions(ServerFlavor flavor) throws IOException {
        this.flavor = flavor;
        Path file = Files.createTempFile("understudy-rescue", ".binlog"); // readable by its owner only
        spool = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Files.delete(file);
    }

    /** Gives the parts of a rescue file; an empty one is its end. */
    interface Parts {
        byte[] next() throws IOException, InterruptedException;
    }

    /**
     * Adds a rescue file.
     *
     * @throws IOException if it cannot be read in full; the message says where it breaks off
     */
    void add(Parts parts) throws IOException, InterruptedException {
        long begin = spool.size();
        long end = begin;
        for (byte[] part = parts.next(); part.length > 0; part = parts.next()) {
            ByteBuffer buffer = ByteBuffer.wrap(part);
            while (buffer.hasRemaining()) {
                end += spool.write(buffer, end);
            }
        }
        if (end > begin + MAGIC) {
            unite(read(begin + MAGIC, end));
        }
    }

    List<MissingTransaction> all() {
        return List.copyOf(all);
    }

    long bytes() {
        return all.stream().mapToLong(MissingTransaction::length).sum();
    }

    /** Returns the events of a transaction, and behind them the statement of a rescue file that notes it. */
    byte[] events(MissingTransaction transaction) throws IOException {
        return bytes(transaction.offset(), transaction.length());
    }

    private byte[] bytes(long offset, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining()) {
            if (spool.read(bytes, offset + bytes.position()) < 0) {
                throw new EOFException("the copy of a transaction breaks off");
            }
        }
        return bytes.array();
    }

    private List<MissingTransaction> read(long begin, long end) throws IOException {
        List<MissingTransaction> found = new ArrayList<>();
        InputStream in = new BufferedInputStream(Channels.newInputStream(spool.position(begin)));
        DataInputStream data = new DataInputStream(in);
        byte[] format = {};
        long first = -1; // where the present transaction begins
        long at = begin;
        while (at < end) {
            byte[] header = new byte[RawEvent.HEADER];
            data.readFully(header);
            RawEvent event = new RawEvent(header);
            long length = EventHeader.length(event.buffer(), 0);
            if (length < RawEvent.HEADER || length > end - at) {
                throw new IOException("the transactions from the proxy break off " + (end - at) + " bytes before their"
                        + " end; try again");
            }
            boolean describes = event.type() == EventType.FORMAT_DESCRIPTION;
            if (describes || EventType.beginsTransaction(event.type())) {
                finish(found, format, first, at);
                first = describes ? -1 : at;
            }
            byte[] body = describes ? data.readNBytes((int) length - RawEvent.HEADER) : new byte[0];
            if (describes) {
                format = ByteBuffer.allocate((int) length).put(header).put(body).array();
            } else {
                data.skipNBytes(length - RawEvent.HEADER);
            }
            at += length;
        }
        finish(found, format, first, end);
        return found;
    }

    private void finish(List<MissingTransaction> found, byte[] format, long first, long end) throws IOException {
        if (first < 0) {
            return;
        }
        if (end - first > LONGEST) {
            throw new IOException("a transaction of " + (end - first) + " bytes is too large for this program");
        }
        int length = (int) (end - first);
        BinlogTransaction summary = TransactionBytes.read(flavor, format, bytes(first, length));
        if (summary == null || summary.gtid() == null) {
            throw new IOException("the transaction at byte " + first + " of the proxy's answer is not complete");
        }
        found.add(new MissingTransaction(flavor, summary, format, first, length));
    }

    /**
     * Merges: what both have keeps its place, and what only one has goes behind all that precedes it in its file, or
     * has a lower number of the same numbering.
     */
    private void unite(List<MissingTransaction> more) {
        Map<String, Integer> places = new HashMap<>();
        Map<String, TreeMap<Long, Integer>> bySource = new HashMap<>();
        for (int i = 0; i < all.size(); i++) {
            MissingTransaction each = all.get(i);
            places.put(each.gtid(), i);
            bySource.computeIfAbsent(each.source(), none -> new TreeMap<>())
                    .put(each.summary().sequence(), i);
        }
        List<MissingTransaction> united = new ArrayList<>(all.size() + more.size());
        int taken = 0;
        for (MissingTransaction each : more) {
            Integer place = places.get(each.gtid());
            Map.Entry<Long, Integer> before = place == null
                    ? bySource.getOrDefault(each.source(), new TreeMap<>())
                            .floorEntry(each.summary().sequence())
                    : Map.entry(0L, place);
            while (before != null && taken <= before.getValue()) {
                united.add(all.get(taken++));
            }
            if (place == null) {
                united.add(each);
            }
        }
        united.addAll(all.subList(taken, all.size()));
        all = united;
    }

    @Override
    public void close() throws IOException {
        spool.close();
    }
}
