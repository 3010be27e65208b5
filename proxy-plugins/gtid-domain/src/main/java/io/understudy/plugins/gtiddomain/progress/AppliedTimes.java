package io.understudy.plugins.gtiddomain.progress;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.LatencyRecorder;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerResponse;
import io.understudy.plugin.Standby;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.protocol.CommandCode;
import io.understudy.servers.MariaDbGtid;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures the time from a transaction's arrival in the primary's binary log until a standby has applied it: of some
 * transactions the standby is asked again and again whether it has. MASTER_GTID_WAIT would tell at once, but MariaDB
 * crashes or hangs if gtid_slave_pos is set while a session waits (10.11.19: 4 of 4), as a failover does. One
 * connection and one transaction at a time per standby and domain, so that a slow domain does not hide a fast one.
 * Thread-safe.
 */
public final class AppliedTimes implements AutoCloseable {
    /** What takes longer is unknown. */
    private static final long LONGEST_SECONDS = 300;
    /** Pause before the standby is asked again, at least and at most; else this part of the time so far. */
    private static final long SHORTEST_NANOS = 1_000_000L;

    private static final long LONGEST_NANOS = 1_000_000_000L;
    private static final int PART = 8;
    /** Pause between two measurements. */
    private static final long PAUSE_NANOS = 50_000_000L;

    private static final long RETRY_NANOS = 5_000_000_000L;

    private final PluginContext context;
    private final DomainIndexes indexes;
    private final LongSupplier nanos;
    private final List<List<Lane>> lanes = new ArrayList<>();
    private volatile boolean closed;

    public AppliedTimes(PluginContext context, DomainIndexes indexes, LongSupplier nanos) {
        this.context = context;
        this.indexes = indexes;
        this.nanos = nanos;
        context.standbys().forEach(standby -> lanes.add(new ArrayList<>()));
        register();
    }

    /** Adds recorders for the domains that a reload has added. */
    public synchronized void register() {
        for (int i = 0; i < lanes.size(); i++) {
            Standby standby = context.standbys().get(i);
            List<Lane> ofStandby = lanes.get(i);
            for (int index = ofStandby.size(); index < indexes.size(); index++) {
                LatencyRecorder recorder = context.latency(
                        "understudy_commit_to_applied_seconds",
                        "From a transaction's arrival in the primary's binary log until the standby has applied it,"
                                + " sampled",
                        "standby",
                        standby.name(),
                        "domain",
                        indexes.label(index));
                ofStandby.add(new Lane(standby, recorder));
            }
        }
    }

    /** Measures a transaction on every standby, unless another measurement has just ended or is still running. */
    public void sample(BinlogTransaction transaction) {
        int index = indexes.find(transaction.domain());
        String gtid = transaction.gtid();
        if (index == DomainIndexes.FOREIGN || gtid == null || closed) {
            return;
        }
        synchronized (this) {
            for (List<Lane> ofStandby : lanes) {
                if (index < ofStandby.size()) {
                    ofStandby.get(index).measure(query(gtid), transaction.lastNanos());
                }
            }
        }
    }

    /** Returns the query that has a row if the transaction is applied: a position has each domain once. */
    private static String query(String gtid) {
        MariaDbGtid applied = MariaDbGtid.parse(gtid);
        return "SELECT 1 FROM DUAL WHERE SUBSTRING_INDEX(REGEXP_SUBSTR(CONCAT(',', @@GLOBAL.gtid_slave_pos), ',"
                + applied.domain() + "-[0-9]+-[0-9]+'), '-', -1) >= " + applied.sequence();
    }

    @Override
    public synchronized void close() {
        closed = true;
        lanes.forEach(ofStandby -> ofStandby.forEach(Lane::close));
    }

    /** One standby in one domain. */
    private final class Lane {
        private final Standby standby;
        private final LatencyRecorder recorder;
        private final AtomicBoolean busy = new AtomicBoolean();
        private volatile @Nullable ServerConnection connection;
        private volatile long notBefore;

        Lane(Standby standby, LatencyRecorder recorder) {
            this.standby = standby;
            this.recorder = recorder;
            notBefore = nanos.getAsLong();
        }

        void measure(String query, long since) {
            if (standby.isPrimary() || nanos.getAsLong() - notBefore < 0 || !busy.compareAndSet(false, true)) {
                return;
            }
            ServerConnection open = connection;
            if (open != null && open.isOpen()) {
                send(open, query, since);
            } else {
                connect();
            }
        }

        /** Opens the connection. The transaction that caused it is not measured: its time would include the login. */
        private void connect() {
            standby.connector().connect().whenComplete((opened, failure) -> {
                if (opened != null) {
                    connection = opened;
                    if (closed) {
                        opened.close();
                    }
                }
                over(failure == null ? 0 : RETRY_NANOS);
            });
        }

        private void send(ServerConnection open, String query, long since) {
            ByteBuf command = open.alloc().buffer();
            command.writeMediumLE(0).writeByte(0).writeByte(CommandCode.QUERY);
            command.writeCharSequence(query, StandardCharsets.US_ASCII);
            command.setMediumLE(command.readerIndex(), command.readableBytes() - 4);
            open.execute(command, new ServerResponse() {
                @Override
                public void onResponse(ResponseView response, int preparedId) {
                    long sofar = nanos.getAsLong() - since;
                    boolean unknown = response.errorCode() != 0 || sofar >= TimeUnit.SECONDS.toNanos(LONGEST_SECONDS);
                    if (response.rows() == 0 && !unknown && !closed && !standby.isPrimary()) {
                        long pause = Math.min(Math.max(sofar / PART, SHORTEST_NANOS), LONGEST_NANOS);
                        open.loop().schedule(() -> send(open, query, since), pause, TimeUnit.NANOSECONDS);
                        return;
                    }
                    if (response.rows() > 0 && !unknown) {
                        recorder.record(sofar);
                    }
                    over(PAUSE_NANOS);
                }

                @Override
                public void onFailure(String reason) {
                    connection = null;
                    over(RETRY_NANOS);
                }
            });
        }

        private void over(long pause) {
            notBefore = nanos.getAsLong() + pause;
            busy.set(false);
        }

        void close() {
            ServerConnection open = connection;
            if (open != null) {
                open.close();
            }
        }
    }
}
