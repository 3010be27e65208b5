package io.understudy.plugins.blackbox.outcome;

import io.netty.buffer.Unpooled;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.EventHeader;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.MariaDbGtid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The last transactions that arrived from the binary log, of bounded number: those whose OK was not seen, and some that
 * were answered. It knows what it has not read.
 *
 * <p>Thread-safe; the lock is held for a few steps only.
 */
public final class Traces {
    static final int MOST_UNANSWERED = 32_768;
    static final int MOST_ANSWERED = 16_384;
    private static final int MOST_GAPS = 64;
    /** Offset of the second in which the server began to run, within a format description event. */
    private static final int CREATED = EventHeader.LENGTH + 2 + 50;

    private final LongSupplier nanoClock;
    /** By GTID. */
    private final Map<String, Trace> unanswered = new Bounded<>(MOST_UNANSWERED);

    private final Map<String, Trace> answered = new Bounded<>(MOST_ANSWERED);
    /** What a log has from before this process: whether it was answered is not known. */
    private final Map<String, Trace> former = new HashMap<>();
    /** OKs of transactions that have not arrived; true if the GTID is only supposed. */
    private final Map<String, Boolean> early = new Bounded<>(MOST_ANSWERED);
    /** GTIDs in {@link #unanswered} that an OK may have left out. */
    private final Map<String, Boolean> doubtful = new Bounded<>(MOST_ANSWERED);

    private GtidNumbers seen = new GtidNumbers();
    private final List<Gap> gaps = new ArrayList<>();
    private boolean dropped;
    private long droppedNanos;
    /** Arrival of the last answered transaction that was forgotten, by thread. */
    private final Map<Long, Long> forgotten = new Bounded<>(MOST_ANSWERED);
    /** The same of the threads that are forgotten there; null if none is. */
    private @Nullable Long forgottenNanos;
    /** When the log of another server began to be read; null if it was one server's all the time. */
    private @Nullable Long changedNanos;

    private final AtomicLong forgottenAnswers = new AtomicLong();

    private final Runs runs = new Runs();
    /** The server whose log is read. */
    private @Nullable ServerIdentity reading;

    private long streamNanos;
    /** Position up to which a log was restored. */
    private @Nullable String restored;

    private long restoredNanos;

    /**
     * Transactions that were written before a stream began and were not read.
     *
     * @param nanos monotonic time at which the stream began
     */
    private record Gap(GtidNumbers numbers, long nanos) {}

    private final class Bounded<K, T> extends LinkedHashMap<K, T> {
        private static final long serialVersionUID = 1L;
        private final int most;

        private Bounded(int most) {
            this.most = most;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, T> eldest) {
            if (size() <= most) {
                return false;
            }
            if (eldest.getValue() instanceof Trace trace && this == unanswered) {
                dropped = true;
                droppedNanos = trace.nanos();
            } else if (eldest.getValue() instanceof Trace trace && this == answered) {
                forgotten.put(trace.thread(), trace.nanos());
            } else if (eldest.getValue() instanceof Long nanos) {
                forgottenNanos = latest(forgottenNanos, nanos);
            } else if (this == early) {
                forgottenAnswers.incrementAndGet();
            }
            return true;
        }
    }

    public Traces(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Called when a stream begins at a position. */
    public synchronized void started(PrimaryFacts facts) {
        ServerIdentity next = ServerIdentity.of(facts);
        streamNanos = nanoClock.getAsLong();
        if (reading != null && !reading.equals(next)) {
            runs.unwatched(next.serverId(), streamNanos);
            changedNanos = streamNanos;
        }
        reading = next;
        GtidNumbers unread = upTo(facts).minus(seen);
        if (!unread.isEmpty()) {
            gaps.add(new Gap(unread, facts.position().equals(restored) ? restoredNanos : streamNanos));
            if (gaps.size() > MOST_GAPS) {
                Gap oldest = gaps.remove(0);
                gaps.get(0).numbers.addAll(oldest.numbers);
            }
            seen.addAll(unread);
        }
    }

    /** Returns the server whose log is or was read; null before the first stream. */
    synchronized @Nullable ServerIdentity reading() {
        return reading;
    }

    /** Called when the numbers of the server that is read begin anew. */
    public synchronized void anew() {
        dropped = true;
        droppedNanos = nanoClock.getAsLong();
        unanswered.clear();
        answered.clear();
        former.clear();
        early.clear();
        doubtful.clear();
        gaps.clear();
        seen = new GtidNumbers();
    }

    /** Returns what precedes the position at which a stream begins. */
    private static GtidNumbers upTo(PrimaryFacts facts) {
        if (facts.flavor() != ServerFlavor.MARIADB) {
            return GtidNumbers.ofMySql(facts.position());
        }
        GtidNumbers all = new GtidNumbers();
        Map<Long, Long> last = MariaDbGtid.sequences(facts.position());
        for (MariaDbGtid each : MariaDbGtid.list(facts.position())) {
            all.add(source(each), 1, each.sequence());
        }
        for (MariaDbGtid each : MariaDbGtid.list(facts.logged())) {
            if (each.sequence() <= last.getOrDefault(each.domain(), 0L)) {
                all.add(source(each), 1, each.sequence());
            }
        }
        return all;
    }

    static String source(BinlogTransaction transaction) {
        String gtid = String.valueOf(transaction.gtid());
        return transaction.ofMySql()
                ? gtid.substring(0, gtid.lastIndexOf(':'))
                : transaction.domain() + "-" + transaction.serverId();
    }

    static String source(MariaDbGtid gtid) {
        return gtid.domain() + "-" + gtid.server();
    }

    /** Called with a format description event of the present primary. */
    public synchronized void format(byte[] event) {
        if (reading != null && event.length >= CREATED + Integer.BYTES) {
            runs.described(reading.serverId(), created(event), nanoClock.getAsLong());
        }
    }

    /** Returns what a format description event tells of the server's run, see {@link Runs#described}. */
    public static long created(byte[] event) {
        return event.length < CREATED + Integer.BYTES
                ? 0
                : Unpooled.wrappedBuffer(event).getUnsignedIntLE(CREATED);
    }

    /** Returns the number of the server's run at that time, or that of the one before. */
    synchronized int runAt(ServerIdentity server, long nanos) {
        return runs.at(server.serverId(), nanos);
    }

    /** Returns the number of the server's present run, as far as its log was read. */
    synchronized int run(ServerIdentity server) {
        return runs.present(server.serverId());
    }

    /** Returns the number of the run that wrote a transaction; {@link Trace#UNKNOWN_RUN} if that is not remembered. */
    synchronized int runOf(String gtid) {
        Trace trace = answered.getOrDefault(gtid, unanswered.get(gtid));
        return trace == null ? Trace.UNKNOWN_RUN : trace.run();
    }

    /** Returns whether a transaction has arrived before another, as far as that is remembered. */
    synchronized boolean isBefore(Trace trace, String gtid) {
        Trace other = answered.getOrDefault(gtid, unanswered.get(gtid));
        return other != null && trace.nanos() - other.nanos() < 0;
    }

    /** Called when a transaction has arrived from the present primary. */
    public synchronized void passed(BinlogTransaction transaction, @Nullable String token) {
        boolean own = reading != null && reading.serverId() == transaction.serverId();
        passed(transaction, token, own ? runs.present(transaction.serverId()) : Trace.UNKNOWN_RUN);
    }

    /** Called when a transaction was read once more, or from another server. */
    synchronized void read(BinlogTransaction transaction, @Nullable String token) {
        passed(transaction, token, Trace.UNKNOWN_RUN);
    }

    /**
     * Called with a transaction that a log has from before this process: whether it was answered is not known.
     *
     * @param own whether the log was of the server that wrote it
     */
    public synchronized void restored(BinlogTransaction transaction, @Nullable String token, long nanos, boolean own) {
        String gtid = transaction.gtid();
        if (gtid != null) {
            former.put(gtid, trace(transaction, nanos, Trace.UNKNOWN_RUN, own, token));
        }
    }

    /**
     * Called when all transactions of a log were restored that arrived since then.
     *
     * @param of the server whose log it was
     * @param position up to which the log has them
     */
    public synchronized void restoredUpTo(PrimaryFacts of, String position, long sinceNanos) {
        reading = ServerIdentity.of(of);
        restored = position;
        restoredNanos = sinceNanos;
    }

    private Trace trace(BinlogTransaction transaction, long nanos, int run, boolean own, @Nullable String token) {
        String gtid = String.valueOf(transaction.gtid());
        return new Trace(
                gtid,
                source(transaction),
                transaction.serverId(),
                transaction.sequence(),
                own || keepsThread(transaction) ? transaction.thread() : 0,
                transaction.kind(),
                nanos,
                run,
                streamNanos,
                token);
    }

    /**
     * Returns whether a replica logs the thread of the server from which it has the transaction. MariaDB does (10.11,
     * 11.8). MySQL does for schema changes; in front of rows it names the thread of its own applier (9.7).
     */
    private static boolean keepsThread(BinlogTransaction transaction) {
        return !transaction.ofMySql() || transaction.kind() == TransactionKind.SCHEMA;
    }

    private void passed(BinlogTransaction transaction, @Nullable String token, int of) {
        String gtid = transaction.gtid();
        if (gtid == null) {
            return;
        }
        boolean mariadb = !transaction.ofMySql();
        Trace trace = trace(transaction, transaction.lastNanos(), of, of != Trace.UNKNOWN_RUN, token);
        seen.add(trace.source(), mariadb ? 1 : trace.number(), trace.number());
        if (learn(unanswered, trace) || learn(answered, trace) || learn(former, trace)) {
            return;
        }
        Boolean supposed = early.remove(gtid);
        if (supposed != null && !supposed) {
            answered.put(gtid, trace);
        } else {
            unanswered.put(gtid, trace);
            if (supposed != null) {
                doubtful.put(gtid, true);
            }
        }
    }

    /** Returns whether the transaction was there. Its own server tells more of it than where it was read before. */
    private static boolean learn(Map<String, Trace> known, Trace trace) {
        return known.computeIfPresent(
                        trace.gtid(),
                        (gtid, before) -> before.run() == Trace.UNKNOWN_RUN ? trace.at(before.nanos()) : before)
                != null;
    }

    /**
     * Called with the GTID of an OK that was sent to a client.
     *
     * @param supposed whether the OK may have left it out: then it may be of no transaction, or of another one
     */
    public synchronized void answered(String gtid, boolean supposed) {
        Trace trace = supposed ? null : unanswered.remove(gtid);
        if (trace != null) {
            answered.put(gtid, trace);
            doubtful.remove(gtid);
        } else if (supposed && unanswered.containsKey(gtid)) {
            doubtful.put(gtid, true);
        } else if (!answered.containsKey(gtid)) {
            early.merge(gtid, supposed, (one, other) -> one && other);
        }
    }

    /** Called when a transaction is known to be that of a lost statement. */
    void resolved(Trace trace) {
        answered(trace.gtid(), false);
    }

    synchronized boolean isDoubtful(Trace trace) {
        return doubtful.containsKey(trace.gtid());
    }

    /** Called when an OK is not recorded for want of room. */
    public void forgetAnswer() {
        forgottenAnswers.incrementAndGet();
    }

    /** Returns how many OKs were not recorded, or forgotten before their transactions arrived. */
    public long forgottenAnswers() {
        return forgottenAnswers.get();
    }

    /**
     * Returns the transactions of a thread that arrived since then and whose OK was not seen; 0 for unknown threads.
     * MySQL logs what a session replayed, as {@code failover} does, with the replaying server's id and thread: only the
     * source tells whose it is.
     */
    synchronized List<Trace> unanswered(ServerIdentity server, long thread, long sinceNanos) {
        return find(
                unanswered,
                each -> (each.serverId() == server.serverId()
                                ? each.thread() == thread
                                : thread == 0 && each.ofMySql() && server.isSource(each.source()))
                        && each.nanos() - sinceNanos >= 0);
    }

    /**
     * Forgets the threads of what MariaDB has not replicated: a session has replayed it, as another thread.
     *
     * @param server that wrote it
     * @param there what the server from which it was read has
     * @param replicated that server's {@code gtid_slave_pos}
     */
    synchronized void replayed(ServerIdentity server, GtidNumbers there, Map<Long, Long> replicated) {
        unanswered.replaceAll((gtid, each) -> {
            boolean read = each.run() == Trace.UNKNOWN_RUN && each.thread() != 0 && server.isSource(each.source());
            return read
                            && there.contains(each.source(), each.number())
                            && each.number()
                                    > replicated.getOrDefault(
                                            MariaDbGtid.parse(gtid).domain(), 0L)
                    ? each.nameless()
                    : each;
        });
    }

    /** Returns all transactions of a kind that are remembered, answered or not, in no order. */
    synchronized List<Trace> all(Predicate<Trace> wanted) {
        List<Trace> all = find(answered, wanted);
        all.addAll(find(unanswered, wanted));
        all.addAll(find(former, wanted));
        return all;
    }

    private static List<Trace> find(Map<String, Trace> in, Predicate<Trace> wanted) {
        List<Trace> found = new ArrayList<>();
        for (Trace each : in.values()) {
            if (wanted.test(each)) {
                found.add(each);
            }
        }
        return found;
    }

    /** Returns what of these numbers was not read, since the stream began. */
    synchronized GtidNumbers unread(GtidNumbers there) {
        return there.minus(seen);
    }

    /**
     * Returns what a server wrote and was not read, of what the present primary has. On MySQL that includes all that
     * the present one did not write itself: {@code gtid_next} and Group Replication name other sources.
     *
     * @param there what the present primary has
     * @param sinceNanos what was written before is left out, as far as that is known
     */
    synchronized GtidNumbers unread(ServerIdentity server, ServerIdentity present, GtidNumbers there, long sinceNanos) {
        GtidNumbers own = server.flavor() == ServerFlavor.MARIADB
                ? server.own(there)
                : server.equals(present) ? there.minus(new GtidNumbers()) : there.minus(present.own(there));
        GtidNumbers unread = own.minus(seen);
        for (Gap each : gaps) {
            if (each.nanos - sinceNanos > 0) {
                unread.addAll(own.minus(own.minus(each.numbers)));
            }
        }
        return unread;
    }

    /** Returns since when all is remembered that the log of one server had of a thread; null if never. */
    synchronized @Nullable Long wholeSince(long thread) {
        Long latest = latest(latest(forgottenNanos, forgotten.get(thread)), forgotten.get(0L));
        latest = latest(latest, changedNanos);
        latest = latest(latest, dropped ? Long.valueOf(droppedNanos) : null);
        for (Gap each : gaps) {
            latest = latest(latest, each.nanos);
        }
        return latest;
    }

    private static @Nullable Long latest(@Nullable Long one, @Nullable Long other) {
        return one == null || other != null && other - one > 0 ? other : one;
    }

    /** Returns all that has arrived, or precedes what has. */
    synchronized GtidNumbers seen() {
        return seen.minus(new GtidNumbers());
    }

    /** Called when all of these were read that there are. */
    synchronized void filled(GtidNumbers numbers) {
        seen.addAll(numbers);
        Iterator<Gap> all = gaps.iterator();
        while (all.hasNext()) {
            Gap each = all.next();
            each.numbers.removeAll(numbers);
            if (each.numbers.isEmpty()) {
                all.remove();
            }
        }
    }

    /** Returns whether all that was sent since then and has arrived is still remembered, unless it was answered. */
    synchronized boolean remembersSince(long nanos) {
        return !dropped || nanos - droppedNanos > 0;
    }
}
