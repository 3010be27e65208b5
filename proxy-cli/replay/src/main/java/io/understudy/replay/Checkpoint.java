package io.understudy.replay;

import io.understudy.base.JsonReader;
import io.understudy.base.JsonWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The progress of a replay, as its checkpoint file has it. The file begins with what it is a checkpoint of, the
 * position read and a line for each session with events up to there that are not done; lines follow for what was sent
 * and answered since. A line that is cut off was being written when the replay was killed.
 *
 * <pre>
 * understudy replay checkpoint 1
 * {"log":"/captures","target":"standby:3306",…}
 * read 1200 89abcdef          position, checksum of the events
 * o 7 1190 0 1190             session, first position not done, begin of its open transaction, statement in flight
 * s 7 1201                    sent
 * d 7 1201                    answered; t: answered, a transaction is open; l: connection lost; q: session ended
 * </pre>
 *
 * @param of what it belongs to
 * @param read events up to this position are done unless {@code sessions} says otherwise
 * @param hash of the events up to there
 * @param sessions by the session's number in the log
 */
record Checkpoint(Subject of, long read, long hash, Map<Long, Session> sessions) {
    static final String FIRST_LINE = "understudy replay checkpoint 1";

    private static final String FIRST_WORDS = "understudy replay checkpoint ";

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

        String line() {
            Map<String, Object> view = new LinkedHashMap<>();
            view.put("log", log);
            view.put("target", target);
            view.put("choice", choice);
            return JsonWriter.write(view);
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

    /** Reads a checkpoint, and refuses one that belongs to another replay. */
    static Checkpoint read(Path file, Subject wanted) throws IOException {
        String text;
        try {
            text = Files.readString(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw new IOException(file + " does not exist: begin without --resume", e);
        }
        String[] lines = text.split("\n", -1); // the last one is empty, or was being written
        if (!lines[0].equals(FIRST_LINE)) {
            throw new IOException(file
                    + (lines[0].startsWith(FIRST_WORDS)
                            ? " is a checkpoint of another version: " + lines[0]
                            : " is no checkpoint of a replay"));
        }
        try {
            Subject of = subject(lines[1]);
            if (!of.target().equals(wanted.target())) {
                throw new IOException(
                        file + " is the checkpoint of a replay on " + of.target() + ", not on " + wanted.target());
            }
            if (!of.choice().equals(wanted.choice())) {
                throw new IOException(
                        file + " is the checkpoint of a replay that plays " + of.choice() + ", not " + wanted.choice());
            }
            return progress(of, lines);
        } catch (ClassCastException | NullPointerException | IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new IOException(file + " is damaged: " + e.getMessage(), e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Subject subject(String line) {
        Map<String, Object> view;
        try {
            view = (Map<String, Object>) JsonReader.read(line);
        } catch (IOException e) {
            throw new IllegalArgumentException("its second line is no JSON", e);
        }
        if (view == null) {
            throw new IllegalArgumentException("its second line names no log and target");
        }
        return new Subject(String.valueOf(view.get("log")), String.valueOf(view.get("target")), (Map<String, Object>)
                view.getOrDefault("choice", Map.of()));
    }

    private static Checkpoint progress(Subject of, String[] lines) {
        String[] head = lines[2].split(" ");
        if (!head[0].equals("read")) {
            throw new IllegalArgumentException("no position");
        }
        Map<Long, Session> sessions = new TreeMap<>();
        for (int i = 3; i < lines.length - 1; i++) {
            apply(sessions, lines[i].split(" "));
        }
        return new Checkpoint(of, Long.parseLong(head[1]), Long.parseLong(head[2], 16), sessions);
    }

    private static void apply(Map<Long, Session> sessions, String[] words) {
        long id = Long.parseLong(words[1]);
        long position = Long.parseLong(words[2]);
        Session before = sessions.getOrDefault(id, new Session(position, 0, 0));
        sessions.put(
                id,
                switch (words[0]) {
                    case "o" -> new Session(position, Long.parseLong(words[3]), Long.parseLong(words[4]));
                    case "s" -> new Session(position, before.transaction(), position);
                    case "t" ->
                        new Session(position + 1, before.transaction() == 0 ? position : before.transaction(), 0);
                    case "l" -> new Session(position, 0, position);
                    case "d", "q" -> new Session(position + 1, 0, 0);
                    default -> throw new IllegalArgumentException("a line that begins with " + words[0]);
                });
    }
}
