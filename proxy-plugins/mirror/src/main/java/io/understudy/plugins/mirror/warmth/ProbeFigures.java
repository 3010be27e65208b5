package io.understudy.plugins.mirror.warmth;

import io.understudy.plugins.mirror.warmth.ProbeResult.Outcome;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The page reads of one standby's probes since its start, in all and by rule, table and digest; where it counts none,
 * those of the whole server divided by its statements. Not thread-safe but where said.
 */
final class ProbeFigures {
    static final long STALE_NANOS = 300_000_000_000L;
    /** So long without a probe, and so many page reads meanwhile, each of which may have evicted a page. */
    private static final long UNSEEN_NANOS = 20_000_000_000L;

    private static final long UNSEEN_READS = 1_000;

    private static final int RULES = 200;
    private static final int TABLES = 500;
    private static final int DIGESTS = 1000;
    private static final int SHOWN = 20;
    /** Consecutive probes without counters after which the standby counts as one that has none. */
    private static final int GIVEN_UP = 10;

    private static final long GIVEN_UP_NANOS = 600_000_000_000L;

    private final ColdRows rules = new ColdRows("rule", RULES);
    private final ColdRows tables = new ColdRows("table", TABLES);
    private final ColdRows digests = new ColdRows("digest", DIGESTS);

    private final Queue<String> forgottenTables = new ConcurrentLinkedQueue<>();
    private ColdEstimate cold = new ColdEstimate();
    private ColdEstimate divided = new ColdEstimate();
    /** Estimates over the mirrored statements, which may be others than those of the load. */
    private ColdEstimate mirrored = new ColdEstimate();

    private volatile boolean countersMissing;
    /** Whether the next probe may be the first with a count, or the next of many. */
    private volatile boolean probing = true;

    private volatile PagesPerQuery coldPages = PagesPerQuery.UNKNOWN;
    private volatile Map<String, Estimate> byTable = Map.of();
    private int withoutCounters;
    private long timedOutNanos;
    private long givenUpNanos;
    private long nowNanos;
    private long pageReads = -1;
    private long pageReadsAtProbe = -1;

    /** Called when the standby has restarted: its pages in memory are others. */
    void clear() {
        cold = new ColdEstimate();
        divided = new ColdEstimate();
        mirrored = new ColdEstimate();
        rules.clear();
        tables.clear();
        digests.clear();
        withoutCounters = 0;
        countersMissing = false;
        probing = true;
        pageReadsAtProbe = -1;
    }

    /**
     * Sets the time of what follows.
     *
     * @param reads the standby's page reads since its start, or -1 when unknown
     */
    void at(long nanos, long reads) {
        nowNanos = nanos;
        pageReads = reads;
        String forgotten;
        while ((forgotten = forgottenTables.poll()) != null) {
            tables.remove(forgotten);
        }
        if (!probing && nanos - givenUpNanos > GIVEN_UP_NANOS) {
            probing = true; // the standby may have been upgraded, or got a privilege
            withoutCounters = 0;
        }
    }

    /**
     * Takes a probe in.
     *
     * @param position statements executed before it since the standby's start
     */
    void add(Probed probe, double position) {
        Outcome outcome = probe.result().outcome();
        if (outcome == Outcome.NO_COUNTERS && ++withoutCounters >= GIVEN_UP && !countedLately(probe.nanos())) {
            countersMissing = true;
            probing = false;
            givenUpNanos = probe.nanos();
        }
        if (outcome == Outcome.TIMEOUT) {
            addTimeout(probe);
        }
        if (outcome != Outcome.COUNTED) {
            return;
        }
        withoutCounters = 0;
        countersMissing = false;
        pageReadsAtProbe = pageReads;
        double pages = probe.result().pages();
        cold.add(pages, probe.weight(), position, probe.nanos());
        mirrored.add(pages, 1, position, probe.nanos());
        rules.add(probe.rule(), pages, probe.weight(), probe.nanos());
        digests.add(digest(probe), pages, probe.weight(), probe.nanos());
        if (probe.result().tables().isEmpty() && probe.reads().size() == 1) {
            tables.add(probe.table(""), pages, probe.weight(), probe.nanos());
        }
        for (ReferencePages table : probe.result().tables()) {
            tables.add(probe.table(table.name()), (double) table.pages(), probe.weight(), probe.nanos());
        }
    }

    /** The statements that take too long may be those that read most. */
    private void addTimeout(Probed probe) {
        timedOutNanos = probe.nanos();
        cold.addTimeout(probe.weight(), probe.nanos());
        rules.addTimeout(probe.rule(), probe.weight(), probe.nanos());
        digests.addTimeout(digest(probe), probe.weight(), probe.nanos());
        if (probe.reads().size() == 1) {
            tables.addTimeout(probe.table(""), probe.weight(), probe.nanos());
        }
    }

    private static String digest(Probed probe) {
        return String.format("%016x", probe.digest());
    }

    /** A server that counts pages still has tables for which it does not: those of other engines than InnoDB. */
    private boolean countedLately(long nanos) {
        return !Double.isNaN(cold.share()) && nanos - cold.lastNanos() <= STALE_NANOS;
    }

    /**
     * Takes in the reads of the whole server in some seconds.
     *
     * @param pages read by a statement, if all were read by the mirror's
     * @param statements in number
     * @param position statements executed before
     */
    void read(double pages, double statements, double position) {
        divided.add(pages, statements, position, nowNanos);
        pageReadsAtProbe = pageReads;
    }

    /** Called when all that happened so far has been taken in. */
    void publish() {
        byTable = tables.estimates(nowNanos - STALE_NANOS);
        coldPages = countersMissing || stale()
                ? PagesPerQuery.UNKNOWN
                : new PagesPerQuery(cold.estimate().mean(), mirrored.estimate().mean());
    }

    /** Returns whether there may be probes. Thread-safe. */
    boolean probing() {
        return probing;
    }

    /** Returns whether the standby counts no page reads of statements. */
    boolean countersMissing() {
        return countersMissing;
    }

    /** Returns the page reads of a query as probes count them. Thread-safe. */
    PagesPerQuery coldPages() {
        return coldPages;
    }

    String method() {
        return countersMissing ? "global_counter_divided" : "probes";
    }

    private ColdEstimate used() {
        return countersMissing ? divided : cold;
    }

    /** Returns the page reads of a statement at present, whenever the last probe was. */
    Estimate present() {
        return used().estimate();
    }

    /**
     * Returns whether the last probe was too long ago to say anything about the present: minutes, or seconds in which
     * others have read many pages, such as a backup while the mirror pauses.
     */
    boolean stale() {
        long since = nowNanos - used().lastNanos();
        boolean unseen = since > UNSEEN_NANOS && pageReadsAtProbe >= 0 && pageReads - pageReadsAtProbe >= UNSEEN_READS;
        return present().known() && (unseen || since > STALE_NANOS);
    }

    /** Returns the seconds since the last probe that was counted, or NaN without any. */
    double lastProbeSeconds() {
        return used().position() > 0 || present().known() ? (nowNanos - used().lastNanos()) / 1e9 : Double.NaN;
    }

    /** Returns the statements executed before the probes of {@link #present}. */
    double position() {
        return used().position();
    }

    /** Returns the share of the load whose probes took too long to be counted; 0 without recent ones. */
    double timedOutShare() {
        return nowNanos - timedOutNanos > STALE_NANOS ? 0 : cold.timedOutShare();
    }

    /** Returns the share of the load that was probed, or NaN. */
    double share() {
        return used().share();
    }

    /** Has a table's estimate begin anew with the next {@link #at}. Thread-safe. */
    void forgetTable(String table) {
        forgottenTables.add(table);
    }

    /** Returns the page reads of a statement that reads the table; unknown without recent probes. Thread-safe. */
    Estimate ofTable(String table) {
        Map<String, Estimate> all = byTable;
        Estimate exact = all.get(table);
        if (exact != null) {
            return exact;
        }
        for (Map.Entry<String, Estimate> entry : all.entrySet()) {
            if (entry.getKey().equalsIgnoreCase(table)) {
                return entry.getValue();
            }
        }
        return Estimate.UNKNOWN;
    }

    /** Returns where the standby is cold: the coldest rows of each kind. */
    Map<String, Object> where() {
        long since = nowNanos - STALE_NANOS;
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("rules", rules.view(SHOWN, since));
        view.put("tables", tables.view(SHOWN, since));
        view.put("digests", digests.view(SHOWN, since));
        return view;
    }
}
