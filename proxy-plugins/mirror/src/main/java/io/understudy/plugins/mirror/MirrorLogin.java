package io.understudy.plugins.mirror;

import io.understudy.plugin.ServerConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens connections to a standby, one at a time: connects, and sends the statements that make the session read-only.
 * {@link #preparing} and {@link #close} are thread-safe; the rest runs on the plugin's executor and then on the
 * connection's event loop.
 */
final class MirrorLogin {
    private static final Logger log = LoggerFactory.getLogger(MirrorLogin.class);

    private final StandbyMirror mirror;
    private final StatementDeadline deadline;
    private final Outcome outcome;

    /** Logged in, with its first statements in flight; the deadline covers them too. */
    private volatile @Nullable ServerConnection preparing;

    private volatile boolean closed;

    /** Called once for each attempt, unless {@link #close} ended it. */
    interface Outcome {
        void opened(ServerConnection connected, CollationNames names);

        void notOpened(String reason);
    }

    /** @param deadline of the connection's statements */
    MirrorLogin(StandbyMirror mirror, StatementDeadline deadline, Outcome outcome) {
        this.mirror = mirror;
        this.deadline = deadline;
        this.outcome = outcome;
    }

    /** Begins an attempt. Never blocks. */
    void begin() {
        if (closed) {
            return;
        }
        attempt(() -> mirror.collations().names().whenComplete((names, unknown) -> {
            if (names == null) {
                outcome.notOpened(reason(unknown));
            } else {
                attempt(() -> connect(names));
            }
        }));
    }

    private void connect(CollationNames names) {
        if (closed) {
            return;
        }
        mirror.standby().connector().connect().whenComplete((connected, failure) -> {
            if (connected == null) {
                outcome.notOpened(reason(failure));
            } else {
                attempt(() -> prepare(connected, names));
            }
        });
    }

    private static String reason(@Nullable Throwable failure) {
        return failure == null ? "no reason given" : String.valueOf(failure.getMessage());
    }

    /** Runs a step of an attempt; an exception, which a stage would swallow, ends the attempt. */
    private void attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException fault) {
            log.error("connecting the mirror to {} failed unexpectedly", mirror.name(), fault);
            ServerConnection half = preparing;
            if (half != null) {
                preparing = null;
                half.close();
            }
            outcome.notOpened(fault.toString());
        }
    }

    private void prepare(ServerConnection connected, CollationNames names) {
        if (closed) {
            connected.close();
            return;
        }
        deadline.begin(System.nanoTime());
        preparing = connected;
        if (closed) {
            connected.close(); // close() may have seen no connection yet
            return;
        }
        FirstStatements.send(
                connected,
                ReadOnlySession.statements(connected.flavor(), mirror.config()),
                refused -> attempt(() -> prepared(connected, names, refused)));
    }

    private void prepared(ServerConnection connected, CollationNames names, @Nullable String refused) {
        preparing = null;
        deadline.end();
        if (refused == null) {
            outcome.opened(connected, names);
        } else {
            connected.close();
            outcome.notOpened(refused);
        }
    }

    /** Returns the connection whose first statements are in flight, or null. */
    @Nullable
    ServerConnection preparing() {
        return preparing;
    }

    /** Ends the attempt that is under way, and allows no further one. */
    void close() {
        closed = true;
        ServerConnection half = preparing;
        if (half != null) {
            half.close();
        }
    }
}
