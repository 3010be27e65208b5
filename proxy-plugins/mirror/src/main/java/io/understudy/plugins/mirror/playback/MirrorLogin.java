package io.understudy.plugins.mirror.playback;

import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.statement.CollationNames;
import io.understudy.plugins.mirror.statement.FirstStatements;
import io.understudy.servers.Dialect;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to open a connection to a standby: connects, and sends the statements that make the session read-only.
 * Runs on the plugin's executor and then on the connection's event loop.
 */
public final class MirrorLogin {
    private static final Logger log = LoggerFactory.getLogger(MirrorLogin.class);

    private final StandbyMirror mirror;
    private final Outcome outcome;

    /** Receives {@code opened} or {@code notOpened}; neither matters once the connection was closed. */
    interface Outcome {
        /** Returns the connection's next state, or null if the attempt is over and the connection is to be closed. */
        MirrorLink.@Nullable Preparing loggedIn(ServerConnection connected);

        /** Takes over the connection. */
        void opened(ServerConnection connected, CollationNames names);

        /** Closes the connection of {@link #loggedIn}, if there is one. */
        void notOpened(String reason);
    }

    MirrorLogin(StandbyMirror mirror, Outcome outcome) {
        this.mirror = mirror;
        this.outcome = outcome;
    }

    /** Begins the attempt. Never blocks. */
    void begin() {
        attempt(() -> mirror.collations().names().whenComplete((names, unknown) -> {
            if (names == null) {
                outcome.notOpened(reason(unknown));
            } else {
                attempt(() -> connect(names));
            }
        }));
    }

    private void connect(CollationNames names) {
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

    /** Runs a step of the attempt; an exception, which a stage would swallow, ends the attempt. */
    private void attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException fault) {
            log.error("connecting the mirror to {} failed unexpectedly", mirror.name(), fault);
            outcome.notOpened(fault.toString());
        }
    }

    /**
     * Returns what makes a session read-only. Its reads cannot block the standby's applier: no transaction stays open,
     * because a read within one blocks replicated DDL.
     */
    public static List<String> statements(ServerFlavor flavor, MirrorConfig config) {
        List<String> sql = new ArrayList<>(Dialect.READ_ONLY_SESSION);
        sql.add("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
        sql.add("SET SESSION " + Dialect.of(flavor).limit(config.timeout()));
        config.initSql().forEach(each -> sql.add(each.text()));
        return sql;
    }

    private void prepare(ServerConnection connected, CollationNames names) {
        MirrorLink.Preparing preparing = outcome.loggedIn(connected);
        if (preparing == null) {
            connected.close();
            return;
        }
        FirstStatements.send(
                connected,
                statements(connected.flavor(), mirror.config()),
                refused -> attempt(() -> {
                    preparing.deadline().end();
                    if (refused == null) {
                        outcome.opened(connected, names);
                    } else {
                        outcome.notOpened(refused);
                    }
                }));
    }
}
