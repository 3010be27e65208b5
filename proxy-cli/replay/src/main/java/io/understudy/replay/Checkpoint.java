package io.understudy.replay;

import io.understudy.base.JsonReader;
import io.understudy.base.JsonWriter;
import io.understudy.replay.log.Execution;
import io.understudy.replay.log.LogEvent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * The progress of a replay: one JSON object, which its file holds.
 *
 * @param of what it belongs to
 * @param read events up to this position are done unless {@code sessions} says otherwise
 * @param hash of the events up to there
 * @param sessions those with events up to there that are not done, by the session's number in the log
 */
record Checkpoint(Subject of, long read, long hash, Map<Long, Session> sessions) {
    private static final String FORMAT = "understudy replay checkpoint 2";
    private static final String ANY_FORMAT = "understudy replay checkpoint ";

    /**
     * The log and the target that a checkpoint belongs to.
     *
     * @param log its file, for messages: a log is known by its content
     * @param target host and port
     * @param choice which statements are played
     */
    record Subject(String log, String target, Map<String, Object> choice) {
        static Subject of(String log, ReplayOptions options) {
            LogFilter filter = options.filter();
            Map<String, Object> choice = new LinkedHashMap<>();
            choice.put("plays", filter.readsOnly() ? "reads" : "everything");
            choice.put("from", filter.fromMicros());
            choice.put("until", filter.untilMicros());
            if (filter.onlyUser() != null) {
                choice.put("onlyUser", filter.onlyUser());
            }
            if (filter.onlySchema() != null) {
                choice.put("onlySchema", filter.onlySchema());
            }
            return new Subject(log, options.to().toString(), choice);
        }
    }

    /**
     * One session.
     *
     * @param from first position whose event was not answered
     * @param transaction position at which the transaction began that was open, or 0
     * @param inFlight position of the statement that was sent and not answered, or 0
     */
    record Session(long from, long transaction, long inFlight) {}

    /** Returns the last position that it says anything about. */
    long end() {
        long end = read;
        for (Session session : sessions.values()) {
            end = Math.max(end, Math.max(session.from() - 1, session.inFlight()));
        }
        return end;
    }

    String json() {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("format", FORMAT);
        view.put("log", of.log());
        view.put("target", of.target());
        view.put("choice", of.choice());
        view.put("read", read);
        view.put("hash", hash);
        List<List<Long>> rows = new ArrayList<>();
        sessions.forEach(
                (id, session) -> rows.add(List.of(id, session.from(), session.transaction(), session.inFlight())));
        view.put("sessions", rows);
        return JsonWriter.write(view);
    }

    /** Reads a checkpoint, and refuses one that belongs to another replay. */
    static Checkpoint read(Path file, Subject wanted) throws IOException {
        String text;
        try {
            text = Files.readString(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw new IOException(file + " does not exist: begin without --resume", e);
        }
        if (text.startsWith(ANY_FORMAT)) {
            throw another(file, text.lines().findFirst().orElse(text));
        }
        Checkpoint checkpoint;
        try {
            checkpoint = parse(file, text);
        } catch (ClassCastException | NullPointerException | IndexOutOfBoundsException e) {
            throw damaged(file, "a value is missing or of another type (" + e.getMessage() + ")", e);
        }
        Subject of = checkpoint.of();
        if (!of.target().equals(wanted.target())) {
            throw new IOException(
                    file + " is the checkpoint of a replay on " + of.target() + ", not on " + wanted.target());
        }
        if (!of.choice().equals(wanted.choice())) {
            throw new IOException(
                    file + " is the checkpoint of a replay that plays " + of.choice() + ", not " + wanted.choice());
        }
        return checkpoint;
    }

    private static IOException damaged(Path file, String where, Exception e) {
        Path forced = CheckpointFile.forced(file);
        return new IOException(
                file + " is no checkpoint of a replay, or is damaged: " + where + ". "
                        + (Files.exists(forced)
                                ? "Move " + forced + " there, which is a little older, or begin"
                                : "Begin")
                        + " anew without --resume and with another file",
                e);
    }

    private static IOException another(Path file, String format) {
        return new IOException(file + " is a checkpoint of another version, '" + format + "', where this one writes '"
                + FORMAT + "': finish that replay with the version that began it, or begin anew without --resume and"
                + " with another file");
    }

    /** Values that are missing, or of another type, are told by unchecked exceptions. */
    @SuppressWarnings("unchecked")
    private static Checkpoint parse(Path file, String text) throws IOException {
        Map<String, Object> view;
        try {
            view = (Map<String, Object>) Objects.requireNonNull(JsonReader.read(text));
        } catch (IOException e) {
            throw damaged(
                    file, "it is no JSON: " + String.valueOf(e.getMessage()).replaceAll("\\s+", " "), e);
        }
        String format = (String) Objects.requireNonNull(view.get("format"));
        if (!format.equals(FORMAT)) {
            throw another(file, format);
        }
        Map<Long, Session> sessions = new TreeMap<>();
        for (List<Long> row : (List<List<Long>>) Objects.requireNonNull(view.get("sessions"))) {
            sessions.put(row.get(0), new Session(row.get(1), row.get(2), row.get(3)));
        }
        Subject of = new Subject(
                (String) Objects.requireNonNull(view.get("log")),
                (String) Objects.requireNonNull(view.get("target")),
                (Map<String, Object>) Objects.requireNonNull(view.get("choice")));
        return new Checkpoint(
                of,
                (Long) Objects.requireNonNull(view.get("read")),
                (Long) Objects.requireNonNull(view.get("hash")),
                sessions);
    }

    /** The checksum of the events of a log up to one of them: whether another log begins alike. Not thread-safe. */
    static final class EventHash {
        private final CRC32C sum = new CRC32C();
        private final ByteBuffer numbers = ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES);

        void add(LogEvent event) {
            numbers.clear();
            numbers.putLong(event.threadId()).putLong(event.startMicros()).putInt(event.text().length);
            sum.update(numbers.array(), 0, numbers.position());
            sum.update(event.text(), 0, event.text().length);
            Execution execution = event.execution();
            if (execution != null) {
                sum.update(execution.payload(), 0, execution.payload().length);
            }
        }

        long value() {
            return sum.getValue();
        }
    }
}
