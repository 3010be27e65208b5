package io.understudy.demo.domains;

import io.understudy.demo.DemoProxy;
import io.understudy.demo.Sessions;
import io.understudy.embedded.EmbeddedException;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** A conflicting load through the proxy before a fresh pair of servers, and the state of the replica afterwards. */
public final class ConflictRun {
    private static final long WARM_UP = 600;
    private static final Duration LEARN = Duration.ofSeconds(4);
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /**
     * The result of a run.
     *
     * @param guard as configured
     * @param transactions sent
     * @param failed refused by the primary: deadlocks, foreign keys
     * @param errno of the applier's stop, 0 for none
     * @param error its message
     * @param divergent tables whose checksums differ
     * @param tables compared
     * @param position of the primary at the end: which domains were written
     * @param conflicts by kind, as the guard has counted them
     * @param guardState as the proxy showed it at the end
     */
    public record Result(
            String guard,
            long transactions,
            long failed,
            int errno,
            String error,
            List<String> divergent,
            int tables,
            String position,
            Map<String, Object> conflicts,
            Map<String, Object> guardState) {
        /** Returns whether the replica never stopped and has the primary's data. */
        public boolean equal() {
            return errno == 0 && divergent.isEmpty();
        }

        /** Returns the number of transactions in other domains than the default one, including the warm-up's. */
        public long steered() {
            return sequences(false);
        }

        /** Returns the number of logged transactions; a transaction without changes is not logged. */
        public long logged() {
            return sequences(true);
        }

        private long sequences(boolean all) {
            long sum = 0;
            for (String gtid : position.split(",")) {
                String[] parts = gtid.split("-");
                sum += parts.length == 3 && (all || !parts[0].equals("0")) ? Long.parseLong(parts[2]) : 0;
            }
            return sum;
        }
    }

    private final String guard;
    private final int sessions;
    private final long transactions;
    private final long seed;
    private final Duration learn;
    private final Consumer<String> say;

    /** @param guard {@code pin}, {@code warn} or {@code off} */
    public ConflictRun(String guard, int sessions, long transactions, long seed, Consumer<String> say) {
        this(guard, sessions, transactions, seed, LEARN, say);
    }

    /**
     * A run.
     *
     * @param guard {@code pin}, {@code warn} or {@code off}
     * @param learn of the guard; doubled until the warm-up fits into it
     */
    public ConflictRun(String guard, int sessions, long transactions, long seed, Duration learn, Consumer<String> say) {
        this.guard = guard;
        this.sessions = sessions;
        this.transactions = transactions;
        this.seed = seed;
        this.learn = learn;
        this.say = say;
    }

    /** Runs the load; may take minutes for a hundred thousand transactions. */
    public Result run() throws Exception {
        try (EmbeddedPair pair = EmbeddedPair.start(parallel())) {
            ConflictSchema.create(pair);
            pair.awaitCaughtUp(Duration.ofMinutes(1));
            for (Duration time = learn; ; time = time.multipliedBy(2)) {
                try (DemoProxy proxy = proxy(pair, section(time))) {
                    if (!warmUp(proxy)) {
                        say.accept("  the warm-up took longer than learn: " + time.toMillis() + "ms; once more");
                        continue;
                    }
                    awaitGuard(proxy, guard);
                    return load(pair, proxy);
                }
            }
        }
    }

    /**
     * Lets the guard learn which tables are written together, and which in transactions. Returns whether the warm-up
     * ended within {@code learn}: a table whose first transaction comes later may have left the default domain by then.
     */
    private boolean warmUp(DemoProxy proxy) throws Exception {
        if (guard.equals("off")) {
            return true;
        }
        ConflictLoad load = new ConflictLoad(proxy.url("dom"), sessions, WARM_UP, ~seed, () -> false);
        load.runEachOnce();
        load.run();
        return Boolean.TRUE.equals(section(proxy, "guardState").get("learning"));
    }

    private Result load(EmbeddedPair pair, DemoProxy proxy) throws Exception {
        AtomicBoolean stopped = new AtomicBoolean();
        // Without the guard the standby begins late: one that is never behind by more than a transaction may be lucky.
        if (guard.equals("off")) {
            pair.standby().execute("STOP SLAVE SQL_THREAD");
            new ConflictLoad(proxy.url("dom"), sessions, WARM_UP, ~seed, () -> false).run();
            pair.standby().execute("START SLAVE SQL_THREAD");
        }
        ConflictLoad load = new ConflictLoad(proxy.url("dom"), sessions, transactions, seed, stopped::get);
        try (Sessions watch =
                Sessions.start("applier-watch", 1, (sessions, number) -> watch(pair, sessions, stopped, load))) {
            load.run();
            watch.check();
        }
        return result(pair, proxy, load);
    }

    /** Eight applier threads that may take transactions out of order between domains. */
    static PairOptions parallel() {
        return PairOptions.defaults()
                .withSemiSync(false)
                .withParallelThreads(8)
                .withPrimary(ServerOptions.of(1).withBufferPool("64M"))
                .withStandby(ServerOptions.of(2)
                        .withBufferPool("64M")
                        .withArguments("--slave-parallel-mode=optimistic", "--slave-parallel-max-queued=16M"));
    }

    /**
     * Starts the proxy before a pair, with only the plugin {@code gtid-domain}.
     *
     * @param section of {@code gtid-domain} in YAML, not indented
     */
    static DemoProxy proxy(EmbeddedPair pair, String section) throws Exception {
        String plugins = "plugins:\n  gtid-domain:\n" + section.indent(4);
        return DemoProxy.start("demo steering", pair, "understudy", ConflictSchema.PASSWORD, plugins);
    }

    /** Waits until the guard knows tables and positions and reads the binary log. Returns at once when it is off. */
    static void awaitGuard(DemoProxy proxy, String guard) throws InterruptedException {
        if (!guard.equals("off")) {
            proxy.await(
                    "domains",
                    view -> view.get("guardState") instanceof Map<?, ?> state
                            && "".equals(state.get("problem"))
                            && "reading".equals(state.get("binlog"))
                            && Boolean.FALSE.equals(state.get("dictionaryStale"))
                            && Boolean.FALSE.equals(state.get("learning")),
                    "the guard is not ready");
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> section(DemoProxy proxy, String name) {
        return (Map<String, Object>)
                Objects.requireNonNull(proxy.view("domains").get(name), name);
    }

    private String section(Duration time) {
        StringBuilder rules = new StringBuilder(
                "mode: tag\nguard: " + guard + "\nlearn: " + time.toMillis() + "ms\npoll: 20ms\nrules:\n");
        for (int domain = 0; domain < ConflictSchema.DOMAINS; domain++) {
            rules.append("  - { name: ")
                    .append(ConflictSchema.user(domain))
                    .append(", match: { user: ")
                    .append(ConflictSchema.user(domain))
                    .append(" }, domain: ")
                    .append(ConflictSchema.FIRST_DOMAIN + domain)
                    .append(" }\n");
        }
        return rules.toString();
    }

    private void watch(EmbeddedPair pair, Sessions watch, AtomicBoolean stopped, ConflictLoad load)
            throws InterruptedException {
        long said = System.nanoTime();
        while (!watch.ended() && !stopped.get()) {
            Thread.sleep(200);
            if (errno(pair) != 0) {
                stopped.set(true);
            } else if (System.nanoTime() - said > 10_000_000_000L) {
                said = System.nanoTime();
                say.accept("  " + load.done() + " of " + transactions + " transactions");
            }
        }
    }

    private static int errno(EmbeddedPair pair) {
        return Integer.parseInt(pair.standby().replication().getOrDefault("last_sql_errno", "0"));
    }

    private Result result(EmbeddedPair pair, DemoProxy proxy, ConflictLoad load) {
        if (errno(pair) == 0) {
            try {
                pair.awaitCaughtUp(PATIENCE);
            } catch (EmbeddedException e) {
                if (errno(pair) == 0) {
                    throw e;
                }
            }
        }
        List<String> divergent = new ArrayList<>();
        Map<String, String> there = checksums(pair.standby());
        checksums(pair.primary()).forEach((table, sum) -> {
            if (!sum.equals(there.get(table))) {
                divergent.add(table);
            }
        });
        return new Result(
                guard,
                load.done(),
                load.failed(),
                errno(pair),
                pair.standby().replication().getOrDefault("last_sql_error", ""),
                divergent,
                ConflictSchema.tables().size(),
                pair.primary().query("SELECT @@global.gtid_binlog_pos"),
                section(proxy, "conflicts"),
                section(proxy, "guardState"));
    }

    /** Checksums of the rows and of the columns; views have the latter only. */
    private static Map<String, String> checksums(EmbeddedServer server) {
        Map<String, String> sums = new LinkedHashMap<>();
        server.rows("CHECKSUM TABLE " + String.join(", ", ConflictSchema.tables()))
                .forEach(row -> sums.put(row.getOrDefault("table", ""), row.getOrDefault("checksum", "")));
        server.rows("SELECT CONCAT(TABLE_SCHEMA, '.', TABLE_NAME) AS name,"
                        + " GROUP_CONCAT(COLUMN_NAME ORDER BY ORDINAL_POSITION) AS columns FROM"
                        + " information_schema.COLUMNS WHERE TABLE_SCHEMA LIKE 'dom%' GROUP BY 1")
                .forEach(row -> sums.merge(
                        row.getOrDefault("name", ""), " " + row.getOrDefault("columns", ""), String::concat));
        return sums;
    }
}
