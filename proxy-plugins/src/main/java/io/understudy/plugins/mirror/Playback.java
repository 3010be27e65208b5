package io.understudy.plugins.mirror;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerResponse;
import io.understudy.wire.CommandCode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Plays statements on one connection to a standby, one behind the other: brings the connection to the statement's schema and settings,
 * prepares what is executed, sends the client's own packet, throws the answer away. While {@link #awaitsStep} it must not be given another. On the connection's event loop.
 */
final class Playback {
    private static final int ER_STATEMENT_TIMEOUT_MARIADB = 1969;
    private static final int ER_QUERY_TIMEOUT_MYSQL = 3024;

    /** How a statement ended. Each is called once for a statement, which the callee releases. */
    interface Ending {
        /**
         * @param error what the standby said when it did not execute it, else null
         * @param nanos from the statement's last packet, or from the answer to the statement before it if that came later, to
         *     its whole answer; next to nothing when both answers came by one read
         */
        void executed(MirroredStatement statement, String outcome, @Nullable StandbyError error, long nanos);

        /**
         * The standby cannot be brought to where the statement means the same.
         *
         * @param error with which it refused, or null when it was not asked
         */
        void notReproducible(MirroredStatement statement, @Nullable StandbyError error);

        /** The connection is gone. */
        void failed(MirroredStatement statement, String reason);
    }

    private final ServerConnection connection;
    private final CollationNames collations;
    private final Ending ending;
    private final PreparedCache prepared = new PreparedCache();
    /** As it will be when all that was sent is answered; read by any thread. */
    private volatile @Nullable StatementSetting setting;
    /** Variables that the connection may have values for. */
    private Set<String> given = Set.of();

    private boolean awaitsStep;
    private long answeredNanos;

    Playback(ServerConnection connection, CollationNames collations, Ending ending) {
        this.connection = connection;
        this.collations = collations;
        this.ending = ending;
    }

    /** What the next statement needs is not known before something has been answered. */
    boolean awaitsStep() {
        return awaitsStep;
    }

    /** Whether a statement needs another schema or other settings: 2 for neither, 1 when the schema is right, else 0. Any thread. */
    int suits(StatementSetting wanted) {
        StatementSetting now = setting;
        if (now == wanted) {
            return 2;
        }
        if (now == null || wanted.schema() != null && !wanted.schema().equals(now.schema())) {
            return 0;
        }
        return wanted.sameVariables(now) ? 2 : 1;
    }

    void play(MirroredStatement statement) {
        if (statement.only() != null && statement.only() != connection.flavor()) {
            ending.notReproducible(statement, null);
            return;
        }
        StatementSetting wanted = statement.setting();
        StatementSetting before = setting;
        if (wanted == before) {
            run(statement); // nearly always: sessions keep the object while nothing changes
            return;
        }
        List<ByteBuf> changes = new ArrayList<>(2);
        Set<String> names = given;
        if (!wanted.sameVariables(before)) {
            List<String> sets = wanted.setStatements(collations, given);
            if (sets == null) {
                ending.notReproducible(statement, null);
                return;
            }
            sets.forEach(set -> changes.add(Commands.text(connection.alloc(), CommandCode.QUERY, set)));
            names = wanted.readingNames();
        }
        String schema = wanted.schema();
        if (schema != null && (before == null || !schema.equals(before.schema()))) {
            changes.add(Commands.text(connection.alloc(), CommandCode.INIT_DB, schema));
        }
        setting = schema == null && before != null ? wanted.in(before.schema()) : wanted;
        if (changes.isEmpty()) {
            run(statement);
        } else {
            awaitsStep = true;
            Adoption adoption = new Adoption(statement, names, changes.size());
            changes.forEach(packet -> connection.execute(packet, adoption));
        }
    }

    /** The statement is sent when its settings are in force, and not at all when they are refused. */
    private final class Adoption implements ServerResponse {
        private final MirroredStatement statement;
        private final Set<String> names;
        private int pending;
        private boolean refused;
        private @Nullable StandbyError error;
        private @Nullable String failure;

        Adoption(MirroredStatement statement, Set<String> names, int pending) {
            this.statement = statement;
            this.names = names;
            this.pending = pending;
        }

        @Override
        public void onResponse(ResponseView response, int preparedId) {
            if (!response.ok() && !refused) {
                refused = true;
                error = StandbyError.of(response);
            }
            answered();
        }

        @Override
        public void onFailure(String reason) {
            failure = reason;
            answered();
        }

        private void answered() {
            if (--pending > 0) {
                return;
            }
            awaitsStep = false;
            String reason = failure;
            if (reason != null) {
                ending.failed(statement, reason);
            } else if (refused) {
                setting = null;
                // Some of it may be in force.
                Set<String> all = new LinkedHashSet<>(given);
                all.addAll(names);
                given = all;
                ending.notReproducible(statement, error);
            } else {
                given = names;
                run(statement);
            }
        }
    }

    private void run(MirroredStatement statement) {
        PreparedStatement source = statement.prepared();
        if (source == null) {
            send(statement, statement.packet().retainedDuplicate());
            return;
        }
        byte[] text = source.text();
        if (text == null) {
            ending.notReproducible(statement, null);
            return;
        }
        PreparedCache.Entry known = prepared.find(text, statement.setting());
        if (known == null) {
            prepare(statement, text, source.parameters());
        } else {
            execute(statement, known);
        }
    }

    private void prepare(MirroredStatement statement, byte[] text, int parameters) {
        long sentNanos = System.nanoTime();
        awaitsStep = true;
        connection.execute(Commands.bytes(connection.alloc(), CommandCode.STMT_PREPARE, text), new ServerResponse() {
            @Override
            public void onResponse(ResponseView response, int preparedId) {
                awaitsStep = false;
                if (!response.ok() || preparedId < 0) {
                    ending.executed(statement, "error", StandbyError.of(response), System.nanoTime() - sentNanos);
                    return;
                }
                PreparedCache.Entry added = new PreparedCache.Entry(preparedId, parameters);
                PreparedCache.Entry evicted = prepared.add(text, statement.setting(), added);
                if (evicted != null) {
                    connection.send(Commands.closeStatement(connection.alloc(), evicted.statementId()));
                }
                execute(statement, added);
            }

            @Override
            public void onFailure(String reason) {
                ending.failed(statement, reason);
            }
        });
    }

    private void execute(MirroredStatement statement, PreparedCache.Entry entry) {
        ByteBuf packet = ExecutePacket.rewrite(
                connection.alloc(),
                statement.packet(),
                entry.statementId(),
                entry.parameters(),
                statement.parameterTypes());
        if (packet == null) {
            ending.notReproducible(statement, null);
            return;
        }
        byte[] longData = statement.longData();
        if (longData != null) {
            connection.send(ExecutePacket.readdress(connection.alloc(), longData, entry.statementId()));
        }
        send(statement, packet);
    }

    private void send(MirroredStatement statement, ByteBuf packet) {
        long sentNanos = System.nanoTime();
        connection.execute(packet, new ServerResponse() {
            @Override
            public void onResponse(ResponseView response, int preparedId) {
                long now = System.nanoTime();
                long began = answeredNanos - sentNanos > 0 ? answeredNanos : sentNanos;
                answeredNanos = now;
                ending.executed(statement, outcome(response), StandbyError.of(response), now - began);
            }

            @Override
            public void onFailure(String reason) {
                ending.failed(statement, reason);
            }
        });
    }

    private static String outcome(ResponseView response) {
        if (response.ok()) {
            return "ok";
        }
        int code = response.errorCode();
        return code == ER_STATEMENT_TIMEOUT_MARIADB || code == ER_QUERY_TIMEOUT_MYSQL ? "timeout" : "error";
    }
}
