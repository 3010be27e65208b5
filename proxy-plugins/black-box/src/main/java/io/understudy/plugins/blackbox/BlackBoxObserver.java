package io.understudy.plugins.blackbox;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.Interest;
import io.understudy.plugin.Outcome;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ResultGtid;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.Writes;
import io.understudy.plugins.blackbox.history.AnsweredCommit;
import io.understudy.plugins.blackbox.history.AnsweredCommit.CommitEvidence;
import io.understudy.plugins.blackbox.history.InterruptedSession;
import io.understudy.plugins.blackbox.kept.SessionEvents;
import io.understudy.plugins.blackbox.outcome.OutcomeFinder;
import io.understudy.plugins.blackbox.outcome.SessionTrail;
import io.understudy.protocol.Capabilities;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Records which commits of one session were answered, and whether it ended before a response. */
final class BlackBoxObserver implements SessionObserver {
    private static final Pattern RESETS_LOG =
            Pattern.compile("(?<!\\w)(MASTER|BINARY\\s+LOGS)(?!\\w)", Pattern.CASE_INSENSITIVE);

    private final SessionContext session;
    /** Reasons of {@link #onClose} with which the session goes on unseen. */
    private static final Set<String> UNSEEN = Set.of("unread", "retired", "removed");

    private final SessionEvents sessionEvents;
    /** Digest of the open transaction's first writing statement; 0 if there is none, or it is unknown. */
    private long digest;
    /** What speaks for it that the open transaction has written, where its GTID may be left out. */
    private @Nullable CommitEvidence evidence;
    /** Number of the last command that may commit; it is answered if not above {@link #answered}. */
    private long mayCommit;

    private long answered;

    private final SessionTrail trail;
    private final @Nullable OutcomeFinder finder;

    /** @param finder finds out what became of lost statements; or null */
    BlackBoxObserver(
            SessionContext session, SessionEvents sessionEvents, SessionTrail trail, @Nullable OutcomeFinder finder) {
        this.session = session;
        this.sessionEvents = sessionEvents;
        this.trail = trail;
        this.finder = finder;
    }

    @Override
    public int interests() {
        return Interest.COMMANDS | Interest.STATEMENTS | Interest.RESPONSES | Interest.GTIDS;
    }

    @Override
    public void onCommand(CommandView command) {
        if (!command.isStatement()) {
            return;
        }
        StatementKind kind = command.kind();
        if (kind.writes()) {
            mayCommit = command.number();
            if (digest == 0) {
                command.summary(); // the text is available only now; the summary is kept for the response
            }
        } else if (kind == StatementKind.RESET) {
            String text = command.text();
            command.attach(text != null && RESETS_LOG.matcher(text).find());
        } else if (commits(kind)) {
            mayCommit = command.number();
        }
        trail.onCommand(command);
    }

    private static boolean commits(StatementKind kind) {
        return kind.writes()
                || kind == StatementKind.COMMIT
                || kind == StatementKind.XA_COMMIT
                || kind == StatementKind.CALL;
    }

    @Override
    public @Nullable CompletionStage<Outcome> outcomeOf(CommandView command, Duration patience) {
        return finder == null ? null : finder.lost(trail.lost(command, digest), patience);
    }

    @Override
    public void onOutcomeTold(CommandView command, Outcome outcome, boolean told) {
        if (told && finder != null) {
            finder.told(session.id(), command.number(), outcome);
        }
    }

    @Override
    public void onResponse(CommandView command, ResponseView response) {
        answered = command.number();
        if (response.ok() && Boolean.TRUE.equals(command.attachment())) {
            sessionEvents.reset();
        }
        if (command.isStatement() && digest == 0 && command.kind().writes()) {
            StatementSummary summary = command.summary();
            digest = summary == null ? 0 : summary.digest();
        }
        String gtid = trail.ownGtids() ? response.gtid() : null;
        if (gtid != null) { // also of an OK before the error that ends a text of several statements
            reported(gtid, command, response);
        } else if (response.ok() && command.isStatement()) {
            String omitted = response.omittedGtid();
            if (omitted != null) {
                mayBeAnswered(omitted, command, response);
            }
        }
        if (!response.inTransaction()) {
            digest = 0;
            evidence = null;
        }
        trail.onResponse(command, response);
    }

    private void reported(String last, CommandView command, ResponseView response) {
        String all = last;
        for (ResultGtid earlier : response.earlierGtids()) {
            if (last.indexOf(':') < 0) {
                answered(earlier.text(), command, response, null);
            } else {
                all = earlier.text() + ',' + all; // MySQL's later results repeat the sets of those before them
            }
        }
        answered(all, command, response, null);
    }

    /** Called with the GTID that the response has left out if it is that of a commit. */
    private void mayBeAnswered(String omitted, CommandView command, ResponseView response) {
        StatementKind kind = command.kind();
        boolean rollback = kind == StatementKind.ROLLBACK || kind == StatementKind.XA_ROLLBACK;
        boolean foundRows = (session.capabilities() & Capabilities.FOUND_ROWS) != 0;
        CommitEvidence current = evidence(
                Writes.of(command, response, foundRows, session.settings().temporaryTables()), response);
        evidence = rollback ? null : stronger(evidence, current);
        if (!response.inTransaction() && evidence != null) {
            answered(omitted, command, response, evidence);
        }
    }

    private static @Nullable CommitEvidence evidence(Writes writes, ResponseView response) {
        return switch (writes) {
            case NONE -> null;
            case MAYBE -> response.affectedRows() > 0 ? CommitEvidence.COUNTED : CommitEvidence.MAY_WRITE;
            case SURE -> CommitEvidence.WROTE;
        };
    }

    private static @Nullable CommitEvidence stronger(@Nullable CommitEvidence one, @Nullable CommitEvidence other) {
        return one == null || other != null && other.compareTo(one) > 0 ? other : one;
    }

    private void answered(String gtid, CommandView command, ResponseView response, @Nullable CommitEvidence supposed) {
        sessionEvents.answered(new AnsweredCommit(
                gtid,
                session.id(),
                session.serverThreadId(),
                session.user(),
                session.schema(),
                digest,
                command.receivedNanos(),
                response.lastByteNanos(),
                command.isStatement() && commits(command.kind()),
                supposed));
    }

    @Override
    public void onReset() {
        digest = 0;
        evidence = null;
        trail.onReset();
    }

    @Override
    public void onMoved() {
        trail.onMoved();
    }

    @Override
    public void onClose(String reason) {
        trail.onClose(!UNSEEN.contains(reason));
        if (mayCommit > answered) {
            sessionEvents.interrupted(new InterruptedSession(
                    session.id(), session.serverThreadId(), session.user(), digest, System.nanoTime()));
        }
    }
}
