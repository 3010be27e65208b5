package io.understudy.switchover;

import io.understudy.config.Address;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Makes the old primary a standby, or reports how that is done. */
final class OldPrimaryStep implements Step {
    private final Pair pair;
    private final LastTransaction transaction;

    OldPrimaryStep(Pair pair, LastTransaction transaction) {
        this.pair = pair;
        this.transaction = transaction;
    }

    @Override
    public String plan() {
        return "print the statements that make the old primary a standby";
    }

    @Override
    public String run() throws Exception {
        Address to = pair.standbyAddress();
        String host = to.isUnix() ? "HOST" : to.host();
        int port = to.isUnix() ? 0 : to.port();
        // A line each, to be copied.
        String line = System.lineSeparator() + "    ";
        List<String> follow =
                new ArrayList<>(pair.dialect().follow(host, port, pair.replication(), transaction.position()));
        follow.addAll(follow.size() - 1, acknowledge());
        String statements = "on " + pair.primaryAddress() + ":" + line + String.join(";" + line, follow) + ";";
        try {
            transaction.ensureLast();
        } catch (SQLException e) {
            throw new StepFailure(
                    e.getMessage() + "; by hand, once it responds: if "
                            + pair.dialect().position() + " returns "
                            + transaction.position() + " there, " + statements + System.lineSeparator()
                            + "If it returns another position, it has transactions that "
                            + pair.standby().name()
                            + " lacks: build it anew",
                    e);
        }
        return statements;
    }

    /**
     * Returns what has it acknowledge, and its applier not wait for acknowledgements itself; nothing if it does not
     * respond, which the caller finds out.
     */
    private List<String> acknowledge() {
        try {
            SemiSyncVariables old = SemiSyncVariables.of(pair.primary());
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
}
