package io.understudy.unplanned;

import static io.understudy.terminal.Table.map;
import static io.understudy.terminal.Table.whole;

import io.understudy.servers.SemiSyncVariables;
import io.understudy.switchover.Step;
import io.understudy.switchover.StepFailure;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Has commits on the new primary wait for the witness, if the black boxes acknowledge. They do not wait while nobody is
 * connected, as there is nobody yet.
 *
 * @param views responses of {@code /api/lost}
 * @param acknowledges whether the black box of a proxy that is down is configured to, which its directory does not tell
 */
record SemiSyncSourceStep(Takeover takeover, Collection<Map<String, Object>> views, boolean acknowledges)
        implements Step {
    @Override
    public String plan() {
        return "enable semi-sync on " + takeover.name() + " if a black box acknowledges";
    }

    @Override
    public String run() throws Exception {
        List<String> left = statements();
        if (left.isEmpty()) {
            return "it need not be";
        }
        while (!left.isEmpty()) {
            try {
                takeover.standby().execute(left.get(0));
            } catch (SQLException e) {
                throw new StepFailure(
                        "it takes writes, and commits wait for no acknowledgement (" + e.getMessage()
                                + "). As an account that may, on "
                                + takeover.pair().standbyAddress() + ": " + String.join("; ", left),
                        e);
            }
            left = left.subList(1, left.size());
        }
        return "commits wait once a witness or a standby is connected";
    }

    /** Says what would be done. Changes nothing. */
    String rehearse() throws SQLException {
        List<String> statements = statements();
        return statements.isEmpty() ? "it need not be" : "it would be, by " + String.join("; ", statements);
    }

    private List<String> statements() throws SQLException {
        Map<String, Object> witness = views.stream()
                .map(view -> map(view, "witness"))
                .filter(each -> each.containsKey("mode"))
                .findFirst()
                .orElse(Map.of());
        if (witness.isEmpty() && !acknowledges) {
            return List.of();
        }
        SemiSyncVariables own = takeover.standby().semiSync();
        if (own.isOn(own.source())) {
            boolean alone = takeover.replicates() && own.isOn(own.waits());
            return alone ? List.of("SET GLOBAL " + own.waits() + "=0") : List.of();
        }
        String point = String.valueOf(witness.getOrDefault("waitPoint", ""));
        return own.wait(point.isEmpty() ? "AFTER_SYNC" : point, whole(witness, "timeoutMillis"));
    }
}
