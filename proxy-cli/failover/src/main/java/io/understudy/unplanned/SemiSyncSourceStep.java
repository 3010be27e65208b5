package io.understudy.unplanned;

import static io.understudy.terminal.Table.map;

import io.understudy.switchover.SemiSyncVariables;
import io.understudy.switchover.Step;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Has commits on the new primary wait for the witness, if the black boxes acknowledge. They do not wait while nobody is
 * connected, as there is nobody yet.
 *
 * @param views responses of {@code /api/lost}
 * @param left gets the statements, if the account may not
 */
record SemiSyncSourceStep(Takeover takeover, Collection<Map<String, Object>> views, List<String> left) implements Step {
    @Override
    public String plan() {
        return "enable semi-sync on " + takeover.name() + " if a black box acknowledges";
    }

    @Override
    public String run() throws Exception {
        Map<String, Object> witness = views.stream()
                .map(view -> map(view, "witness"))
                .filter(each -> each.containsKey("mode"))
                .findFirst()
                .orElse(Map.of());
        if (witness.isEmpty()) {
            return "none does";
        }
        SemiSyncVariables own = SemiSyncVariables.of(takeover.standby());
        if (own.isOn(own.source())) {
            return "it is on already";
        }
        String point = String.valueOf(witness.getOrDefault("waitPoint", ""));
        List<String> statements = own.wait(
                point.isEmpty() ? "AFTER_SYNC" : point,
                witness.get("timeoutMillis") instanceof Number millis ? millis.longValue() : 0);
        try {
            for (String statement : statements) {
                takeover.standby().execute(statement);
            }
        } catch (SQLException e) {
            left.addAll(statements);
            return "it could not be: " + e.getMessage();
        }
        return "commits wait once a witness or a standby is connected";
    }
}
