package io.understudy.it;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.understudy.embedded.DelayedLink;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Measures the true wait for the replica, independent of server and proxy. It records when each transaction's last
 * event and its acknowledgement pass the link between primary and replica. Supports transactions of one INSERT.
 *
 * <p>In a semi-synchronous stream each event has 0x00, 0xEF and a flag before its header. An acknowledgement is 0xEF, a
 * position (8 bytes) and the file name (<a href="https://mariadb.com/kb/en/semi-synchronous-replication/">MariaDB</a>;
 * MySQL uses the same format). A position acknowledges everything before it.
 */
final class SemiSyncTruth implements DelayedLink.Watch {
    private static final int MAGIC = 0xEF;
    private static final int XID = 16;
    private static final int MYSQL_GTID = 33;
    private static final int MARIADB_GTID = 162;
    private static final int HEADER = 19;
    private static final int EVENT = 3;

    /**
     * The times of one transaction, in nanoseconds of {@link System#nanoTime}.
     *
     * @param sent when its last event arrived at the link from the primary
     * @param delivered when that event left the link towards the replica
     * @param acknowledged when the acknowledgement arrived at the link
     * @param returned when the acknowledgement left the link towards the primary
     */
    record Wait(String gtid, long sent, long delivered, long acknowledged, long returned) {
        long nanos() {
            return returned - sent;
        }
    }

    private record Pending(String gtid, long position, long sent, long delivered) {}

    /** Splits one direction into packets and keeps the bytes of an incomplete packet. */
    private static final class Packets {
        private byte[] rest = new byte[0];

        private List<byte[]> add(ByteBuf more) {
            byte[] all = Arrays.copyOf(rest, rest.length + more.readableBytes());
            more.getBytes(more.readerIndex(), all, rest.length, more.readableBytes());
            List<byte[]> packets = new ArrayList<>();
            int at = 0;
            while (all.length - at >= 4) {
                int length = (all[at] & 0xff) | (all[at + 1] & 0xff) << 8 | (all[at + 2] & 0xff) << 16;
                if (all.length - at - 4 < length) {
                    break;
                }
                packets.add(Arrays.copyOfRange(all, at + 4, at + 4 + length));
                at += 4 + length;
            }
            rest = Arrays.copyOfRange(all, at, all.length);
            return packets;
        }
    }

    private static final Pattern GTID = Pattern.compile("([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:|\\d+-\\d+-)\\d+");
    private static final int LONGEST_OK = 250;

    private final Map<String, Packets> directions = new HashMap<>();
    private final Map<String, Packets> answering = new HashMap<>();
    private final Map<String, Long> responses = new HashMap<>();
    /** Times at which acknowledgements left; the clock does not wrap around within the process's life. */
    private final TreeSet<Long> acknowledgements = new TreeSet<>();

    private final Map<Integer, Integer> eventsSeen = new TreeMap<>();
    private final Deque<Pending> pending = new ArrayDeque<>();
    private final Map<String, Wait> waits = new HashMap<>();
    private @Nullable String gtid;

    /** Returns the times of the transaction, or null if it is not acknowledged yet. */
    synchronized @Nullable Wait of(@Nullable String wanted) {
        return waits.get(wanted);
    }

    /**
     * Returns when the primary's OK for that transaction left the link to the proxy ({@link System#nanoTime}), or null.
     */
    synchronized @Nullable Long answered(@Nullable String wanted) {
        return responses.get(wanted);
    }

    /**
     * Returns when the last acknowledgement before {@code nanos}, of any transaction, left the link towards the
     * primary, or null.
     */
    synchronized @Nullable Long acknowledgementBefore(long nanos) {
        return acknowledgements.floor(nanos);
    }

    synchronized void forget() {
        waits.clear();
        acknowledgements.clear();
        responses.clear();
    }

    /**
     * Returns the watch for the link between proxy and primary. It records the OK packets that carry a GTID as they
     * leave towards the proxy.
     */
    DelayedLink.Watch responses() {
        return (connection, toTarget, bytes, arrivedNanos, leftNanos) -> {
            if (!toTarget) {
                response(connection, bytes, leftNanos);
            }
        };
    }

    private synchronized void response(long connection, ByteBuf bytes, long leftNanos) {
        for (byte[] packet :
                answering.computeIfAbsent("" + connection, key -> new Packets()).add(bytes)) {
            if (packet.length > 0 && packet.length < LONGEST_OK && packet[0] == 0) {
                Matcher told = GTID.matcher(new String(packet, StandardCharsets.ISO_8859_1));
                if (told.find()) {
                    responses.put(told.group(), leftNanos);
                }
            }
        }
    }

    @Override
    public synchronized String toString() {
        return waits.size() + " acknowledged, " + pending.size() + " not yet, " + responses.size()
                + " answered; events by type " + eventsSeen;
    }

    @Override
    public synchronized void passed(
            long connection, boolean toTarget, ByteBuf bytes, long arrivedNanos, long leftNanos) {
        Packets packets = directions.computeIfAbsent(connection + (toTarget ? " up" : " down"), key -> new Packets());
        for (byte[] packet : packets.add(bytes)) {
            if (toTarget && packet.length > 9 && (packet[0] & 0xff) == MAGIC) {
                acknowledged(little(packet, 1, 8), arrivedNanos, leftNanos);
            } else if (!toTarget && packet.length >= EVENT + HEADER && packet[0] == 0 && (packet[1] & 0xff) == MAGIC) {
                event(packet, arrivedNanos, leftNanos);
            }
        }
    }

    private void event(byte[] packet, long arrived, long left) {
        int body = EVENT + HEADER;
        int type = packet[EVENT + 4] & 0xff;
        eventsSeen.merge(type, 1, Integer::sum);
        switch (type) {
            case MARIADB_GTID ->
                gtid = little(packet, body + 8, 4) + "-" + little(packet, EVENT + 5, 4) + "-" + little(packet, body, 8);
            case MYSQL_GTID -> gtid = uuid(packet, body + 1) + ":" + little(packet, body + 17, 8);
            case XID -> {
                String own = gtid;
                if (own != null) {
                    pending.add(new Pending(own, little(packet, EVENT + 13, 4), arrived, left));
                }
                gtid = null;
            }
            default -> {
                // Row events and table maps.
            }
        }
    }

    private void acknowledged(long position, long arrived, long left) {
        acknowledgements.add(left);
        while (!pending.isEmpty() && pending.getFirst().position() <= position) {
            Pending done = pending.removeFirst();
            waits.put(done.gtid(), new Wait(done.gtid(), done.sent(), done.delivered(), arrived, left));
        }
    }

    private static long little(byte[] bytes, int at, int length) {
        long value = 0;
        for (int i = length - 1; i >= 0; i--) {
            value = value << 8 | bytes[at + i] & 0xff;
        }
        return value;
    }

    private static String uuid(byte[] bytes, int at) {
        String hex = ByteBufUtil.hexDump(bytes, at, 16);
        return new UUID(Long.parseUnsignedLong(hex.substring(0, 16), 16), Long.parseUnsignedLong(hex.substring(16), 16))
                .toString();
    }
}
