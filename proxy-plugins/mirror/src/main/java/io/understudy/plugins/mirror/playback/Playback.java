package io.understudy.plugins.mirror.playback;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.ServerResponse;
import io.understudy.plugins.mirror.statement.Commands;
import io.understudy.plugins.mirror.statement.ExecutePacket;
import io.understudy.plugins.mirror.statement.ExecutedForm;
import io.understudy.plugins.mirror.statement.PreparedCache;
import io.understudy.plugins.mirror.statement.StatementSetting;
import io.understudy.plugins.mirror.tables.StandbyError;
import io.understudy.protocol.CommandCode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Replays statements on one connection to a standby, one after the other: sets the session's schema and settings,
 * prepares statements that are executed, sends the client's packet and discards the response. Accepts no statement
 * while {@link #awaitsStep} is true. Runs on the connection's event loop.
 */
final class Playback {
    private static final int ER_QUERY_INTERRUPTED = 1317;
    private static final int ER_STATEMENT_TIMEOUT_MARIADB = 1969;
    private static final int ER_QUERY_TIMEOUT_MYSQL = 3024;

    /**
     * Receives the end of each statement. Exactly one of the first three methods is called for a statement, and it must
     * release the statement; none or one if {@link #play} or a step throws.
     */
    interface Listener {
        /**
         * Called when the standby has responded.
         *
         * @param error the standby's error, or null if it executed the statement
         * @param nanos from the statement's last packet, or from the preceding statement's response if that came later,
         *     to the end of the response; close to zero if one read brought both responses
         */
        void executed(MirroredStatement statement, String outcome, @Nullable StandbyError error, long nanos);

        /**
         * Called when the standby cannot be given the settings under which the statement means the same.
         *
         * @param error the standby's error, or null if nothing was sent
         */
        void notReproducible(MirroredStatement statement, @Nullable StandbyError error);

        /**
         * Called when the connection was lost before the response.
         *
         * @return whether it was closed because the statement took too long
         */
        boolean failed(MirroredStatement statement, String reason);

        /** Runs what follows a response, and may throw; the connection would only log that. */
        void step(Runnable step);

        /** Returns the time after which a standby interrupts a statement. */
        long timeoutNanos();
    }

    /** Chooses the statements whose page reads are counted. */
    interface Probes {
        /** Returns a probe if the statement, about to be sent, is one. */
        @Nullable
        Probe probe(MirroredStatement statement, ServerFlavor standby);

        /** Returns whether the standby is to execute the statement without returning its rows. */
        default boolean discardsRows(MirroredStatement statement) {
            return false;
        }

        /** Called when the standby refused the statement in a form without rows. */
        default void refusedForm(MirroredStatement statement) {}
    }

    private final ServerConnection connection;
    private final Map<Integer, String> collations;
    private final Listener listener;
    private final Probes probes;
    private final PreparedCache prepared = new PreparedCache();
    /** The setting in force once everything sent so far has been executed. */
    private @Nullable StatementSetting setting;

    /** Names of the variables that the connection may have values for. */
    private Set<String> given = Set.of();

    private boolean awaitsStep;
    private long lastResponseNanos;

    Playback(ServerConnection connection, Map<Integer, String> collations, Probes probes, Listener listener) {
        this.connection = connection;
        this.collations = collations;
        this.listener = listener;
        this.probes = probes;
    }

    /**
     * Returns whether the next statement must wait: a response that decides about its settings or statement id is due.
     */
    boolean awaitsStep() {
        return awaitsStep;
    }

    void play(MirroredStatement statement) {
        play(statement, false);
    }

    /** @param plain whether it must be sent as the client wrote it */
    @SuppressWarnings("ReferenceEquality") // sessions keep the object while nothing changes
    private void play(MirroredStatement statement, boolean plain) {
        if (statement.only() != null && statement.only() != connection.flavor()) {
            listener.notReproducible(statement, null);
            return;
        }
        StatementSetting wanted = statement.setting();
        StatementSetting before = setting;
        if (wanted == before) {
            run(statement, plain); // the usual case: sessions keep the object while nothing changes
            return;
        }
        List<Supplier<ByteBuf>> changes = new ArrayList<>(2);
        Set<String> names = given;
        if (!wanted.sameVariables(before)) {
            List<String> sets = wanted.setStatements(collations, given);
            if (sets == null) {
                listener.notReproducible(statement, null);
                return;
            }
            sets.forEach(set -> changes.add(() -> Commands.text(connection.alloc(), CommandCode.QUERY, set)));
            names = wanted.readingNames();
        }
        String schema = wanted.schema();
        if (schema != null && (before == null || !schema.equals(before.schema()))) {
            changes.add(() -> Commands.text(connection.alloc(), CommandCode.INIT_DB, schema));
        }
        setting = schema == null && before != null ? wanted.in(before.schema()) : wanted;
        if (changes.isEmpty()) {
            run(statement, plain);
        } else {
            awaitsStep = true;
            Set<String> changed = names;
            PrecedingCommands.send(
                    connection,
                    changes,
                    (refused, failure) -> listener.step(() -> adopted(statement, plain, changed, refused, failure)));
        }
    }

    /** Sends the statement once its settings are in force, or not at all if the standby refuses one. */
    private void adopted(
            MirroredStatement statement,
            boolean plain,
            Set<String> names,
            @Nullable StandbyError refused,
            @Nullable String failure) {
        awaitsStep = false;
        if (failure != null) {
            listener.failed(statement, failure);
        } else if (refused != null) {
            setting = null;
            // Some of the refused variables may be set.
            Set<String> all = new LinkedHashSet<>(given);
            all.addAll(names);
            given = all;
            listener.notReproducible(statement, refused);
        } else {
            given = names;
            run(statement, plain);
        }
    }

    private void run(MirroredStatement statement, boolean plain) {
        if (plain) {
            run(statement, null, ExecutedForm.PLAIN);
            return;
        }
        Probe probe = probes.probe(statement, connection.flavor());
        run(statement, probe, form(statement, probe));
    }

    private ExecutedForm form(MirroredStatement statement, @Nullable Probe probe) {
        if (probe != null && probe.analyzes()) {
            return ExecutedForm.ANALYZE_JSON;
        }
        if (!probes.discardsRows(statement)) {
            return ExecutedForm.PLAIN;
        }
        return connection.flavor() == ServerFlavor.MARIADB ? ExecutedForm.ANALYZE : ExecutedForm.EXPLAIN_ANALYZE;
    }

    private void run(MirroredStatement statement, @Nullable Probe probe, ExecutedForm form) {
        PreparedStatement source = statement.prepared();
        if (source == null) {
            send(statement, form.of(connection.alloc(), statement.packet()), probe, form);
            return;
        }
        byte[] text = source.text();
        if (text == null) {
            listener.notReproducible(statement, null);
            return;
        }
        text = form.of(text);
        PreparedCache.Entry known = prepared.find(text, statement.setting());
        if (known == null) {
            prepare(statement, text, source.parameters(), probe, form);
        } else {
            execute(statement, known, probe, form);
        }
    }

    private void prepare(
            MirroredStatement statement, byte[] text, int parameters, @Nullable Probe probe, ExecutedForm form) {
        long sentNanos = System.nanoTime();
        awaitsStep = true;
        connection.execute(Commands.bytes(connection.alloc(), CommandCode.STMT_PREPARE, text), new Step() {
            @Override
            void responded(ResponseView response, int preparedId) {
                awaitsStep = false;
                if (!response.ok() && form != ExecutedForm.PLAIN) {
                    refused(statement, probe);
                    run(statement, null, ExecutedForm.PLAIN);
                    return;
                }
                if (!response.ok() || preparedId < 0) {
                    if (probe != null) {
                        probe.refused();
                    }
                    listener.executed(statement, "error", StandbyError.of(response), System.nanoTime() - sentNanos);
                    return;
                }
                PreparedCache.Entry added = new PreparedCache.Entry(preparedId, parameters);
                PreparedCache.Entry evicted = prepared.add(text, statement.setting(), added);
                if (evicted != null) {
                    connection.send(Commands.closeStatement(connection.alloc(), evicted.statementId()));
                }
                execute(statement, added, probe, form);
            }

            @Override
            public void onFailure(String reason) {
                listener.failed(statement, reason);
            }
        });
    }

    /** A response that decides what follows. */
    private abstract class Step implements ServerResponse {
        abstract void responded(ResponseView response, int preparedId);

        @Override
        public void onResponse(ResponseView response, int preparedId) {
            listener.step(() -> responded(response, preparedId));
        }
    }

    private void refused(MirroredStatement statement, @Nullable Probe probe) {
        probes.refusedForm(statement);
        if (probe != null && probe.analyzes()) {
            probe.refused();
        }
    }

    private void execute(
            MirroredStatement statement, PreparedCache.Entry entry, @Nullable Probe probe, ExecutedForm form) {
        ByteBuf packet = ExecutePacket.rewrite(
                connection.alloc(),
                statement.packet(),
                entry.statementId(),
                entry.parameters(),
                statement.parameterTypes());
        if (packet == null) {
            listener.notReproducible(statement, null);
            return;
        }
        byte[] longData = statement.longData();
        if (longData != null) {
            before(
                    packet,
                    () -> connection.send(ExecutePacket.readdress(connection.alloc(), longData, entry.statementId())));
        }
        send(statement, packet, probe, form);
    }

    /** Sends what goes ahead of a packet; if that throws, the packet will not be sent. */
    private static void before(ByteBuf packet, Runnable sending) {
        try {
            sending.run();
        } catch (RuntimeException | Error fault) {
            packet.release();
            throw fault;
        }
    }

    private void send(MirroredStatement statement, ByteBuf packet, @Nullable Probe probe, ExecutedForm form) {
        long sentNanos = System.nanoTime();
        boolean analyzes = probe != null && probe.analyzes();
        // A refused probe is sent again in its plain form, before anything that changes the settings.
        awaitsStep = awaitsStep || analyzes;
        if (probe != null && !analyzes) {
            before(packet, () -> connection.execute(Probe.counter(connection.alloc()), probe.counted(false)));
        }
        connection.execute(packet, new Step() {
            @Override
            public int rowBytes() {
                return probe == null ? 0 : probe.rowBytes();
            }

            @Override
            public void onRow(ByteBuf buf, int index, int shown, int length) {
                if (probe != null) {
                    probe.row(buf, index, shown, length);
                }
            }

            @Override
            void responded(ResponseView response, int preparedId) {
                long now = System.nanoTime();
                if (analyzes) {
                    awaitsStep = false;
                }
                if (form != ExecutedForm.PLAIN && refused(response)) {
                    refused(statement, probe);
                    again(statement, response);
                    return;
                }
                long began = lastResponseNanos - sentNanos > 0 ? lastResponseNanos : sentNanos;
                lastResponseNanos = now;
                String outcome = outcome(response, form, now - began);
                if (probe != null && outcome.equals("ok")) {
                    probe.executed();
                } else if (probe != null
                        && (outcome.equals("timeout") || response.errorCode() == ER_QUERY_INTERRUPTED)) {
                    probe.timedOut();
                }
                listener.executed(statement, outcome, StandbyError.of(response), now - began);
            }

            @Override
            public void onFailure(String reason) {
                if (listener.failed(statement, reason) && probe != null) {
                    probe.lost();
                }
            }
        });
        if (probe != null && !analyzes) {
            connection.execute(Probe.counter(connection.alloc()), probe.counted(true));
        }
    }

    /**
     * Sends a statement in its plain form whose other form was refused. Statements that were sent after it may have
     * changed the settings, and one of them may be about to rely on them.
     */
    private void again(MirroredStatement statement, ResponseView response) {
        if (awaitsStep) {
            listener.notReproducible(statement, StandbyError.of(response));
        } else {
            play(statement, true);
        }
    }

    /** Returns whether the plain form may be executed all the same. */
    private static boolean refused(ResponseView response) {
        return !response.ok() && !isTimeout(response) && response.errorCode() != ER_QUERY_INTERRUPTED;
    }

    /**
     * Returns the outcome's label. MySQL responds to an EXPLAIN ANALYZE that it has interrupted with the plan up to
     * there and a warning, so that only its time tells (seen on 9.7).
     */
    private String outcome(ResponseView response, ExecutedForm form, long nanos) {
        if (response.ok()) {
            return form == ExecutedForm.EXPLAIN_ANALYZE && nanos >= listener.timeoutNanos() ? "timeout" : "ok";
        }
        return isTimeout(response) ? "timeout" : "error";
    }

    private static boolean isTimeout(ResponseView response) {
        int code = response.errorCode();
        return code == ER_STATEMENT_TIMEOUT_MARIADB || code == ER_QUERY_TIMEOUT_MYSQL;
    }
}
