package io.understudy.plugins.commitlatency;

import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.TransactionKind;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the transactions that stored programs committed and no response told of, among those of the binary log that no response has
 * claimed. A transaction belongs to a call if the log names the call's connection, or MySQL's response the transaction. Otherwise it is
 * taken for a call's if it came while that was the only one in flight, in the domain and before the GTID that the response told, and nobody
 * else has been seen to write for a while. The rest is unclear, and not counted as commits. On the worker only.
 *
 * <p>Transactions come in the order of their arrival and so late that no response can claim them any more. The last one of a call is held
 * back until the next comes or the call is over: its response may tell it after all.
 */
final class ProcedureCommits {
    /** What becomes of transactions. */
    interface Out {
        /** A commit of the call, which took from {@code sinceNanos} to the arrival of its last event. */
        void found(ProcedureCall call, BinlogTransaction event, long sinceNanos);

        /** It may be a call's, or another writer's. */
        void unclear();
    }

    private static final int CALLS = 4_096;
    /** The log is read every 20 ms at times, and an event may take the longer way. */
    private static final long LATE_NANOS = 100_000_000L;
    /** How long a transaction of a writer beside the proxy's sessions makes others suspect. */
    private static final long OTHERS_NANOS = 60_000_000_000L;

    private static final class State {
        private long sinceNanos;
        private boolean ended;
        private long endNanos;
        private @Nullable ToldGtids told;
        private @Nullable BinlogTransaction held;

        private boolean covers(ProcedureCall call, BinlogTransaction event, String gtid) {
            ToldGtids known = told;
            return event.lastNanos() >= call.sentNanos()
                    && (!ended || event.lastNanos() - endNanos <= LATE_NANOS)
                    && (event.thread() == 0 || event.thread() == call.thread())
                    && (known == null || known.admits(gtid));
        }

        private boolean tellsAll() {
            ToldGtids known = told;
            return known != null && known.complete();
        }
    }

    private final long expireNanos;
    private final Out out;
    private final Map<ProcedureCall, State> calls = new IdentityHashMap<>();
    private long serverId;
    private boolean othersSeen;
    private long othersNanos;

    /** @param expireNanos how long a transaction waits for a response to claim it */
    ProcedureCommits(long expireNanos, Out out) {
        this.expireNanos = expireNanos;
        this.out = out;
    }

    /** Transactions of other servers, which the primary has replicated, are nobody's here. */
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

    void ended(ProcedureCall call, long nanos, @Nullable ToldGtids told) {
        State state = calls.get(call);
        if (state != null) {
            state.ended = true;
            state.endNanos = nanos;
            state.told = told;
        }
    }

    /** A transaction that no response has claimed, nor will. */
    void unclaimed(BinlogTransaction event) {
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
        boolean named = event.thread() != 0 || owned.tellsAll();
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

    /** Forgets calls of which every transaction has been seen, after {@link #unclaimed} was told of all up to then. */
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
        ToldGtids told = state.told;
        if (event != null && (told == null || !told.last().equals(event.gtid()))) {
            pass(call, state);
        }
    }

    /** Nothing more will come. */
    void finish() {
        calls.forEach(this::finish);
        calls.clear();
    }
}
