package io.understudy.replay.log;

import io.understudy.base.RecentlyUsed;
import io.understudy.plugins.capture.CaptureStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The values of a session according to the records read so far. */
final class SessionOfCapture {
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
        // The first record of a session in a frame leaves out what is empty, and the frame has its statements again.
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
