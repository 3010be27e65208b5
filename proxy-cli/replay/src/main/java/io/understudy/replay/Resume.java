package io.understudy.replay;

import io.understudy.base.RecentlyUsed;
import io.understudy.replay.Checkpoint.EventHash;
import io.understudy.replay.log.LogEvent;
import io.understudy.replay.log.StatementLog;
import io.understudy.sql.SetStatement;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rest of a log after a checkpoint. Made by reading the log up to there once, without playing: to make sure that it
 * is the checkpoint's log, and to decide about statements whose response is not known and about transactions that ended
 * with their connection.
 *
 * <p>A read is played again. A transaction that was open was rolled back: it is played again from its begin. Anything
 * else may have been executed, or not: it is not played again, only named.
 */
public final class Resume {
    /** Sessions whose settings and losses are kept; those used last. */
    private static final int SESSIONS = 20_000;

    private static final int SET_STATEMENTS = 100;
    /** Positions that are listed. */
    private static final int LISTED = 100;

    /** The state of a session of the log that a new connection does not have. */
    private static final class Made {
        /** SET statements by the names that they assign. */
        final Map<String, byte[]> settings = new LinkedHashMap<>();

        boolean temporaryTables;
        boolean userVariables;
    }

    private final Checkpoint checkpoint;
    private final boolean readsOnly;
    private final SqlAnalyzer analyzer = new SqlAnalyzer();
    private final EventModes modes = new EventModes();
    private final Map<Long, Long> sessions = new HashMap<>();
    private final Map<Long, Made> made = new RecentlyUsed<>(SESSIONS);
    private final List<Long> again = new ArrayList<>();
    private final List<Long> unknown = new ArrayList<>();
    private final Map<String, Long> lacking = new TreeMap<>();
    private int restarted;

    private Resume(Checkpoint checkpoint, boolean readsOnly) {
        this.checkpoint = checkpoint;
        this.readsOnly = readsOnly;
        checkpoint.sessions().forEach((id, session) -> sessions.put(id, session.from()));
    }

    /**
     * Reads a checkpoint.
     *
     * @param lock on the checkpoint
     * @param logName for messages
     * @param log read up to the checkpoint; not used later
     * @throws IOException also when it belongs to another log, target, or choice of statements
     */
    public static Resume read(CheckpointLock lock, String logName, StatementLog log, ReplayOptions options)
            throws IOException {
        Path file = lock.checkpoint();
        Checkpoint checkpoint = Checkpoint.read(file, Checkpoint.Subject.of(logName, options));
        Resume resume = new Resume(checkpoint, options.filter().readsOnly());
        EventHash hash = new EventHash();
        for (long position = 1; position <= checkpoint.end(); position++) {
            LogEvent event = log.next();
            if (event == null) {
                if (position > checkpoint.read()) {
                    break;
                }
                throw another(file, logName, checkpoint, "which has only " + (position - 1) + " events");
            }
            hash.add(event);
            if (position == checkpoint.read() && hash.value() != checkpoint.hash()) {
                throw another(file, logName, checkpoint, "whose first " + position + " events are others");
            }
            resume.pass(event, position);
        }
        resume.countLacking();
        return resume;
    }

    private static IOException another(Path file, String logName, Checkpoint checkpoint, String why) {
        return new IOException(file + " is the checkpoint of another log than " + logName + ", " + why
                + "; it was written for " + checkpoint.of().log());
    }

    private void pass(LogEvent event, long position) {
        long id = event.threadId();
        if (event.kind() == LogEvent.Kind.QUIT) {
            made.remove(id);
            return;
        }
        if (event.kind() != LogEvent.Kind.STATEMENT) {
            return;
        }
        Checkpoint.Session session = checkpoint.sessions().get(id);
        if (session != null && session.inFlight() == position) {
            inFlight(event, session, position);
        } else if (session != null && session.inFlight() == 0 && session.transaction() == position) {
            restart(id, position);
        } else if (!readsOnly && isDone(id, position)) {
            note(event);
        }
    }

    private void restart(long id, long position) {
        sessions.put(id, position);
        restarted++;
    }

    private void inFlight(LogEvent event, Checkpoint.Session session, long position) {
        long id = event.threadId();
        StatementSummary summary = summary(event);
        if (readsOnly || session.transaction() == 0 && summary.pureRead()) {
            again.add(position);
        } else if (session.transaction() != 0 && leavesOpen(summary, event)) {
            restart(id, session.transaction());
        } else {
            // A COMMIT too: whether its transaction is there is as unknown as whether it was executed.
            sessions.put(id, position + 1);
            unknown.add(position);
        }
    }

    /** Whether a transaction is open after it for sure, so that the target has rolled it back with the connection. */
    private static boolean leavesOpen(StatementSummary summary, LogEvent event) {
        return switch (summary.kind()) {
            case SELECT, VALUES, TABLE, SHOW, DESCRIBE, EXPLAIN, HELP, USE, SAVEPOINT -> !summary.implicitCommit();
            case SET -> {
                SetStatement parsed = SetStatement.parse(event.text(), 0, event.text().length, SqlModes.NONE);
                yield parsed != null
                        && parsed.assignments().stream()
                                .noneMatch(assignment -> assignment.name().equalsIgnoreCase("autocommit"));
            }
            default -> summary.changesDataOnly();
        };
    }

    private StatementSummary summary(LogEvent event) {
        return analyzer.summarize(event.text(), 0, event.text().length, modes.of(event));
    }

    /** Notes what a statement that is not played again has left in its session. */
    private void note(LogEvent event) {
        StatementSummary summary = summary(event);
        boolean set = summary.kind() == StatementKind.SET;
        boolean temporary = summary.kind() == StatementKind.CREATE && summary.temporary();
        if (!set && !temporary && !summary.userVariables()) {
            return;
        }
        Made session = made.computeIfAbsent(event.threadId(), id -> new Made());
        session.temporaryTables |= temporary;
        session.userVariables |= summary.userVariables();
        // The records of a capture have the settings.
        if (set && event.settings() == null && session.settings.size() < SET_STATEMENTS) {
            SetStatement parsed = SetStatement.parse(event.text(), 0, event.text().length, SqlModes.NONE);
            if (parsed != null && parsed.assignments().stream().allMatch(Resume::isRepeatable)) {
                String names = parsed.assignments().stream()
                        .map(SetStatement.Assignment::name)
                        .collect(Collectors.joining(" "));
                session.settings.remove(names);
                session.settings.put(names, event.text());
            }
        }
    }

    private static boolean isRepeatable(SetStatement.Assignment assignment) {
        return assignment.scope() == SetStatement.Scope.SESSION
                && (assignment.literalValue() != null || assignment.isDefault());
    }

    long read() {
        return checkpoint.read();
    }

    long hash() {
        return checkpoint.hash();
    }

    /** Returns the first position to play, of each session for which it is not the one behind {@link #read}. */
    Map<Long, Long> sessions() {
        return sessions;
    }

    /** Returns the last position about which the checkpoint says anything. */
    long end() {
        return checkpoint.end();
    }

    boolean isDone(long session, long position) {
        Long from = sessions.get(session);
        return from == null ? position <= checkpoint.read() : position < from;
    }

    /**
     * Returns SET statements that give a new connection the session's settings, as far as a log has them as text; once.
     */
    List<byte[]> settings(long session) {
        Made known = made.remove(session);
        return known == null ? List.of() : List.copyOf(known.settings.values());
    }

    private void countLacking() {
        made.values().forEach(session -> {
            if (session.temporaryTables) {
                lacking.merge("temporary tables", 1L, Long::sum);
            }
            if (session.userVariables) {
                lacking.merge("user variables", 1L, Long::sum);
            }
        });
    }

    /** Returns what became of the statements that have no response, and what the new connections lack. */
    public Map<String, Object> view() {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("readAgain", again.size());
        view.put("transactionsRestarted", restarted);
        view.put("outcomeUnknown", unknown.size());
        view.put("outcomeUnknownEvents", unknown.subList(0, Math.min(LISTED, unknown.size())));
        view.put("sessionsWithout", lacking);
        return view;
    }

    /** Returns what a person has to know before the replay goes on, or null. */
    public @Nullable String warning() {
        if (again.isEmpty() && unknown.isEmpty() && restarted == 0) {
            return null;
        }
        List<String> parts = new ArrayList<>();
        if (!again.isEmpty()) {
            parts.add("reads in flight that are played again: events " + listed(again));
        }
        if (restarted > 0) {
            parts.add("transactions that are played again from their begin: " + restarted);
        }
        if (!unknown.isEmpty()) {
            parts.add("in flight, and not played again because they may have been executed: events " + listed(unknown));
        }
        return String.join("; ", parts);
    }

    private static String listed(List<Long> positions) {
        String list = positions.stream().limit(LISTED).map(Objects::toString).collect(Collectors.joining(", "));
        return positions.size() > LISTED ? list + ", … (" + positions.size() + ")" : list;
    }
}
