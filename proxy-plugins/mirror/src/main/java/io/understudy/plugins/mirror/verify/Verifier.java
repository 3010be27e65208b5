package io.understudy.plugins.mirror.verify;

import io.micrometer.core.instrument.Counter;
import io.understudy.plugin.PluginContext;
import io.understudy.plugins.binlog.BinlogDump;
import io.understudy.plugins.binlog.BinlogFeed;
import io.understudy.plugins.binlog.BinlogNeeds;
import io.understudy.plugins.binlog.BinlogSubscription;
import io.understudy.sql.TableName;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks a sample of the mirrored reads, one after the other, on a thread of its own. A difference counts when it has
 * been found three times in a row, seconds apart, with the same results. What was found is read again from time to
 * time, until the standby has been repaired. Thread-safe.
 */
public final class Verifier implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Verifier.class);
    private static final int WAITING = 64;
    private static final int DIFFERENCES = 100;
    private static final long[] AGAIN_MILLIS = {1_000, 3_000};
    private static final long REPAIRED_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final PluginContext context;
    private final TableWrites writes = new TableWrites();
    private final CausalCheck check;
    private final ArrayBlockingQueue<VerifiedRead> queue = new ArrayBlockingQueue<>(WAITING);
    private final Map<String, Counter> counters = new ConcurrentHashMap<>();
    /** By standby and digest, the one that was checked least recently first. */
    private final Map<String, Difference> differences = new LinkedHashMap<>();

    private long checkedAgain = System.nanoTime();

    private final Thread thread = new Thread(this::run, "mirror-verify");
    private final BinlogSubscription binlog;

    /** @param row as {@code /api/mirror} shows it */
    private record Difference(VerifiedRead read, Map<String, Object> row) {
        boolean isOf(VerifiedRead other) {
            return Objects.equals(read.sql(), other.sql()) && Objects.equals(read.schema(), other.schema());
        }
    }

    /** @param asked called for each query to the primary; thread-safe */
    public Verifier(PluginContext context, Runnable asked) {
        this.context = context;
        check = new CausalCheck(context.primary().dataSource(), writes, asked);
        binlog = context.primary().dataSource() == null
                ? BinlogSubscription.NONE
                : BinlogFeed.of(context)
                        .subscribe(new BinlogNeeds("mirror", true, 0, BinlogDump.REST::toNanos, null), writes);
        // An alert on the increase needs the zero before the first difference.
        context.standbys().forEach(standby -> counter(standby.name(), "different"));
        thread.setDaemon(true);
        thread.start();
    }

    /** Checks a read soon, unless too many wait. Never waits. */
    public void offer(VerifiedRead read) {
        if (!queue.offer(read)) {
            count(read, "inconclusive_busy");
        }
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                VerifiedRead read = queue.poll(REPAIRED_NANOS, TimeUnit.NANOSECONDS);
                if (read != null) {
                    verify(read);
                }
                checkAgain();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void verify(VerifiedRead read) throws InterruptedException {
        try {
            CausalCheck.Outcome first = check.compare(read, context.primary().flavor());
            CausalCheck.Outcome last = first;
            boolean known = isKnown(read);
            for (int i = 0; i < AGAIN_MILLIS.length && last.differs() && !known; i++) {
                TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS[i]);
                last = check.compare(read, context.primary().flavor());
                if (last.differs() && !last.isLike(first)) {
                    last = CausalCheck.Outcome.inconclusive("unstable");
                }
            }
            if (last.reason() != null) {
                count(read, "inconclusive_" + last.reason());
            } else if (last.differs()) {
                count(read, "different");
                difference(read, first, last);
            } else if (first.differs()) {
                count(read, "inconclusive_unstable");
            } else {
                count(read, last.ordersRows() ? "equal" : "order");
            }
        } catch (RuntimeException | Error e) {
            // An Error too: a thread that ended would leave all further reads unchecked.
            log.error("the check of a mirrored read failed", e);
            count(read, "inconclusive_fault");
        }
    }

    /** Reads one known difference again; where it is gone, the next one too. */
    private void checkAgain() throws InterruptedException {
        if (System.nanoTime() - checkedAgain < REPAIRED_NANOS) {
            return;
        }
        while (isRepaired()) {
            // A rebuilt standby is right about all of them.
        }
        checkedAgain = System.nanoTime();
    }

    private boolean isRepaired() throws InterruptedException {
        Difference oldest;
        synchronized (differences) {
            if (differences.isEmpty()) {
                return false;
            }
            String key = differences.keySet().iterator().next();
            oldest = Objects.requireNonNull(differences.remove(key));
            differences.put(key, oldest);
        }
        CausalCheck.Outcome outcome;
        try {
            outcome = check.compare(oldest.read(), context.primary().flavor());
        } catch (RuntimeException | Error e) {
            log.error("the check of a known difference failed", e);
            return false;
        }
        if (outcome.reason() != null || outcome.differs()) {
            return false;
        }
        synchronized (differences) {
            differences.remove(key(oldest.read()), oldest);
        }
        log.info(
                "standby {} has the primary's rows again: the read of {} (digest {}) no longer differs",
                oldest.row().get("standby"),
                oldest.row().get("tables"),
                oldest.row().get("digest"));
        return true;
    }

    /** Returns whether this very read was found to differ: then one more finding is no surprise. */
    private boolean isKnown(VerifiedRead read) {
        synchronized (differences) {
            Difference known = differences.get(key(read));
            return known != null && known.isOf(read);
        }
    }

    private static String key(VerifiedRead read) {
        return read.standby().name() + " " + read.digest();
    }

    private void count(VerifiedRead read, String outcome) {
        counter(read.standby().name(), outcome).increment();
    }

    private Counter counter(String standby, String outcome) {
        return counters.computeIfAbsent(
                standby + " " + outcome,
                key -> Counter.builder("understudy.mirror.verified")
                        .description("Mirrored reads compared with the primary's result")
                        .tag("standby", standby)
                        .tag("outcome", outcome)
                        .register(context.meters()));
    }

    private void difference(VerifiedRead read, CausalCheck.Outcome first, CausalCheck.Outcome last) {
        String digest = String.format(Locale.ROOT, "%016x", read.digest());
        List<String> tables = read.tables().stream().map(TableName::toString).toList();
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("standby", read.standby().name());
        row.put("digest", digest);
        row.put("tables", tables);
        row.put("since", first.from());
        row.put("until", last.until());
        row.put("rowsPrimary", first.primary() == null ? 0 : first.primary().rows());
        row.put("rowsStandby", first.standby() == null ? 0 : first.standby().rows());
        row.put("found", Instant.now(context.clock()).toString());
        synchronized (differences) {
            boolean known = differences.put(key(read), new Difference(read, row)) != null;
            if (differences.size() > DIFFERENCES) {
                differences.remove(differences.keySet().iterator().next());
            }
            if (!known) {
                log.error(
                        "standby {} has other rows than the primary: a read of {} (digest {}) differs though both had"
                                + " applied the same, at {} to {}. Compare the tables before a failover, and rebuild"
                                + " the standby",
                        read.standby().name(),
                        tables,
                        digest,
                        first.from(),
                        last.until());
            }
        }
    }

    /** Returns the counts and differences for {@code /api/mirror}. */
    public Map<String, Object> view() {
        Map<String, Object> counts = new TreeMap<>();
        counters.forEach((key, counter) -> counts.put(key, (long) counter.count()));
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("counts", counts);
        view.put("lastError", check.lastError());
        synchronized (differences) {
            view.put(
                    "differences",
                    differences.values().stream().map(Difference::row).toList());
        }
        return view;
    }

    @Override
    public void close() {
        thread.interrupt();
        binlog.close();
    }
}
