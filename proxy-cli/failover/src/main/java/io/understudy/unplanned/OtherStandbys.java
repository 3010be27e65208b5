package io.understudy.unplanned;

import io.understudy.config.StandbyConfig;
import io.understudy.config.SwitchoverConfig;
import io.understudy.servers.ReportedPosition;
import io.understudy.switchover.Node;
import io.understudy.switchover.Step;
import io.understudy.switchover.StepFailure;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The standbys of the file, of which another one may be promoted at the same time, have been promoted before, or have
 * more than the chosen one. One that does not respond, or refuses the account, is not asked. Used by one thread.
 */
final class OtherStandbys implements AutoCloseable {
    private static final String LOCK = "'understudy_failover'";
    private static final Duration CONNECT = Duration.ofSeconds(2);

    private final Takeover takeover;
    /** With the chosen one, in the same order for every run: of two runs the first one goes on. */
    private final Map<StandbyConfig, Node> all = new LinkedHashMap<>();

    /** @param standbys all of the file that are not the old primary */
    OtherStandbys(Takeover takeover, List<StandbyConfig> standbys, SwitchoverConfig account) {
        this.takeover = takeover;
        standbys.stream()
                .sorted(Comparator.comparing(each -> each.address().toString()))
                .forEach(each -> all.put(
                        each,
                        Node.of(
                                each.name(),
                                each.address(),
                                each.tls(),
                                each.connectTimeout().compareTo(CONNECT) < 0 ? each.connectTimeout() : CONNECT,
                                account)));
    }

    private boolean isChosen(StandbyConfig standby) {
        return standby.name().equals(takeover.name());
    }

    private static String named(StandbyConfig standby) {
        return standby.name() + " (" + standby.address() + ")";
    }

    /**
     * Returns the step that keeps others from being promoted until {@link #close}.
     *
     * @param dryRun whether it keeps nobody, and only looks
     */
    Step claim(boolean dryRun) {
        return Step.of("ensure that no other standby is promoted", () -> {
            List<String> notAsked = new ArrayList<>();
            for (Map.Entry<StandbyConfig, Node> each : all.entrySet()) {
                try {
                    claim(
                            each.getKey(),
                            each.getValue(),
                            dryRun ? "IS_FREE_LOCK(" + LOCK + ")" : "GET_LOCK(" + LOCK + ", 0)");
                } catch (SQLException e) {
                    notAsked.add("not asked: " + e.getMessage());
                }
            }
            return notAsked.isEmpty() ? "none is" : String.join("; ", notAsked);
        });
    }

    private void claim(StandbyConfig standby, Node node, String lock) throws SQLException, StepFailure {
        if (!node.value("SELECT " + lock).equals("1")) {
            throw new StepFailure("another failover runs: connection " + node.value("SELECT IS_USED_LOCK(" + LOCK + ")")
                    + " of " + named(standby) + ". Wait for its end");
        }
        if (!isChosen(standby) && !node.readOnly() && !replicates(node)) {
            throw new StepFailure(named(standby) + " is writable and does not replicate: it may be the primary since"
                    + " another failover. If it is: understudy switchover --to " + takeover.name() + ". If not, there: "
                    + takeover.pair().dialect().readOnly() + ", and run this again");
        }
    }

    private boolean replicates(Node node) throws SQLException {
        return node.replications(takeover.pair().dialect()).stream().anyMatch(each -> !each.isStopped());
    }

    /** Returns the step that fails if another one has what the chosen one lacks. */
    Step compare() {
        return Step.of("compare " + takeover.name() + " with the other standbys", () -> {
            Reached reached = takeover.reached();
            List<String> found = new ArrayList<>();
            for (Map.Entry<StandbyConfig, Node> each : all.entrySet()) {
                StandbyConfig standby = each.getKey();
                if (isChosen(standby) || takeover.options().without().contains(standby.name())) {
                    continue;
                }
                found.add(standby.name() + " has " + more(each.getValue(), standby, reached));
            }
            return String.join("; ", found);
        });
    }

    private String more(Node node, StandbyConfig standby, Reached reached) throws StepFailure {
        String more;
        try {
            more = reached.lacks(node.ask("its position", ReportedPosition::of));
        } catch (SQLException e) {
            return "not been asked (" + e.getMessage() + ")";
        }
        if (!more.isEmpty()) {
            throw new StepFailure(named(standby) + " has transactions that are not here: " + more
                    + ". Promote that one: --to " + standby.name() + "; or give them up: --without " + standby.name());
        }
        return "nothing more";
    }

    @Override
    public void close() {
        all.values().forEach(Node::close);
    }
}
