package io.understudy.replay.log;

import io.understudy.base.RecentlyUsed;
import io.understudy.plugin.HashedResult;
import io.understudy.plugins.capture.CaptureStream;
import io.understudy.sql.SingleLine;
import io.understudy.sql.SqlModes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads captures of the proxy, decompressed, and those of TiProxy. Where another capture begins, the sessions of the
 * one before it end: their numbers begin anew with each process, and what happened between the two is not known.
 */
final class CaptureReader extends LogReader {
    private static final int MAX_SESSIONS = 100_000;
    private static final Pattern USE = Pattern.compile("(?i)\\s*use\\s+(?:`([^`]+)`|([^\\s`;'\"]+))\\s*;?\\s*");

    private final CaptureRecord record;
    private final SingleLine line = new SingleLine();
    private final Map<Long, SessionOfCapture> sessions = new RecentlyUsed<>(MAX_SESSIONS);
    private @Nullable String capture;

    CaptureReader(LineBuffer in) {
        super(in);
        this.record = new CaptureRecord(in);
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
    @Nullable
    LogEvent read() throws IOException {
        if (!record.read()) {
            counts.refuse("truncated");
            return null;
        }
        try {
            LogEvent event = event();
            if (event != null && !pending.isEmpty()) {
                pending.add(event);
                return pending.remove();
            }
            return event;
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw in.damaged("a value that cannot be read: " + e.getMessage());
        }
    }

    private @Nullable LogEvent event() throws IOException {
        endEarlierCapture();
        long id = record.number("Conn_ID", 0, Long.MAX_VALUE);
        SessionOfCapture session = sessions.computeIfAbsent(id, number -> new SessionOfCapture());
        session.describe(record, counts);
        byte[] payload = record.payload();
        switch (record.value("Cmd_type", "Query")) {
            case "Query":
                return query(session, id, payload);
            case "StmtExecute":
                return execution(session, id, payload);
            case "Quit":
                sessions.remove(id);
                return event(LogEvent.Kind.QUIT, session, id, new byte[0], null);
            case "StmtPrepare":
                if (record.has("Captured_ps_id")) {
                    session.prepare(statement(), payload);
                }
                return null;
            case "StmtClose":
                session.close(new Execution(payload, 0, null).statementId());
                return null;
            case "InitDB":
                session.use(new String(payload, StandardCharsets.UTF_8));
                return null;
            default:
                return event(LogEvent.Kind.ADMIN, session, id, new byte[0], null);
        }
    }

    /** The first record of each session in a frame names its capture. */
    private void endEarlierCapture() throws IOException {
        String named = record.value("Capture");
        if (named == null || named.equals(capture)) {
            return;
        }
        if (capture != null) {
            for (Map.Entry<Long, SessionOfCapture> each : sessions.entrySet()) {
                pending.add(new LogEvent(
                        LogEvent.Kind.QUIT,
                        each.getKey(),
                        each.getValue().user(),
                        each.getValue().schema(),
                        new byte[0],
                        record.start(),
                        LogEvent.UNKNOWN,
                        record.line()));
            }
            sessions.clear();
        }
        capture = named;
    }

    private LogEvent query(SessionOfCapture session, long id, byte[] payload) throws IOException {
        LogEvent event = event(LogEvent.Kind.STATEMENT, session, id, payload, null);
        boolean failed = "false".equals(record.value("Success"));
        if (!session.saysSchema()
                && !failed
                && payload.length > 3
                && payload.length < 256
                && (payload[0] | 0x20) == 'u') {
            Matcher use = USE.matcher(event.sql());
            if (use.matches()) {
                session.use(use.group(1) == null ? use.group(2) : use.group(1));
            }
        }
        return event;
    }

    private @Nullable LogEvent execution(SessionOfCapture session, long id, byte[] payload) throws IOException {
        int statement = record.has("Captured_ps_id") ? statement() : new Execution(payload, 0, null).statementId();
        byte[] given = record.bytes("Prepared_stmt");
        if (given != null) {
            session.prepare(statement, given);
        }
        byte[] text = session.text(statement);
        if (text == null) {
            counts.refuse("prepared_before");
            return null;
        }
        int parameters = record.has("Params") ? (int) record.number("Params", 0, 0xFFFF) : parameters(text);
        String hex = record.value("Param_types");
        byte[] types = hex == null ? session.types(statement) : HexFormat.of().parseHex(hex);
        Execution execution = new Execution(payload, parameters, types);
        byte[] own = execution.ownTypes();
        if (own != null) {
            session.types(statement, own);
        }
        return event(LogEvent.Kind.STATEMENT, session, id, text, execution);
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
        return (int) record.number("Captured_ps_id", 0, 0xFFFF_FFFFL);
    }

    private LogEvent event(
            LogEvent.Kind kind, SessionOfCapture session, long id, byte[] text, @Nullable Execution execution)
            throws IOException {
        return new LogEvent(
                kind,
                id,
                session.user(),
                session.schema(),
                text,
                record.start(),
                record.number("Took_us", LogEvent.UNKNOWN, Long.MAX_VALUE),
                record.line(),
                session.settings(),
                session.writing(),
                execution,
                result());
    }

    private @Nullable HashedResult result() throws IOException {
        String hashes = record.value("Rows_hash");
        return hashes == null ? null : HashedResult.parse(record.number("Rows", 0, Long.MAX_VALUE), hashes);
    }

    /** Returns the number of prepared statements that are known of a session. */
    int statementsOf(long session) {
        SessionOfCapture known = sessions.get(session);
        return known == null ? 0 : known.statements();
    }

    /** The values of a session according to the records read so far. */
    static final class SessionOfCapture {
        /** A prepared statement, with the types of an earlier execution. */
        private static final class Prepared {
            final byte[] text;
            byte @Nullable [] types;

            Prepared(byte[] text) {
                this.text = text;
            }
        }

        /** Bounded: captures of TiProxy may not say that they were closed. */
        private final Map<Integer, Prepared> statements = new RecentlyUsed<>(CaptureStream.STATEMENTS);

        private final Set<String> missing = new HashSet<>();
        private String user = "";
        private @Nullable String schema;
        private @Nullable String settings;
        /** Null until the records say that they have them: those of TiProxy and of older versions do not. */
        private @Nullable WriteSettings writing;
        /** Whether the records say each change of the schema, as those of the proxy do. */
        private boolean saysSchema;

        String user() {
            return user;
        }

        @Nullable
        String schema() {
            return schema;
        }

        @Nullable
        String settings() {
            return settings;
        }

        @Nullable
        WriteSettings writing() {
            return writing;
        }

        /** Takes what a record says of its session. */
        void describe(CaptureRecord record, LogCounts counts) throws IOException {
            user = Objects.requireNonNullElse(record.text("User"), user);
            if (record.has("Schema")) {
                schema = textOrNull(record, "Schema");
                saysSchema = true;
            }
            if (record.has("Settings")) {
                settings = record.text("Settings");
            }
            // The first record of a session in a frame leaves out what is empty, and the frame has its statements
            // again.
            boolean anew = record.has("Server_thread");
            if (anew) {
                statements.clear();
            }
            describeWrites(record, anew);
            for (String what :
                    Objects.requireNonNullElse(record.text("Not_captured"), "").split(", ")) {
                if (!what.isEmpty() && missing.add(what)) {
                    counts.notCaptured(what);
                }
            }
        }

        private void describeWrites(CaptureRecord record, boolean anew) throws IOException {
            WriteSettings before = anew ? WriteSettings.NONE : Objects.requireNonNullElse(writing, WriteSettings.NONE);
            int resets = Objects.requireNonNullElse(writing, WriteSettings.NONE).resets();
            boolean reset = record.has("Reset");
            if (anew || reset || record.has("Transaction") || record.has("Write_settings")) {
                writing = new WriteSettings(
                        record.has("Transaction") ? textOrNull(record, "Transaction") : before.transaction(),
                        record.has("Write_settings") ? textOrNull(record, "Write_settings") : before.assignments(),
                        resets + (reset ? 1 : 0));
            }
        }

        private static @Nullable String textOrNull(CaptureRecord record, String key) throws IOException {
            String text = record.text(key);
            return text == null || text.isEmpty() ? null : text;
        }

        /** Takes the schema of a command, or of a statement where the records do not say it. */
        void use(String name) {
            schema = name;
        }

        boolean saysSchema() {
            return saysSchema;
        }

        void prepare(int statement, byte[] text) {
            Prepared before = statements.get(statement);
            Prepared made = new Prepared(text);
            made.types = before != null && Arrays.equals(before.text, text) ? before.types : null;
            statements.put(statement, made);
        }

        void close(int statement) {
            statements.remove(statement);
        }

        /** Returns the text of a statement, or null if no record had it. */
        byte @Nullable [] text(int statement) {
            Prepared known = statements.get(statement);
            return known == null ? null : known.text;
        }

        byte @Nullable [] types(int statement) {
            Prepared known = statements.get(statement);
            return known == null ? null : known.types;
        }

        void types(int statement, byte[] types) {
            Prepared known = statements.get(statement);
            if (known != null) {
                known.types = types;
            }
        }

        /** Returns the number of statements that are known. */
        int statements() {
            return statements.size();
        }
    }
}
