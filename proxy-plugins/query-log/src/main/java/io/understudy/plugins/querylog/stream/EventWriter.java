package io.understudy.plugins.querylog.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.understudy.plugins.querylog.digests.DigestEntry;
import io.understudy.sql.Literals;
import io.understudy.sql.SecretWords;
import io.understudy.sql.SingleLine;
import io.understudy.sql.StatementSummary;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Writes events in a dialect of the slow log that its usual readers understand. Every event has all it needs: nothing
 * is left out because an earlier one said it. A statement takes one line, so that no text can pass for another event.
 * Not thread-safe.
 */
final class EventWriter {
    private static final DateTimeFormatter SECONDS =
            DateTimeFormatter.ofPattern("yyMMdd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final int MICROS = 1_000_000;
    /** The servers' error for a text that they cannot parse. */
    private static final int PARSE_ERROR = 1064;

    /** Statements that a reader would take for a line of its own before the text. */
    private static final String[] LINES = {"use ", "use`", "set timestamp", "set insert_id", "set last_insert_id"};
    /** Lines that pt-query-digest takes for a server's header and drops. A blank ahead prevents that. */
    private static final String[] HEADERS = {"tcp port", "time id command"};

    private final Literals literals;
    private final LongUnaryOperator hash;
    private final int rateLimit;
    private final SingleLine line = new SingleLine();
    private final ByteBuf out = Unpooled.buffer(4096);
    private long second = Long.MIN_VALUE;
    private String secondText = "";

    EventWriter(Literals literals, LongUnaryOperator hash, int rateLimit) {
        this.literals = literals;
        this.hash = hash;
        this.rateLimit = rateLimit;
    }

    int length() {
        return out.readableBytes();
    }

    /** Returns what was written and begins anew. */
    byte[] take() {
        byte[] bytes = ByteBufUtil.getBytes(out);
        out.clear();
        return bytes;
    }

    /** Writes how many events are missing at this place. */
    void missing(long dropped, long skipped) {
        if (dropped > 0) {
            put("# Dropped_events: ").put(dropped).put("\n");
        }
        if (skipped > 0) {
            put("# Skipped_events: ").put(skipped).put("\n");
        }
    }

    /** Writes the event. Returns null, or a label that says why it cannot be written. */
    @Nullable
    String write(StatementEvent event) {
        String schema = event.schema();
        if (schema != null && hasControl(schema)) {
            return SingleLine.Refusal.NAME.label();
        }
        int start = out.writerIndex();
        header(event, schema);
        DigestEntry entry = event.entry();
        if (entry == null) {
            put("# administrator command: Quit;\n");
            return null;
        }
        String refusal = literals != Literals.KEEP && event.errorCode() == PARSE_ERROR
                ? SingleLine.Refusal.UNPARSED.label() // what the server could not read may have values for names
                : statement(entry, event.text());
        if (refusal != null) {
            out.writerIndex(start);
            return refusal;
        }
        put(";\n");
        return null;
    }

    private void header(StatementEvent event, @Nullable String schema) {
        EventSession session = event.session();
        put("# Time: ").time(event.endMicros()).put("\n# User@Host: ").put(session.user());
        put("[").put(session.user()).put("] @  [").put(session.address()).put("]  Id: ");
        put(session.threadId()).put("\n# Thread_id: ").put(session.threadId()).put("  Schema: ");
        put(schema == null ? "" : EventSession.field(schema)).put("  QC_hit: No\n# Query_time: ");
        fraction(event.nanos() / 1_000);
        put("  Lock_time: 0.000000  Rows_sent: ").put(event.rows()).put("  Rows_examined: 0\n# Rows_affected: ");
        put(event.affectedRows()).put("  Bytes_sent: ").put(event.bytes()).put("\n");
        if (rateLimit > 1) {
            put("# Log_slow_rate_type: query  Log_slow_rate_limit: ")
                    .put(rateLimit)
                    .put("\n");
        }
        StatementSummary summary = event.entry() == null ? null : event.entry().summary();
        if (summary != null) {
            put("# Digest: ").put(summary.digestHex());
            if (event.rule() != null) {
                put("  Rule: ").put(EventSession.field(event.rule()));
            }
            if (event.errorCode() != 0) {
                put("  Last_errno: ").put(event.errorCode());
            }
            put("\n");
        }
        if (schema != null) {
            put("use `").put(schema.replace("`", "``")).put("`;\n");
        }
        put("SET timestamp=")
                .put((event.endMicros() - event.nanos() / 1_000) / MICROS)
                .put(";\n");
    }

    private @Nullable String statement(DigestEntry entry, @Nullable ExecutedText text) {
        // A statement that began before values were to be dropped still has them.
        if (text == null || literals == Literals.DROP) {
            byte[] normalized = entry.text();
            if (normalized == null) {
                return SingleLine.Refusal.UNPARSED.label();
            }
            if (normalized.length == 0) {
                return SingleLine.Refusal.EMPTY.label();
            }
            text(normalized, normalized.length);
            return null;
        }
        SingleLine.Refusal refusal = text.write(line, literals == Literals.HASH ? hash : null);
        if (refusal != null) {
            return refusal.label();
        }
        if (literals == Literals.KEEP && SecretWords.areIn(line.bytes(), line.length())) {
            return "secret";
        }
        text(line.bytes(), line.length());
        return null;
    }

    private void text(byte[] text, int end) {
        for (String prefix : LINES) {
            if (isAt(text, 0, end, prefix)) {
                put("/* */ ");
            }
        }
        boolean header = contains(text, end, "mysqld, version") || contains(text, end, "mariadbd, version");
        for (String prefix : HEADERS) {
            header |= isAt(text, 0, end, prefix);
        }
        if (header) {
            put(" ");
        }
        out.writeBytes(text, 0, end);
    }

    private static boolean contains(byte[] text, int end, String word) {
        int first = word.charAt(0);
        for (int p = 0; p <= end - word.length(); p++) {
            if ((text[p] | 0x20) == first && isAt(text, p, end, word)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the lower-case word is there, in any case. */
    private static boolean isAt(byte[] text, int at, int end, String word) {
        if (at + word.length() > end) {
            return false;
        }
        for (int i = 0; i < word.length(); i++) {
            int c = text[at + i];
            if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasControl(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) < ' ' || name.charAt(i) == 127) {
                return true;
            }
        }
        return false;
    }

    private EventWriter time(long micros) {
        long now = Math.floorDiv(micros, MICROS);
        if (now != second) {
            second = now;
            secondText = SECONDS.format(Instant.ofEpochSecond(now));
        }
        put(secondText).put(".");
        return sixDigits(Math.floorMod(micros, MICROS));
    }

    private void fraction(long micros) {
        put(micros / MICROS).put(".").sixDigits((int) (micros % MICROS));
    }

    private EventWriter sixDigits(int number) {
        for (int unit = MICROS / 10; unit > 0; unit /= 10) {
            out.writeByte('0' + number / unit % 10);
        }
        return this;
    }

    private EventWriter put(String text) {
        out.writeCharSequence(text, StandardCharsets.UTF_8);
        return this;
    }

    private EventWriter put(long number) {
        return put(Long.toString(number));
    }
}
