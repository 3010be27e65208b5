package io.understudy.plugins.mirror;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.WireConnection;
import io.understudy.plugin.WireResponse;
import io.understudy.wire.CommandCode;
import java.util.ArrayList;
import java.util.List;
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
         * @param nanos from the statement's last packet, or from the answer to the statement before it if that came later, to
         *     its whole answer; next to nothing when both answers came by one read
         */
        void executed(MirroredStatement statement, String outcome, long nanos);

        /** The standby cannot be brought to where the statement means the same. */
        void notReproducible(MirroredStatement statement);

        /** The connection is gone. */
        void failed(MirroredStatement statement, String reason);
    }

    private final WireConnection connection;
    private final CollationNames collations;
    private final Ending ending;
    private final PreparedCache prepared = new PreparedCache();
    private @Nullable StatementSetting setting;
    private boolean awaitsStep;
    private long answeredNanos;

    Playback(WireConnection connection, CollationNames collations, Ending ending) {
        this.connection = connection;
        this.collations = collations;
        this.ending = ending;
    }

    /** What the next statement needs is not known before something has been answered. */
    boolean awaitsStep() {
        return awaitsStep;
    }

    void play(MirroredStatement statement) {
        StatementSetting wanted = statement.setting();
        StatementSetting before = setting;
        if (wanted == before) {
            run(statement); // nearly always: sessions keep the object while nothing changes
            return;
        }
        List<ByteBuf> changes = new ArrayList<>(2);
        if (!wanted.sameVariables(before)) {
            String set = wanted.setStatement(collations);
            if (set == null) {
                ending.notReproducible(statement);
                return;
            }
            changes.add(Commands.text(connection.alloc(), CommandCode.QUERY, set));
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
            Adoption adoption = new Adoption(statement, changes.size());
            changes.forEach(packet -> connection.execute(packet, adoption));
        }
    }

    /** The statement is sent when its settings are in force, and not at all when they are refused. */
    private final class Adoption implements WireResponse {
        private final MirroredStatement statement;
        private int pending;
        private boolean refused;
        private @Nullable String failure;

        Adoption(MirroredStatement statement, int pending) {
            this.statement = statement;
            this.pending = pending;
        }

        @Override
        public void onResponse(ResponseView response, int preparedId) {
            refused |= !response.ok();
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
                ending.notReproducible(statement);
            } else {
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
            ending.notReproducible(statement);
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
        connection.execute(Commands.bytes(connection.alloc(), CommandCode.STMT_PREPARE, text), new WireResponse() {
            @Override
            public void onResponse(ResponseView response, int preparedId) {
                awaitsStep = false;
                if (!response.ok() || preparedId < 0) {
                    ending.executed(statement, "error", System.nanoTime() - sentNanos);
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
            ending.notReproducible(statement);
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
        connection.execute(packet, new WireResponse() {
            @Override
            public void onResponse(ResponseView response, int preparedId) {
                long now = System.nanoTime();
                long began = answeredNanos - sentNanos > 0 ? answeredNanos : sentNanos;
                answeredNanos = now;
                ending.executed(statement, outcome(response), now - began);
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
