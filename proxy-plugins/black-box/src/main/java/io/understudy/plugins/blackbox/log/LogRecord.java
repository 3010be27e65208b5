package io.understudy.plugins.blackbox.log;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.PrimaryFacts;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

/** The bodies of records. A text is its length in bytes (4) and UTF-8. */
final class LogRecord {
    static final byte START = 1;
    static final byte FORMAT = 2;
    static final byte TRANSACTION = 3;
    static final byte MISSED = 4;
    static final byte APPLIED = 5;
    static final byte OUTCOME = 6;

    private LogRecord() {}

    static byte[] start(LogStart start) {
        PrimaryFacts facts = start.facts();
        byte[][] texts = {
            bytes(facts.flavor().name()),
            bytes(facts.serverUuid()),
            bytes(facts.format()),
            bytes(facts.position()),
            bytes(facts.logged()),
            bytes(start.began()),
            bytes(compared(start.compared())),
            bytes(seen(start.seen())),
            bytes(String.join("\n", start.unknown()))
        };
        int size = 1 + 8 + 8 + 3;
        for (byte[] each : texts) {
            size += Integer.BYTES + each.length;
        }
        ByteBuffer out = ByteBuffer.allocate(size).put(START).putLong(start.history());
        out.putLong(facts.serverId())
                .put(bit(start.anew()))
                .put(bit(facts.logBin()))
                .put(bit(facts.gtids()));
        for (byte[] each : texts) {
            out.putInt(each.length).put(each);
        }
        return out.array();
    }

    /** @param in behind the type */
    static LogStart start(ByteBuffer in) {
        long history = in.getLong();
        long server = in.getLong();
        boolean anew = in.get() != 0;
        boolean logBin = in.get() != 0;
        boolean gtids = in.get() != 0;
        ServerFlavor flavor = ServerFlavor.valueOf(text(in));
        PrimaryFacts facts = new PrimaryFacts(flavor, server, text(in), logBin, text(in), gtids, text(in), text(in));
        String began = text(in);
        Map<String, Long> compared = in.hasRemaining() ? compared(text(in)) : Map.of();
        Map<String, LogStart.Seen> seen = in.hasRemaining() ? seen(text(in)) : Map.of();
        Set<String> unknown = in.hasRemaining() ? text(in).lines().collect(Collectors.toSet()) : Set.of();
        return new LogStart(history, anew, facts, began, compared, seen, unknown);
    }

    /** A line for each server: the number, a blank, the server. */
    private static String compared(Map<String, Long> comparisons) {
        return comparisons.entrySet().stream()
                .map(each -> each.getValue() + " " + each.getKey())
                .collect(Collectors.joining("\n"));
    }

    private static Map<String, Long> compared(String lines) {
        Map<String, Long> comparisons = new HashMap<>();
        lines.lines().forEach(each -> {
            int blank = each.indexOf(' ');
            comparisons.put(each.substring(blank + 1), Long.parseLong(each.substring(0, blank)));
        });
        return comparisons;
    }

    /** A line for each server: what it received, its position, the server, with a tab between them. */
    private static String seen(Map<String, LogStart.Seen> positions) {
        return positions.entrySet().stream()
                .map(each -> each.getValue().received() + "\t" + each.getValue().applied() + "\t" + each.getKey())
                .collect(Collectors.joining("\n"));
    }

    private static Map<String, LogStart.Seen> seen(String lines) {
        Map<String, LogStart.Seen> positions = new HashMap<>();
        lines.lines()
                .map(each -> each.split("\t", 3))
                .forEach(each -> positions.put(each[2], new LogStart.Seen(each[0], each[1])));
        return positions;
    }

    static byte[] format(byte[] event) {
        return ByteBuffer.allocate(1 + event.length).put(FORMAT).put(event).array();
    }

    /** Returns what precedes the events in the body. */
    static byte[] head(LoggedTransaction transaction) {
        byte[] gtid = bytes(transaction.gtid());
        String token = transaction.token();
        byte[] kind = bytes(transaction.kind().name() + (token == null ? "" : " " + token));
        return ByteBuffer.allocate(1 + 4 + 8 + 4 + 4 + gtid.length + 4 + kind.length)
                .put(TRANSACTION)
                .putInt(gtid.length + kind.length)
                .putLong(transaction.millis())
                .putInt(sum(transaction.format()))
                .putInt(gtid.length)
                .put(gtid)
                .putInt(kind.length)
                .put(kind)
                .array();
    }

    /** Returns the events in a transaction's body. */
    static byte[] events(byte[] body) {
        int texts = ByteBuffer.wrap(body).getInt(1);
        return Arrays.copyOfRange(body, 1 + 4 + 8 + 4 + 4 + 4 + texts, body.length);
    }

    static byte[] missed(String gtid, boolean applied) {
        byte[] text = bytes(gtid);
        return ByteBuffer.allocate(1 + 4 + text.length)
                .put(applied ? APPLIED : MISSED)
                .putInt(text.length)
                .put(text)
                .array();
    }

    static byte[] outcome(byte[] record) {
        return ByteBuffer.allocate(1 + record.length).put(OUTCOME).put(record).array();
    }

    /** Returns the sum that names a format description event. */
    static int sum(byte[] format) {
        CRC32C sum = new CRC32C();
        sum.update(format);
        return (int) sum.getValue();
    }

    static String text(ByteBuffer in) {
        byte[] bytes = new byte[in.getInt()];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte bit(boolean on) {
        return (byte) (on ? 1 : 0);
    }
}
