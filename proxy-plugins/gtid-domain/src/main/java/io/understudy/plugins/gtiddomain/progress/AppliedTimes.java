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
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures the time from a transaction's arrival in the primary's binary log until a standby has applied it: for some
 * transactions the standby executes a wait for their GTID. One connection and one wait at a time per standby and
 * domain, so that a slow domain does not hide a fast one. Thread-safe.
 */
public final class AppliedTimes implements AutoCloseable {
    /** What takes longer is unknown. */
    private static final long LONGEST_SECONDS = 300;
    /** One wait of several: setting gtid_slave_pos hangs on MariaDB 10.11 while a session waits. */
    private static final long WAIT_SECONDS = 5;
    /** Pause between two waits. */
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

    /** Lets every standby wait for a transaction, unless a wait has just ended or is still running. */
    public void sample(BinlogTransaction transaction) {
        int index = indexes.find(transaction.domain());
        String gtid = transaction.gtid();
        if (index == DomainIndexes.FOREIGN || gtid == null || closed) {
            return;
        }
        synchronized (this) {
            for (List<Lane> ofStandby : lanes) {
                if (index < ofStandby.size()) {
                    ofStandby.get(index).measure(gtid, transaction.lastNanos());
                }
            }
        }
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

        void measure(String gtid, long since) {
            if (standby.isPrimary() || nanos.getAsLong() - notBefore < 0 || !busy.compareAndSet(false, true)) {
                return;
            }
            ServerConnection open = connection;
            if (open != null && open.isOpen()) {
                send(open, gtid, since);
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

        private void send(ServerConnection open, String gtid, long since) {
            ByteBuf command = open.alloc().buffer();
            command.writeMediumLE(0).writeByte(0).writeByte(CommandCode.QUERY);
            command.writeCharSequence(
                    "SELECT MASTER_GTID_WAIT('" + gtid + "', " + WAIT_SECONDS + ")", StandardCharsets.US_ASCII);
            long begun = nanos.getAsLong();
            command.setMediumLE(command.readerIndex(), command.readableBytes() - 4);
            open.execute(command, new ServerResponse() {
                @Override
                public void onResponse(ResponseView response, int preparedId) {
                    long now = nanos.getAsLong();
                    boolean applied = now - begun < TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
                    boolean unknown =
                            response.errorCode() != 0 || now - since >= TimeUnit.SECONDS.toNanos(LONGEST_SECONDS);
                    if (!applied && !unknown && !closed && !standby.isPrimary()) {
                        send(open, gtid, since);
                        return;
                    }
                    if (applied && !unknown) {
                        recorder.record(now - since);
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
