package io.understudy.replay.log;

import io.understudy.plugins.capture.CapturedResult;
import io.understudy.sql.SingleLine;
import io.understudy.sql.SqlModes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads captures of the proxy, decompressed, and those of TiProxy: lines of {@code # Key: value}, the last of which is
 * the payload's length, then the payload and a line break. A length cannot be forged by a statement's text.
 */
final class CaptureReader implements StatementLog {
    private static final int MAX_SESSIONS = 100_000;
    private static final int MAX_PAYLOAD = 64 << 20;
    private static final long MICROS = 1_000_000;
    private static final Pattern USE = Pattern.compile("(?i)\\s*use\\s+(?:`([^`]+)`|([^\\s`;'\"]+))\\s*;?\\s*");

    /** The values of a session according to the records read so far. */
    private static final class Session {
        String user = "";

        @Nullable
        String schema;

        @Nullable
        String settings;

        /** Null until the records say that they have them: those of TiProxy and of older versions do not. */
        @Nullable
        WriteSettings writing;

        final Set<String> missing = new HashSet<>();

        /** Whether the records say each change of the schema, as those of the proxy do. */
        boolean saysSchema;

        final Map<Integer, byte[]> texts = new HashMap<>();
        final Map<Integer, byte[]> types = new HashMap<>();
    }

    private final LineBuffer in;
    private final LogCounts counts = new LogCounts();
    private final SingleLine line = new SingleLine();
    private final Map<Long, Session> sessions = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Session> eldest) {
            return size() > MAX_SESSIONS;
        }
    };
    private final Map<String, String> keys = new HashMap<>();

    CaptureReader(LineBuffer in) {
        this.in = in;
    }

    /** Returns whether the first record is that of a capture. Consumes nothing. */
    static boolean begins(LineBuffer in) throws IOException {
        int first = in.end(in.mark) - in.mark;
        if (!in.startsWith(in.mark, in.mark + first, "# Time: ")) {
            return false;
        }
        int second = in.end(in.mark + first + 1);
        return in.startsWith(in.mark + first + 1, second, "# Conn_ID: ");
    }

    @Override
    public LogCounts counts() {
        return counts;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    @Override
    public @Nullable LogEvent next() throws IOException {
        while (true) {
            in.release();
            if (in.isOver()) {
                return null;
            }
            long firstLine = in.line();
            byte[] payload = record();
            if (payload == null) {
                counts.refuse("truncated");
                return null;
            }
            LogEvent event;
            try {
                event = event(payload, firstLine);
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                throw damaged("a value that cannot be read: " + e.getMessage());
            }
            if (event != null) {
                counts.event();
                return event;
            }
        }
    }

    /** Reads one record into {@link #keys}. Returns its payload, or null where the capture was cut off. */
    private byte @Nullable [] record() throws IOException {
        keys.clear();
        while (true) {
            int end = in.end(in.at);
            if (end == in.limit()) {
                in.consume(end);
                return null;
            }
            String text = new String(in.bytes, in.at, end - in.at, StandardCharsets.ISO_8859_1);
            int colon = text.indexOf(": ");
            if (!text.startsWith("# ") || colon < 0) {
                throw damaged("a line that is no '# Key: value'");
            }
            String key = text.substring(2, colon);
            String value = text.substring(colon + 2);
            in.consume(end + 1);
            if (keys.put(key, value) != null) {
                throw damaged("two keys " + key + " in one record");
            }
            if (key.equals("Payload_len")) {
                return payload((int) number(value, MAX_PAYLOAD));
            }
        }
    }

    private byte @Nullable [] payload(int length) throws IOException {
        if (!in.has(in.at, length + 1)) {
            in.consume(in.limit());
            return null;
        }
        if (in.bytes[in.at + length] != '\n') {
            throw damaged("a payload that does not end where its length says");
        }
        byte[] payload = Arrays.copyOfRange(in.bytes, in.at, in.at + length);
        in.consume(in.at + length + 1);
        return payload;
    }

    private IOException damaged(String what) {
        return in.damaged(what);
    }

    private long number(String value, long most) throws IOException {
        try {
            long number = Long.parseUnsignedLong(value);
            if (number >= 0 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw damaged("expected a number up to " + most + " but found " + value);
    }

    private @Nullable LogEvent event(byte[] payload, long firstLine) throws IOException {
        long id = number(keys.getOrDefault("Conn_ID", "0"), Long.MAX_VALUE);
        Session session = sessions.computeIfAbsent(id, number -> new Session());
        describe(session);
        String type = keys.getOrDefault("Cmd_type", "Query");
        switch (type) {
            case "Query":
                return query(session, id, payload, firstLine);
            case "StmtExecute":
                return execution(session, id, payload, firstLine);
            case "Quit":
                sessions.remove(id);
                return event(LogEvent.Kind.QUIT, session, id, new byte[0], firstLine, null);
            case "StmtPrepare":
                if (keys.containsKey("Captured_ps_id")) {
                    session.texts.put(statement(), payload);
                }
                return null;
            case "StmtClose":
                int closed = new Execution(payload, 0, null).statementId();
                session.texts.remove(closed);
                session.types.remove(closed);
                return null;
            case "InitDB":
                session.schema = new String(payload, StandardCharsets.UTF_8);
                return null;
            default:
                return event(LogEvent.Kind.ADMIN, session, id, new byte[0], firstLine, null);
        }
    }

    private void describe(Session session) throws IOException {
        String user = keys.get("User");
        if (user != null) {
            session.user = text(user);
        }
        String schema = keys.get("Schema");
        if (schema != null) {
            session.schema = textOrNull(schema);
            session.saysSchema = true;
        }
        String settings = keys.get("Settings");
        if (settings != null) {
            session.settings = text(settings);
        }
        describeWrites(session);
    }

    private void describeWrites(Session session) throws IOException {
        WriteSettings before = Objects.requireNonNullElse(session.writing, WriteSettings.NONE);
        // The first record of a session in a frame leaves out what is empty.
        boolean anew = keys.containsKey("Server_thread");
        String transaction = keys.get("Transaction");
        String assignments = keys.get("Write_settings");
        boolean reset = keys.containsKey("Reset");
        if (anew || transaction != null || assignments != null || reset) {
            session.writing = new WriteSettings(
                    transaction == null ? anew ? null : before.transaction() : textOrNull(transaction),
                    assignments == null ? anew ? null : before.assignments() : textOrNull(assignments),
                    before.resets() + (reset ? 1 : 0));
        }
        String missing = keys.get("Not_captured");
        if (missing != null) {
            for (String what : text(missing).split(", ")) {
                if (!what.isEmpty() && session.missing.add(what)) {
                    counts.notCaptured(what);
                }
            }
        }
    }

    private @Nullable String textOrNull(String quoted) throws IOException {
        String text = text(quoted);
        return text.isEmpty() ? null : text;
    }

    private LogEvent query(Session session, long id, byte[] payload, long firstLine) throws IOException {
        LogEvent event = event(LogEvent.Kind.STATEMENT, session, id, payload, firstLine, null);
        boolean failed = "false".equals(keys.get("Success"));
        if (!session.saysSchema
                && !failed
                && payload.length > 3
                && payload.length < 256
                && (payload[0] | 0x20) == 'u') {
            Matcher use = USE.matcher(event.sql());
            if (use.matches()) {
                session.schema = use.group(1) == null ? use.group(2) : use.group(1);
            }
        }
        return event;
    }

    private @Nullable LogEvent execution(Session session, long id, byte[] payload, long firstLine) throws IOException {
        int statement =
                keys.containsKey("Captured_ps_id") ? statement() : new Execution(payload, 0, null).statementId();
        String given = keys.get("Prepared_stmt");
        if (given != null) {
            session.texts.put(statement, unquoted(given));
        }
        byte[] text = session.texts.get(statement);
        if (text == null) {
            counts.refuse("prepared_before");
            return null;
        }
        String count = keys.get("Params");
        int parameters = count == null ? parameters(text) : (int) number(count, 0xFFFF);
        String hex = keys.get("Param_types");
        byte[] types =
                hex == null ? session.types.get(statement) : HexFormat.of().parseHex(hex);
        Execution execution = new Execution(payload, parameters, types);
        byte[] own = execution.ownTypes();
        if (own != null) {
            session.types.put(statement, own);
        }
        return event(LogEvent.Kind.STATEMENT, session, id, text, firstLine, execution);
    }

    /** Counts the parameters, for captures that do not say. */
    private int parameters(byte[] text) {
        int[] seen = {0};
        line.write(text, 0, text.length, SqlModes.NONE, null, index -> {
            seen[0] = index + 1;
            return new byte[] {'0'};
        });
        return seen[0];
    }

    private int statement() throws IOException {
        return (int) number(Objects.requireNonNull(keys.get("Captured_ps_id")), 0xFFFF_FFFFL);
    }

    private LogEvent event(
            LogEvent.Kind kind, Session session, long id, byte[] text, long firstLine, @Nullable Execution execution)
            throws IOException {
        String took = keys.get("Took_us");
        return new LogEvent(
                kind,
                id,
                session.user,
                session.schema,
                text,
                start(),
                took == null ? LogEvent.UNKNOWN : number(took, Long.MAX_VALUE),
                firstLine,
                session.settings,
                session.writing,
                execution,
                result());
    }

    private @Nullable CapturedResult result() throws IOException {
        String hashes = keys.get("Rows_hash");
        return hashes == null
                ? null
                : CapturedResult.parse(number(keys.getOrDefault("Rows", "0"), Long.MAX_VALUE), hashes);
    }

    private long start() throws IOException {
        String time = keys.getOrDefault("Time", "");
        try {
            OffsetDateTime at = OffsetDateTime.parse(time);
            return at.toEpochSecond() * MICROS + at.getNano() / 1_000;
        } catch (DateTimeException e) {
            throw damaged("expected a time such as 2026-01-15T09:05:01.123456Z but found " + time);
        }
    }

    private String text(String quoted) throws IOException {
        return new String(unquoted(quoted), StandardCharsets.UTF_8);
    }

    /** Reads a text in Go's quotes. */
    private byte[] unquoted(String quoted) throws IOException {
        int end = quoted.length() - 1;
        if (end < 1 || quoted.charAt(0) != '"' || quoted.charAt(end) != '"') {
            throw damaged("a text without quotes");
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(end);
        int at = 1;
        while (at < end) {
            char c = quoted.charAt(at++);
            if (c != '\\') {
                out.write(c);
                continue;
            }
            char escaped = quoted.charAt(at++);
            int digits = escaped == 'x' ? 2 : escaped == 'u' ? 4 : escaped == 'U' ? 8 : 0;
            if (at + digits > end) {
                throw damaged("an escape that is cut off");
            }
            if (digits > 0) {
                int code = (int) Long.parseLong(quoted.substring(at, at + digits), 16);
                at += digits;
                if (digits == 2) {
                    out.write(code);
                } else {
                    out.writeBytes(new String(Character.toChars(code)).getBytes(StandardCharsets.UTF_8));
                }
            } else {
                out.write(simple(escaped));
            }
        }
        return out.toByteArray();
    }

    private static int simple(char escaped) {
        return switch (escaped) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'a' -> 7;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'v' -> 11;
            default -> escaped;
        };
    }
}
