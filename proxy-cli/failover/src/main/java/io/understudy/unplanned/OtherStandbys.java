package io.understudy.unplanned;

import io.understudy.config.Address;
import io.understudy.config.StandbyConfig;
import io.understudy.config.SwitchoverConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.lost.LostSource;
import io.understudy.lost.MissingView;
import io.understudy.servers.ReportedPosition;
import io.understudy.switchover.AfterPromotion;
import io.understudy.switchover.Node;
import io.understudy.switchover.Step;
import io.understudy.switchover.StepFailure;
import io.understudy.switchover.SwitchoverAccount;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The standbys of the file, of which another one may be promoted at the same time, have been promoted before, or have
 * more than the chosen one. One that does not respond, or refuses the account, is not asked. Used by one thread.
 */
final class OtherStandbys implements AutoCloseable {
    private static final String LOCK = "'understudy_failover'";
    private static final Duration CONNECT = Duration.ofSeconds(2);
    /** For a connection that was killed: shorter than the wait for a response. */
    private static final Duration ENDING = Duration.ofSeconds(2);

    private final Takeover takeover;
    /** With the chosen one. */
    private final Map<StandbyConfig, Node> all;
    /** Why a standby did not respond: it is waited for once. */
    private final Map<StandbyConfig, String> silent = new LinkedHashMap<>();
    /** Those that a broken connection does not make silent. */
    private final Set<StandbyConfig> asked = new HashSet<>();

    /** @param all that are not the old primary, in the same order for every run: of two runs the first one goes on */
    OtherStandbys(Takeover takeover, Map<StandbyConfig, Node> all) {
        this.takeover = takeover;
        this.all = all;
    }

    static OtherStandbys of(Takeover takeover, UnderstudyConfig config) {
        SwitchoverConfig account = SwitchoverAccount.of(config);
        Map<StandbyConfig, Node> all = new LinkedHashMap<>();
        config.standbys().stream()
                .filter(each -> each.name().equals(takeover.name())
                        || !each.address().equals(takeover.pair().primaryAddress()))
                .sorted(Comparator.comparing(each -> each.address().toString()))
                .forEach(each -> all.put(
                        each,
                        Node.of(
                                each.name(),
                                each.address(),
                                each.tls(),
                                each.connectTimeout().compareTo(CONNECT) < 0 ? each.connectTimeout() : CONNECT,
                                account)));
        return new OtherStandbys(takeover, all);
    }

    /** Returns whether there is none but the chosen one. */
    boolean isAlone() {
        return all.size() == 1;
    }

    private boolean isChosen(StandbyConfig standby) {
        return standby.name().equals(takeover.name());
    }

    private static String named(StandbyConfig standby) {
        return standby.name() + " (" + standby.address() + ")";
    }

    /**
     * Returns the step that keeps others from being promoted until {@link #close}. A connection that broke has lost its
     * lock, so that it is repeated before the promotion.
     *
     * @param dryRun whether it keeps nobody, and only looks
     */
    Step claim(boolean dryRun) {
        return Step.of("ensure that no other standby is promoted", () -> {
            Set<String> claimed = new HashSet<>();
            for (Map.Entry<StandbyConfig, Node> each : all.entrySet()) {
                try {
                    if (silent.containsKey(each.getKey())) {
                        continue;
                    }
                    boolean first = asked.add(each.getKey());
                    ReportedPosition its = first ? position(each.getValue()) : again(each.getValue());
                    // One server may be there under two names.
                    if (claimed.add(its.server())) {
                        claim(each.getKey(), each.getValue(), dryRun);
                    }
                } catch (SQLException e) {
                    silent.put(each.getKey(), "not asked: " + e.getMessage());
                }
            }
            return silent.isEmpty() ? "none is" : String.join("; ", silent.values());
        });
    }

    private void claim(StandbyConfig standby, Node node, boolean dryRun) throws SQLException, StepFailure {
        if (!node.value("SELECT " + (dryRun ? "IS_FREE_LOCK(" + LOCK + ")" : lock(node)))
                .equals("1")) {
            String other = node.value("SELECT IS_USED_LOCK(" + LOCK + ")");
            throw new StepFailure("another failover runs: connection " + other + " of " + named(standby)
                    + ". Wait for its end; if it hangs, there: KILL " + other);
        }
        if (!isChosen(standby) && !isGivenUp(standby) && !node.readOnly() && !replicates(node) && !isOldPrimary(node)) {
            throw new StepFailure(named(standby) + " is writable and does not replicate: it may be the primary since"
                    + " another failover. If it is"
                    + (takeover.promoted()
                            ? " not, there: "
                            : ": understudy switchover --to " + takeover.name() + ". If not, there: ")
                    + takeover.pair().dialect().readOnly() + ", or leave it alone: --without " + standby.name());
        }
    }

    /** A server may not know yet that a connection broke, and keeps its lock: it is ended first. */
    private static String lock(Node node) throws SQLException {
        boolean ended = node.endFormer().isEmpty();
        node.traced();
        return "GET_LOCK(" + LOCK + ", " + (ended ? 0 : ENDING.toSeconds()) + ")";
    }

    private boolean isGivenUp(StandbyConfig standby) {
        return takeover.options().without().contains(standby.name());
    }

    /** The file may name it otherwise; the next step is about it. */
    private boolean isOldPrimary(Node node) {
        try {
            return position(node)
                    .server()
                    .equals(position(takeover.pair().primary()).server());
        } catch (SQLException e) {
            return false; // it does not respond at its address
        }
    }

    private static ReportedPosition position(Node node) throws SQLException {
        return node.ask("its position", ReportedPosition::of);
    }

    private boolean replicates(Node node) throws SQLException {
        return node.replications(takeover.pair().dialect()).stream().anyMatch(each -> !each.isStopped());
    }

    /** Returns the step that fails if another one has numbers that do not tell what it has. */
    Step numbers() {
        return Step.of("look at the numbers of the other standbys", () -> {
            StringBuilder others = new StringBuilder();
            for (Map.Entry<StandbyConfig, Node> each : all.entrySet()) {
                StandbyConfig standby = each.getKey();
                if (isChosen(standby) || silent.containsKey(standby) || !isRenumbered(each.getValue())) {
                    continue;
                }
                others.append(", but for ").append(standby.name()).append("'s");
                if (!isGivenUp(standby)) {
                    throw new StepFailure(named(standby) + " has numbers from before the primary's began anew (RESET"
                            + " MASTER): what it has since is not known. docs/black-box.md, After RESET MASTER, has"
                            + " what to do with each standby; or give it up: --without " + standby.name());
                }
            }
            return (silent.isEmpty() ? "" : "of those that respond ") + "they are the primary's" + others;
        });
    }

    /** Returns the step that fails if another one has what the chosen one lacks. */
    Step compare() {
        return Step.of("compare " + takeover.name() + " with the other standbys", () -> {
            List<String> found = new ArrayList<>();
            Reached reached = takeover.reached();
            for (Map.Entry<StandbyConfig, Node> each : all.entrySet()) {
                StandbyConfig standby = each.getKey();
                if (isChosen(standby) || isGivenUp(standby)) {
                    continue;
                }
                found.add(standby.name() + " has " + more(reached, each.getValue(), standby));
            }
            return String.join("; ", found);
        });
    }

    private String more(Reached reached, Node node, StandbyConfig standby) throws StepFailure {
        if (silent.containsKey(standby)) {
            return "not been asked";
        }
        String more;
        try {
            again(node);
            more = takeover.lacks(reached, node, false);
        } catch (SQLException e) {
            return "not been asked (" + e.getMessage() + ")";
        } catch (StepFailure e) {
            throw new StepFailure(
                    named(standby) + ": " + e.getMessage() + "; or give it up: --without " + standby.name(), e);
        }
        if (!more.isEmpty()) {
            throw new StepFailure(named(standby) + " has transactions that are not here: " + more
                    + ". Promote that one: --to " + standby.name() + "; or give them up: --without " + standby.name());
        }
        return "nothing more";
    }

    /** Returns whether its numbers are from before the primary's began anew, as far as it responds. */
    private boolean isRenumbered(Node node) throws IOException, InterruptedException {
        try {
            ReportedPosition position = again(node);
            for (LostSource each : takeover.blackBoxes()) {
                if (new MissingView(each.look(node.name(), position)).isRenumbered()) {
                    return true;
                }
            }
        } catch (SQLException e) {
            return false; // it is not known to anybody
        }
        return false;
    }

    /** Returns the step that says what is left to do for those that do not replicate from the chosen one. */
    Step left() {
        Map<Address, Node> others = new LinkedHashMap<>();
        all.forEach((standby, node) -> {
            if (!isChosen(standby)) {
                others.put(standby.address(), node);
            }
        });
        return new AfterPromotion(takeover.pair()).otherStandbys(others, this::objection);
    }

    /** Its relay logs, which a new connection throws away, may have what it has more. */
    private String objection(Node other) throws SQLException, InterruptedException {
        try {
            if (isRenumbered(other)) {
                return "build it anew: docs/black-box.md, After RESET MASTER. It may lack what its position counts";
            }
        } catch (IOException e) {
            // The new primary may have its numbers, and it would skip them.
            return "compare it first, or build it anew: whether its numbers are the primary's is not known ("
                    + e.getMessage() + ")";
        }
        try {
            String more = takeover.lacks(takeover.reached(), other, false);
            return more.isEmpty()
                    ? ""
                    : "compare it first, or build it anew: it has transactions that " + takeover.name() + " lacks: "
                            + more;
        } catch (StepFailure e) {
            return "compare it first, or build it anew: " + e.getMessage();
        }
    }

    /** Its server may have ended the connection, which was idle meanwhile. */
    private static ReportedPosition again(Node node) throws SQLException {
        try {
            return position(node);
        } catch (SQLException e) {
            return position(node);
        }
    }

    @Override
    public void close() {
        all.values().forEach(Node::close);
    }
}
