package io.understudy.switchover;

import io.understudy.config.Address;
import io.understudy.config.StandbyConfig;
import io.understudy.config.SwitchoverConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.servers.Dialect;
import io.understudy.servers.ReplicaStatus;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a switchover that was killed behind its promotion has left to do, found by the state of the servers and printed
 * as its steps print it. Changes nothing. Used by one thread.
 *
 * @param replications the new primary's, from the time when it was a standby
 */
record LeftBehind(
        StandbyConfig promoted,
        Node primary,
        Dialect dialect,
        List<ReplicaStatus> replications,
        Map<Address, Node> others,
        StepRunner runner)
        implements PlannedChange {
    /** Of a new primary that has its replication connection no more. */
    private static final ReplicaStatus FORGOTTEN = new ReplicaStatus(Map.of("master_user", "USER"));

    /**
     * Connects to the new primary; to the other servers when they are asked.
     *
     * @throws SQLException if it does not respond
     */
    static LeftBehind of(StandbyConfig promoted, UnderstudyConfig config, SwitchoverConfig account, PrintWriter out)
            throws SQLException {
        Map<Address, Node> others = new LinkedHashMap<>();
        for (StandbyConfig each : config.standbys()) {
            others.putIfAbsent(each.address(), Node.of(each, account));
        }
        List<Address> primaries = new ArrayList<>(config.primary().candidates());
        primaries.add(config.primary().address());
        for (Address each : primaries) {
            Node node = Node.of(
                    each.toString(),
                    each,
                    config.primary().tls(),
                    config.primary().connectTimeout(),
                    account);
            others.putIfAbsent(each, node);
        }
        others.remove(promoted.address());
        Node primary = Node.of(promoted, account);
        try {
            Dialect dialect = Dialect.of(primary.flavor());
            return new LeftBehind(
                    promoted, primary, dialect, primary.replications(dialect), others, new StepRunner(out));
        } catch (SQLException e) {
            primary.close();
            throw SwitchoverAccount.explained(e, account.user());
        }
    }

    @Override
    public ChangeOutcome rehearse() throws InterruptedException {
        return run();
    }

    @Override
    public ChangeOutcome run() throws InterruptedException {
        List<Step> left = new ArrayList<>();
        try {
            ownSteps(left);
        } catch (SQLException e) {
            left.add(unknown(promoted.address(), e));
        }
        others.forEach((address, node) -> {
            try {
                look(address, node, left);
            } catch (SQLException e) {
                left.add(unknown(address, e));
            }
        });
        runner.line(promoted.name() + " (" + promoted.address() + ") is the primary already"
                + (left.isEmpty() ? "; nothing is left to do" : ". What is left to do, by hand:"));
        for (Step each : left) {
            runner.finish(each);
        }
        return left.isEmpty() ? ChangeOutcome.DONE : ChangeOutcome.LEFT;
    }

    private void ownSteps(List<Step> left) throws SQLException {
        String there = "on " + promoted.address() + ": ";
        if (primary.readOnly()) {
            left.add(Step.of(
                    "make " + promoted.name() + " writable",
                    () -> "if no other server takes writes, " + there + dialect.writable()));
        }
        List<ScheduledEvent> events = ScheduledEvent.disabledAsOnStandby(primary);
        if (!events.isEmpty()) {
            left.add(Step.of(
                    "enable the events that are DISABLE ON SLAVE",
                    () -> "those of them that are to be executed, " + there + DisableEventsStep.byHand(events)));
        }
        for (ReplicaStatus each : replications) {
            left.add(Step.of(
                    "remove the replication connection of " + promoted.name() + " from " + each.source(),
                    () -> there + dialect.stop(each) + "; " + dialect.forget(each)));
        }
    }

    private void look(Address address, Node node, List<Step> left) throws SQLException {
        if (node.serverId().equals(primary.serverId())) {
            return; // the new primary under another name
        }
        if (node.replications(dialect).isEmpty()) {
            left.add(oldPrimary(pair(address, node)));
            return;
        }
        String statements = new AfterPromotion(pair(promoted.address(), primary)).left(address, node);
        if (!statements.isEmpty()) {
            left.add(Step.of("have " + node.name() + " replicate from " + promoted.name(), () -> statements));
        }
    }

    private Step oldPrimary(Pair pair) {
        LastTransaction last = new LastTransaction(pair);
        Step whole = new AfterPromotion(pair).oldPrimary(last);
        return Step.of(whole.plan(), () -> {
            last.find();
            return whole.run()
                    + (replications.isEmpty()
                            ? System.lineSeparator() + "USER and TLS as of the other standbys: " + promoted.name()
                                    + " does not know them any more"
                            : "");
        });
    }

    private Pair pair(Address address, Node node) {
        return new Pair(
                node,
                address,
                primary,
                promoted.address(),
                dialect,
                replications.isEmpty() ? FORGOTTEN : replications.get(0));
    }

    private static Step unknown(Address address, SQLException failure) {
        return Step.of("look at " + address, () -> {
            throw failure;
        });
    }

    @Override
    public void close() {
        primary.close();
        others.values().forEach(Node::close);
    }
}
