package io.understudy.plugins.mirror;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.WireConnection;
import io.understudy.plugin.WireResponse;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to a standby: takes statements from its lane, one at a time, and throws the answers away. Connects when
 * there is something to send, backs off with jitter when that fails. Everything but {@link #wake}, {@link #sweep} and
 * {@link #close} runs on the connection's event loop, or before there is one.
 */
final class MirrorConnection {
    private static final Logger log = LoggerFactory.getLogger(MirrorConnection.class);
    private static final int FIRST_BACK_OFF_MILLIS = 200;
    private static final int LAST_BACK_OFF_MILLIS = 10_000;
    /** What the standby gets beyond the timeout to end a statement by itself. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final int ER_STATEMENT_TIMEOUT_MARIADB = 1969;
    private static final int ER_QUERY_TIMEOUT_MYSQL = 3024;

    private final StandbyMirror mirror;
    private final MirrorLane lane;
    private final PreparedCache prepared = new PreparedCache();

    private volatile @Nullable WireConnection wire;
    /** Logged in, but its first statements are not answered yet; {@link #busySinceNanos} counts for it too. */
    private volatile @Nullable WireConnection preparing;

    private volatile boolean backingOff;
    private volatile boolean closed;
    private volatile long busySinceNanos;
    private @Nullable StatementSetting setting;
    private int failures;

    MirrorConnection(StandbyMirror mirror, MirrorLane lane) {
        this.mirror = mirror;
        this.lane = lane;
    }

    boolean backingOff() {
        return backingOff;
    }

    /** There may be something to do. Called once for each time the connection has rested. */
    void wake() {
        WireConnection current = wire;
        try {
            if (current != null) {
                current.loop().execute(this::next);
            } else {
                mirror.context().executor().execute(this::connect);
            }
        } catch (RejectedExecutionException e) {
            lost(null);
        }
    }

    private void connect() {
        if (closed) {
            return;
        }
        mirror.learnCollations();
        mirror.standby().connector().connect().whenComplete((connected, failure) -> {
            if (connected == null) {
                lost(failure == null ? "no reason given" : String.valueOf(failure.getMessage()));
            } else {
                prepare(connected);
            }
        });
    }

    private void prepare(WireConnection connected) {
        if (closed) {
            connected.close();
            return;
        }
        setting = null;
        prepared.clear();
        busySinceNanos = System.nanoTime();
        preparing = connected;
        Preparation preparation = new Preparation(connected);
        for (String sql : ReadOnlySession.statements(connected.flavor(), mirror.config())) {
            preparation.add(sql);
        }
        preparation.sent();
    }

    /** Waits for the answers to the first statements: the connection is used only if all of them were accepted. */
    private final class Preparation implements WireResponse {
        private final WireConnection connected;
        private int pending = 1;
        private @Nullable String refused;

        Preparation(WireConnection connected) {
            this.connected = connected;
        }

        void add(String sql) {
            pending++;
            connected.execute(Commands.text(connected.alloc(), Commands.QUERY, sql), this);
        }

        void sent() {
            done();
        }

        @Override
        public void onResponse(ResponseView response, int preparedId) {
            if (!response.ok()) {
                refused = "a setting of the mirror's or initSql was refused with error " + response.errorCode();
            }
            done();
        }

        @Override
        public void onFailure(String reason) {
            refused = reason;
            done();
        }

        private void done() {
            pending--;
            if (pending > 0) {
                return;
            }
            preparing = null;
            busySinceNanos = 0;
            if (refused != null) {
                connected.close();
                lost(refused);
                return;
            }
            failures = 0;
            backingOff = false;
            wire = connected;
            lane.opened();
            next();
        }
    }

    /** Takes the next statement that is still worth sending, or rests. */
    private void next() {
        busySinceNanos = 0;
        WireConnection current = wire;
        if (current == null || !current.isOpen()) {
            disconnected("the standby closed the connection");
            return;
        }
        MirroredStatement statement;
        while ((statement = lane.poll()) != null) {
            if (mirror.taken(statement)) {
                run(current, statement);
                return;
            }
        }
        lane.rest(this);
    }

    private void run(WireConnection current, MirroredStatement statement) {
        busySinceNanos = System.nanoTime();
        adopt(current, statement.setting());
        PreparedStatement source = statement.prepared();
        if (source == null) {
            send(current, statement, statement.packet().retainedDuplicate());
            return;
        }
        byte[] text = source.text();
        if (text == null) {
            notReproducible(statement);
            return;
        }
        PreparedCache.Entry known = prepared.find(text, statement.setting());
        if (known != null) {
            execute(current, statement, known);
            return;
        }
        current.execute(Commands.bytes(current.alloc(), Commands.STMT_PREPARE, text), new WireResponse() {
            @Override
            public void onResponse(ResponseView response, int preparedId) {
                if (!response.ok() || preparedId < 0) {
                    finish(statement, "error");
                    return;
                }
                PreparedCache.Entry added = new PreparedCache.Entry(preparedId, source.parameters());
                PreparedCache.Entry evicted = prepared.add(text, statement.setting(), added);
                if (evicted != null) {
                    current.send(Commands.closeStatement(current.alloc(), evicted.statementId()));
                }
                execute(current, statement, added);
            }

            @Override
            public void onFailure(String reason) {
                failed(statement, reason);
            }
        });
    }

    /** Brings the connection to the session's schema and settings, where they differ. */
    private void adopt(WireConnection current, StatementSetting wanted) {
        StatementSetting before = setting;
        if (!wanted.sameVariables(before)) {
            current.execute(
                    Commands.text(current.alloc(), Commands.QUERY, wanted.setStatement(mirror.collations())),
                    new Adopted());
        }
        String schema = wanted.schema();
        if (schema != null && (before == null || !schema.equals(before.schema()))) {
            current.execute(Commands.text(current.alloc(), Commands.INIT_DB, schema), new Adopted());
        }
        setting = schema == null && before != null
                ? new StatementSetting(
                        before.schema(), wanted.collation(), wanted.characterSet(), wanted.timeZone(), wanted.sqlMode())
                : wanted;
    }

    /** A refused setting is tried again with the next statement; this one's answer is thrown away in any case. */
    private final class Adopted implements WireResponse {
        @Override
        public void onResponse(ResponseView response, int preparedId) {
            if (!response.ok()) {
                setting = null;
            }
        }

        @Override
        public void onFailure(String reason) {
            // The statement behind it fails too and reports.
        }
    }

    private void execute(WireConnection current, MirroredStatement statement, PreparedCache.Entry entry) {
        ByteBuf packet = ExecutePacket.rewrite(
                current.alloc(),
                statement.packet(),
                entry.statementId(),
                entry.parameters(),
                statement.parameterTypes());
        if (packet == null) {
            notReproducible(statement);
        } else {
            send(current, statement, packet);
        }
    }

    private void send(WireConnection current, MirroredStatement statement, ByteBuf packet) {
        current.execute(packet, new WireResponse() {
            @Override
            public void onResponse(ResponseView response, int preparedId) {
                finish(statement, outcome(response));
            }

            @Override
            public void onFailure(String reason) {
                failed(statement, reason);
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

    private void finish(MirroredStatement statement, String outcome) {
        mirror.executed(statement, outcome, System.nanoTime() - busySinceNanos);
        statement.release();
        next();
    }

    private void notReproducible(MirroredStatement statement) {
        mirror.drop(DropReason.NOT_REPRODUCIBLE);
        statement.release();
        next();
    }

    private void failed(MirroredStatement statement, String reason) {
        boolean overdue =
                System.nanoTime() - busySinceNanos > mirror.config().timeout().toNanos();
        mirror.executed(statement, overdue ? "timeout" : "error", System.nanoTime() - busySinceNanos);
        statement.release();
        disconnected(reason);
    }

    private void disconnected(String reason) {
        WireConnection current = wire;
        wire = null;
        busySinceNanos = 0;
        if (current != null) {
            lane.closed();
            current.close();
        }
        lost(reason);
    }

    /** No connection; the next attempt comes after a while that grows and varies. */
    private void lost(@Nullable String reason) {
        if (closed) {
            return;
        }
        int limit = Math.min(LAST_BACK_OFF_MILLIS, FIRST_BACK_OFF_MILLIS << Math.min(failures, 6));
        int delay = limit / 2 + ThreadLocalRandom.current().nextInt(limit / 2 + 1);
        if (failures++ == 0 && reason != null) {
            log.warn("mirror connection to {} lost: {}; next attempt in {} ms", mirror.name(), reason, delay);
        }
        backingOff = true;
        try {
            mirror.context()
                    .executor()
                    .schedule(
                            () -> {
                                backingOff = false;
                                lane.rest(this);
                            },
                            delay,
                            TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            log.error("mirror connection to {} given up: the plugin's executor is full or stopped", mirror.name());
        }
    }

    /** Ends a statement that the standby does not end by itself, the first ones of a connection too. Any thread. */
    void sweep(long nowNanos) {
        long since = busySinceNanos;
        WireConnection current = wire;
        if (current == null) {
            current = preparing;
        }
        if (since != 0
                && current != null
                && nowNanos - since > mirror.config().timeout().toNanos() + GRACE_NANOS) {
            current.close(); // its pending answers fail, which counts and reconnects
        }
    }

    void close() {
        closed = true;
        WireConnection current = wire;
        wire = null;
        if (current != null) {
            current.close();
        }
        WireConnection half = preparing;
        if (half != null) {
            half.close();
        }
    }
}
