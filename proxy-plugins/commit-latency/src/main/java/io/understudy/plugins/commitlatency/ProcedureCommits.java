package io.understudy.plugins.commitlatency;

import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.TransactionKind;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the commits of stored programs that no response reported, among the transactions of the binary log that were
 * joined with no response. A transaction belongs to a call if the log contains the call's connection id, or if MySQL's
 * response lists the transaction. Otherwise it is attributed to a call if that was the only one in flight, the
 * transaction is in the domain and before the GTID of its response, and no other writer was seen for a while. The rest
 * is unclear and not counted as commits. Used by the worker only.
 *
 * <p>Transactions arrive here in the order of the log, and so late that no response can be joined with them any more.
 * The last one of a call is held back until the next comes or the call has ended, because its response may still report
 * it.
 */
final class ProcedureCommits {
    /** Receives the outcome for each transaction. */
    interface Out {
        /** Called for a commit of the call, which took from {@code sinceNanos} to the arrival of its last event. */
        void found(ProcedureCall call, BinlogTransaction event, long sinceNanos);

        /** Called for a transaction that may be a call's or another writer's. */
        void unclear();
    }

    private static final int CALLS = 4_096;
    /** The log may be read only every 20 ms, and its events may arrive after the response. */
    private static final long LATE_NANOS = 100_000_000L;
    /** Time for which a transaction that bypassed the proxy makes the owner of others uncertain. */
    private static final long OTHERS_NANOS = 60_000_000_000L;

    private static final class State {
        private long sinceNanos;
        private boolean ended;
        private long endNanos;
        private @Nullable ReportedGtids reported;
        private @Nullable BinlogTransaction held;

        private boolean covers(ProcedureCall call, BinlogTransaction event, String gtid) {
            return event.lastNanos() >= call.sentNanos()
                    && (!ended || event.lastNanos() - endNanos <= LATE_NANOS)
                    && (event.thread() == 0 || event.thread() == call.thread())
                    && (reported == null || reported.admits(gtid));
        }

        private boolean reportsAll() {
            return reported != null && reported.complete();
        }
    }

    private final long expireNanos;
    private final Out out;

    @SuppressWarnings("IdentityHashMapUsage") // two calls may be equal
    private final Map<ProcedureCall, State> calls = new IdentityHashMap<>();

    private long serverId;
    private boolean othersSeen;
    private long othersNanos;

    /** @param expireNanos how long a transaction waits for a response */
    ProcedureCommits(long expireNanos, Out out) {
        this.expireNanos = expireNanos;
        this.out = out;
    }

    /** Sets the primary's server id. Transactions that it replicated from other servers belong to no call. */
    void primary(long id) {
        serverId = id;
    }

    void began(ProcedureCall call) {
        if (calls.size() < CALLS) {
            State state = new State();
            state.sinceNanos = call.sentNanos();
            calls.put(call, state);
        }
    }

    void ended(ProcedureCall call, long nanos, @Nullable ReportedGtids reported) {
        State state = calls.get(call);
        if (state != null) {
            state.ended = true;
            state.endNanos = nanos;
            state.reported = reported;
        }
    }

    /** Handles a transaction that was joined with no response and never will be. */
    void unmatched(BinlogTransaction event) {
        String gtid = event.gtid();
        if (gtid == null
                || event.serverId() != serverId
                || event.kind() == TransactionKind.XA_PREPARE
                || event.kind() == TransactionKind.XA_END) {
            return;
        }
        ProcedureCall owner = null;
        State owned = null;
        int owners = 0;
        for (Map.Entry<ProcedureCall, State> entry : calls.entrySet()) {
            if (entry.getValue().covers(entry.getKey(), event, gtid)) {
                owner = entry.getKey();
                owned = entry.getValue();
                owners++;
            }
        }
        if (owner == null || owned == null) {
            othersSeen = true;
            othersNanos = event.lastNanos();
            return;
        }
        boolean named = event.thread() != 0 || owned.reportsAll();
        boolean suspect = othersSeen && event.lastNanos() - othersNanos <= OTHERS_NANOS;
        if (!named && (owners > 1 || suspect)) {
            out.unclear();
            return;
        }
        pass(owner, owned);
        owned.held = event;
    }

    private void pass(ProcedureCall call, State state) {
        BinlogTransaction event = state.held;
        if (event != null) {
            out.found(call, event, state.sinceNanos);
            state.sinceNanos = event.lastNanos();
        }
    }

    /** Forgets calls whose transactions have all been seen; called after {@link #unmatched} received all up to then. */
    void expire(long nowNanos) {
        Iterator<Map.Entry<ProcedureCall, State>> entries = calls.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<ProcedureCall, State> entry = entries.next();
            State state = entry.getValue();
            if (state.ended && nowNanos - state.endNanos > expireNanos + LATE_NANOS) {
                finish(entry.getKey(), state);
                entries.remove();
            }
        }
    }

    private void finish(ProcedureCall call, State state) {
        BinlogTransaction event = state.held;
        ReportedGtids reported = state.reported;
        if (event != null && (reported == null || !reported.last().equals(event.gtid()))) {
            pass(call, state);
        }
    }

    /** Ends all calls. Called last. */
    void finish() {
        calls.forEach(this::finish);
        calls.clear();
    }
}
