package io.understudy.switchover;

import io.understudy.config.Address;
import io.understudy.config.PrimaryConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.config.SwitchoverConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.remote.AdminClient;
import io.understudy.servers.Dialect;
import io.understudy.servers.ReplicaStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Makes a standby the primary, step by step. */
public final class Switchover implements PlannedChange {
    private static final Duration UNDO_PATIENCE = Duration.ofSeconds(10);
    private static final long UNDO_PAUSE_MILLIS = 200;

    private final Pair pair;
    private final Steps steps;
    private final StepRunner runner;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean stopped;

    Switchover(Pair pair, Steps steps, PrintWriter out) {
        this.pair = pair;
        this.steps = steps;
        this.runner = new StepRunner(out);
    }

    /**
     * Connects to the proxy and to both servers. If the standby is the primary already, what another run has left to do
     * is all of the change.
     *
     * @param name the standby's
     * @throws IllegalArgumentException if the configuration lacks something; the message says what to add
     * @throws IOException if the proxy does not respond
     * @throws SQLException if a server does not, or is no standby
     */
    public static PlannedChange to(
            String name, UnderstudyConfig config, AdminClient admin, SwitchoverLimits bounds, PrintWriter out)
            throws IOException, SQLException, InterruptedException {
        SwitchoverAccount.ensureToken(config);
        ProxyControl proxy = new ProxyControl(admin);
        StandbyConfig standby = config.standby(name);
        SwitchoverConfig account = SwitchoverAccount.of(config);
        Address present = Address.parse(proxy.primary());
        if (present.equals(standby.address())) {
            return LeftBehind.of(standby, config, account, out);
        }
        Set<String> primaries = proxy.namesOfPrimary();
        Map<Address, Node> others = new LinkedHashMap<>();
        config.standbys().stream()
                .filter(each -> !each.name().equals(name) && !primaries.contains(each.name()))
                .filter(each -> !each.address().equals(present))
                .forEach(each -> others.put(each.address(), Node.of(each, account)));
        Pair pair = connect(config.primary(), present, standby, account);
        return new Switchover(pair, Steps.of(pair, proxy, bounds, others), out);
    }

    /** Connects to both servers, and finds out how the standby replicates. */
    static Pair connect(PrimaryConfig config, Address present, StandbyConfig standby, SwitchoverConfig account)
            throws SQLException {
        Node primary = Node.of("the old primary", present, config.tls(), config.connectTimeout(), account);
        Node replica = Node.of(standby, account);
        try {
            Dialect dialect = Dialect.of(replica.flavor());
            if (primary.flavor() != replica.flavor()) {
                throw new SQLException("the primary and " + standby.name() + " are of different products");
            }
            Privileges.check(false, false, primary, replica);
            List<ReplicaStatus> all = replica.replications(dialect);
            if (all.size() != 1) {
                throw new SQLException(standby.name() + " has " + all.size()
                        + " replication connections; a switchover needs one, from the primary");
            }
            return new Pair(primary, present, replica, standby.address(), dialect, all.get(0));
        } catch (SQLException e) {
            primary.close();
            replica.close();
            throw SwitchoverAccount.explained(e, account.user());
        }
    }

    @Override
    public ChangeOutcome rehearse() throws InterruptedException {
        int number = 0;
        for (Step step : steps.all()) {
            runner.line(++number + ". " + step.plan());
        }
        Deque<Step> none = new ArrayDeque<>();
        return prepare(steps.checks(), none) ? ChangeOutcome.DONE : ChangeOutcome.NOT_PROMOTED;
    }

    @Override
    public ChangeOutcome run() throws InterruptedException {
        try {
            Deque<Step> done = new ArrayDeque<>();
            if (!prepare(steps.checks(), done) || !prepare(steps.preparation(), done)) {
                return undo(done);
            }
            try {
                attempt(steps.promotion());
            } catch (PromotionUnknown e) {
                runner.failed(steps.promotion(), e);
                runner.finish(steps.release());
                runner.line("whether " + pair.standby().name() + " is the primary is not known: see above");
                return ChangeOutcome.LEFT;
            } catch (Exception e) {
                StepRunner.rethrowInterrupt(e);
                runner.failed(steps.promotion(), e);
                return undo(done);
            }
            return follow();
        } finally {
            ended.countDown();
        }
    }

    private ChangeOutcome follow() throws InterruptedException {
        boolean well = runner.finish(steps.follow());
        well &= runner.finish(steps.release());
        for (Step step : steps.rest()) {
            well &= runner.finish(step);
        }
        String now = pair.standby().name() + " is the primary";
        runner.line(well ? "done: " + now : now + ", and what FAILED is left to do, as printed");
        return well ? ChangeOutcome.DONE : ChangeOutcome.LEFT;
    }

    @Override
    public void stop(Duration longest) throws InterruptedException {
        stopped = true;
        boolean unused = ended.await(longest.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Runs steps until one fails. Records each before running it, so that one that fails midway is undone too. */
    private boolean prepare(List<Step> some, Deque<Step> begun) throws InterruptedException {
        for (Step step : some) {
            begun.push(step);
            try {
                attempt(step);
            } catch (Exception e) {
                StepRunner.rethrowInterrupt(e);
                runner.failed(step, e);
                return false;
            }
        }
        return true;
    }

    private void attempt(Step step) throws Exception {
        if (stopped) {
            throw new StepFailure("ended by a signal");
        }
        runner.timed(step);
    }

    private ChangeOutcome undo(Deque<Step> begun) throws InterruptedException {
        boolean all = true;
        for (boolean last : new boolean[] {false, true}) {
            for (Step step : begun) {
                if (step.undoneLast() == last) {
                    all &= undo(step);
                }
            }
        }
        runner.line(all ? "failed; everything is as before" : "failed, and not everything could be undone");
        return all ? ChangeOutcome.NOT_PROMOTED : ChangeOutcome.LEFT;
    }

    /** Tries for some time: a server may need that to be reachable again. */
    private boolean undo(Step step) throws InterruptedException {
        long begun = System.nanoTime();
        while (true) {
            try {
                String result = step.undo();
                if (!result.isEmpty()) {
                    runner.line("undone: " + result);
                }
                return true;
            } catch (Exception e) {
                StepRunner.rethrowInterrupt(e);
                if (e instanceof UndoRefused || System.nanoTime() - begun > UNDO_PATIENCE.toNanos()) {
                    runner.line("NOT UNDONE: " + e.getMessage());
                    return false;
                }
            }
            Thread.sleep(UNDO_PAUSE_MILLIS);
        }
    }

    @Override
    public void close() {
        pair.close();
    }
}
