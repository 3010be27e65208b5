package io.understudy.switchover;

import io.understudy.config.Address;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.SemiSyncVariables;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** The steps behind the promotion, which nobody undoes: a failure says what is left to do by hand. */
public record AfterPromotion(Pair pair) {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final long PAUSE_MILLIS = 20;
    /** Statements are printed a line each, to be copied. */
    private static final String LINE = System.lineSeparator() + "    ";

    /** Has the proxy follow. With candidates it follows by itself once it has probed them; a refusal speeds that up. */
    public Step follow(ProxyControl proxy) {
        String to = pair.standbyAddress().toString();
        return Step.of("tell the proxy: POST /api/primary " + to, () -> {
            long begun = System.nanoTime();
            while (true) {
                try {
                    String note = proxy.follow(to);
                    return "new work goes to " + to + (note.isEmpty() ? "" : LINE + "still to do: " + note);
                } catch (IOException e) {
                    if (System.nanoTime() - begun > PATIENCE.toNanos()) {
                        throw new StepFailure(
                                "the proxy does not follow to " + to + ", which is the primary now: " + e.getMessage()
                                        + "; by hand: POST /api/primary {\"address\": \"" + to
                                        + "\"} with the admin token",
                                e);
                    }
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        });
    }

    Step release(ProxyControl proxy, HoldClock clock) {
        return Step.of("release the sessions; those that do not move get ERROR 1053 and connect again", () -> {
            try {
                proxy.release();
            } catch (IOException e) {
                throw new StepFailure(
                        e.getMessage() + "; by hand: understudy release -c FILE. The end of --max ("
                                + clock.length().toMillis() + " ms) or of this program releases them, too",
                        e);
            }
            return "held for " + clock.elapsed().toMillis() + " ms";
        });
    }

    /**
     * Has the new primary execute events. Returns their names.
     *
     * @throws StepFailure if it refuses some
     */
    public String enable(List<ScheduledEvent> events) throws StepFailure {
        List<String> failed = ScheduledEvent.enable(pair.standby(), events);
        if (!failed.isEmpty()) {
            throw new StepFailure("it takes writes, and these events do not run there. By hand, as an account that may"
                    + " (MySQL: with SYSTEM_USER if the definer has it), on " + pair.standbyAddress() + ": "
                    + String.join("; ", failed));
        }
        return events.isEmpty() ? "none" : DisableEventsStep.names(events);
    }

    /** Removes the new primary's replication connection, which would start again with the server. */
    public Step forget() {
        String statement = pair.dialect().forget(pair.replication());
        return Step.of("remove the replication connection of " + pair.standby().name() + ": " + statement, () -> {
            try {
                pair.standby().execute(statement);
            } catch (SQLException e) {
                throw new StepFailure(
                        e.getMessage() + "; by hand, on " + pair.standbyAddress() + ": " + statement
                                + "; otherwise it replicates from the old primary again after a restart",
                        e);
            }
            return "removed";
        });
    }

    /** Reports how the old primary is made a standby. */
    Step oldPrimary(LastTransaction last) {
        return Step.of("print the statements that make the old primary a standby", () -> {
            List<String> acknowledge = acknowledge();
            try {
                last.ensureLast();
            } catch (SQLException e) {
                throw new StepFailure(
                        e.getMessage() + "; by hand, once it responds: " + rejoin(last.position(), acknowledge), e);
            }
            return statements(last.position(), acknowledge);
        });
    }

    /**
     * Returns how the old primary is made a standby once it responds.
     *
     * @param last position of the last transaction of it that the new primary has
     * @param more statements before its replication starts
     */
    private String rejoin(String last, List<String> more) {
        return "if " + pair.dialect().position() + " returns " + last + " there, " + statements(last, more)
                + System.lineSeparator() + "If it returns another position, it has transactions that "
                + pair.standby().name() + " lacks: build it anew";
    }

    private String statements(String last, List<String> more) {
        List<String> follow = new ArrayList<>(pair.dialect().follow(host(), port(), pair.replication(), last));
        follow.addAll(follow.size() - 1, more);
        return "on " + pair.primaryAddress() + ":" + LINE + lines(follow);
    }

    /**
     * Returns what has it acknowledge, and its applier not wait for acknowledgements itself; nothing if it does not
     * respond, which the caller finds out.
     */
    private List<String> acknowledge() {
        try {
            SemiSyncVariables old = pair.primary().semiSync();
            if (!old.isOn(old.source())) {
                return List.of();
            }
            List<String> statements = new ArrayList<>(old.acknowledge());
            statements.add("SET GLOBAL " + old.source() + "=0");
            return statements;
        } catch (SQLException e) {
            return List.of();
        }
    }

    /** Why another standby is not to replicate from the new primary as it is. */
    public interface Objection {
        /** Returns it; empty for none. */
        String to(Node other) throws SQLException, InterruptedException;
    }

    /** Reports how the other standbys replicate from the new primary. They continue at their own positions. */
    public Step otherStandbys(Map<Address, Node> others, Objection objection) {
        return Step.of(
                "print the statements that point the other standbys to "
                        + pair.standby().name(),
                () -> {
                    StringJoiner all = new StringJoiner(System.lineSeparator());
                    for (Map.Entry<Address, Node> each : others.entrySet()) {
                        try (Node other = each.getValue()) {
                            String reason = objection.to(other);
                            String left = left(each.getKey(), other);
                            if (!left.isEmpty()) {
                                all.add(reason.isEmpty() ? left : on(each.getKey(), other) + " " + reason);
                            }
                        } catch (SQLException e) {
                            all.add(on(each.getKey(), each.getValue()) + " run this again once it responds, if it is a"
                                    + " standby (" + e.getMessage() + ")");
                        }
                    }
                    return all.length() == 0 ? "nothing is left to do there" : all.toString();
                });
    }

    private static String on(Address address, Node server) {
        return "on " + address + " (" + server.name() + "):";
    }

    /**
     * Returns what has another server replicate from the new primary; empty if it does, or has no replication
     * connection: that may be the old primary.
     */
    String left(Address address, Node other) throws SQLException {
        String serverId = pair.standby().serverId();
        String to = pair.standbyAddress().toString();
        List<ReplicaStatus> all = other.replications(pair.dialect());
        for (ReplicaStatus each : all) {
            if (each.isFromServer(serverId, to)) {
                // A position would be a guess: it may have replicated since, without a log of it.
                return each.isHalted()
                        ? on(address, other) + " its replication is stopped"
                                + (each.error().isEmpty() ? "" : " by an error: " + each.error())
                                + ". If that connection was made after the promotion: "
                                + pair.dialect().start(each)
                                + "; if before, docs/switchover.md, step 15"
                        : "";
            }
        }
        return all.size() > 1
                ? on(address, other) + " of its replication connections, point the old primary's to " + to
                : all.isEmpty()
                        ? ""
                        : on(address, other) + LINE + lines(pair.dialect().repoint(host(), port(), all.get(0)));
    }

    private String host() {
        Address to = pair.standbyAddress();
        return to.isUnix() ? "HOST" : to.host();
    }

    private int port() {
        Address to = pair.standbyAddress();
        return to.isUnix() ? 0 : to.port();
    }

    private static String lines(List<String> statements) {
        return String.join(";" + LINE, statements) + ";";
    }
}
