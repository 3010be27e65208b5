package io.understudy.demo.domains;

import io.understudy.embedded.EmbeddedPair;
import java.io.PrintWriter;
import java.util.Locale;

/** Runs both experiments and tells whether they had the expected result. */
public final class DomainsDemo {
    /** The minimum factor by which a domain of its own must cut the lag that an ALTER adds to other writes. */
    private static final double GOAL = 10;

    private static final int SESSIONS = 8;

    private final int rows;
    private final long transactions;
    private final long seed;
    private final PrintWriter out;

    /**
     * The demo.
     *
     * @param rows of the table that is altered
     * @param transactions of the conflicting load, for each guard
     */
    public DomainsDemo(int rows, long transactions, long seed, PrintWriter out) {
        this.rows = rows;
        this.transactions = transactions;
        this.seed = seed;
        this.out = out;
    }

    /** Runs both experiments. Returns true if every claim holds. */
    public boolean run() throws Exception {
        boolean quicker = lag();
        say("");
        boolean off = conflicts("off", false);
        boolean pin = conflicts("pin", true);
        say("");
        say(
                quicker && off && pin
                        ? "Everything happened as claimed."
                        : "Not everything happened as claimed, see above.");
        return quicker && off && pin;
    }

    private boolean lag() throws Exception {
        say("Lag of small writes (one every 10 ms) while a copying ALTER of %,d rows goes through", rows);
        try (EmbeddedPair pair = EmbeddedPair.start(ConflictRun.parallel())) {
            LagExperiment.prepare(pair, rows);
            say("  %-28s %8s %10s %10s %10s %12s", "ALTER", "writes", "p50 ms", "p95 ms", "max ms", "ALTER took s");
            LagExperiment.Result before = new LagExperiment(pair, false).run();
            say("untagged", before);
            LagExperiment.Result after = new LagExperiment(pair, true).run();
            say("in domain 10", after);
            boolean inDomain = after.position().contains("10-");
            double p95 = before.p95() / after.p95();
            double max = before.max() / after.max();
            // A single write that the machine delays sets the maximum, so it is shown but not judged.
            say("  p95 %.1f times less (goal: %.0f), max %.1f times less", p95, GOAL, max);
            say("  primary's position afterwards: %s", after.position());
            return inDomain && p95 >= GOAL;
        }
    }

    private void say(String name, LagExperiment.Result result) {
        say(
                "  %-28s %8d %10.1f %10.1f %10.1f %12.1f",
                name, result.writes(), result.p50(), result.p95(), result.max(), result.alterSeconds());
    }

    private boolean conflicts(String guard, boolean equal) throws Exception {
        say("Conflicting load with guard: %s: %d sessions, 4 domains, %,d transactions", guard, SESSIONS, transactions);
        ConflictRun.Result result = new ConflictRun(guard, SESSIONS, transactions, seed, this::say).run();
        say("  primary's position          %s", result.position());
        say(
                "  transactions                %,d, of which refused by the primary %,d",
                result.transactions(), result.failed());
        say("  outside of domain 0         %,d of %,d logged", result.steered(), result.logged());
        say(
                "  applier                     %s",
                result.errno() == 0 ? "never stopped" : "stopped with error " + result.errno() + ": " + result.error());
        say(
                "  CHECKSUM TABLE              %d of %d tables equal%s",
                result.tables() - result.divergent().size(),
                result.tables(),
                result.divergent().isEmpty() ? "" : ", different: " + String.join(", ", result.divergent()));
        if (equal) {
            say("  conflicts counted           %s", result.conflicts());
        }
        return equal ? result.equal() && result.steered() > 0 : !result.equal();
    }

    private void say(String format, Object... values) {
        out.println(values.length == 0 ? format : String.format(Locale.ROOT, format, values));
        out.flush();
    }

    private void say(String line) {
        say(line, new Object[0]);
    }
}
