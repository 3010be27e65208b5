package io.understudy.switchover;

import io.understudy.config.Address;
import io.understudy.config.StandbyConfig;
import io.understudy.servers.SemiSyncVariables;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The steps behind the promotion, which nobody undoes: a failure says what is left to do by hand. */
public final class AfterPromotion {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final long PAUSE_MILLIS = 20;
    /** Statements are printed a line each, to be copied. */
    private static final String LINE = System.lineSeparator() + "    ";

    private final Pair pair;
    private final String host;
    private final int port;

    public AfterPromotion(Pair pair) {
        this.pair = pair;
        Address to = pair.standbyAddress();
        host = to.isUnix() ? "HOST" : to.host();
        port = to.isUnix() ? 0 : to.port();
    }

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
        List<String> follow = new ArrayList<>(pair.dialect().follow(host, port, pair.replication(), last));
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

    /** Reports how the other standbys replicate from the new primary. They continue at their own positions. */
    public Step otherStandbys(List<StandbyConfig> others) {
        String statements = lines(pair.dialect().repoint(host, port, pair.replication()));
        return Step.of(
                "print the statements that point the other standbys to "
                        + pair.standby().name(),
                () -> others.stream()
                        .map(other -> "on " + other.address() + " (" + other.name() + "):" + LINE + statements)
                        .collect(Collectors.joining(System.lineSeparator())));
    }

    private static String lines(List<String> statements) {
        return String.join(";" + LINE, statements) + ";";
    }
}
