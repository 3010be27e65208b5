package io.understudy.switchover;

import io.understudy.servers.ReplicaStatus;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Checks what must hold before anything is changed. The lag has a step of its own. */
record CheckStep(Pair pair, ProxyControl proxy) implements Step {
    @Override
    public String plan() {
        return "check replication and roles of both servers";
    }

    @Override
    public String run() throws Exception {
        List<String> problems = new ArrayList<>();
        checkRoles(problems);
        checkReplication(problems);
        checkServers(problems);
        List<String> candidates = proxy.candidates();
        String to = pair.standbyAddress().toString();
        if (!candidates.isEmpty() && !candidates.contains(to)) {
            problems.add(to + " is not in primary.candidates " + candidates + "; add it there and reload");
        }
        if (proxy.held().on()) {
            problems.add("somebody holds the proxy's sessions; 'understudy release' ends that");
        }
        if (!problems.isEmpty()) {
            throw new StepFailure(String.join("; ", problems));
        }
        return pair.standby().name() + " (" + to + ") replicates from " + pair.primaryAddress() + " by GTID, "
                + pair.dialect().product();
    }

    private void checkRoles(List<String> problems) throws SQLException {
        boolean standby = pair.standby().readOnly();
        boolean primary = pair.primary().readOnly();
        String to = pair.standbyAddress().toString();
        if (primary && standby) {
            problems.add("the primary " + pair.primaryAddress() + " is read-only, and so is "
                    + pair.standby().name()
                    + ", as after a switchover that was killed before its promotion. If no other one is under way: on "
                    + pair.primaryAddress() + ": " + pair.dialect().writable() + "; on " + to + ": "
                    + pair.dialect().start(pair.replication()) + "; then enable on " + pair.primaryAddress()
                    + " the events that step 4 named");
        } else if (primary) {
            problems.add(pair.standby().name() + " (" + to + ") is writable and the primary " + pair.primaryAddress()
                    + " is read-only, as after a switchover that was killed behind its promotion. If so, have the proxy"
                    + " follow: POST /api/primary?address=" + to + ", and primary.address in the file; then run this"
                    + " again, which prints what is left");
        } else if (!standby) {
            problems.add(pair.standby().name() + " is writable; it must be read-only until it is promoted: "
                    + pair.dialect().readOnly());
        }
    }

    private void checkReplication(List<String> problems) throws SQLException {
        ReplicaStatus replication = pair.replication();
        if (!replication.receives() || !replication.applies()) {
            problems.add(pair.standby().name() + " "
                    + (replication.receives() ? "does not apply" : "does not receive") + " what the primary writes"
                    + (replication.error().isEmpty() ? "" : " (" + replication.error() + ")"));
        }
        if (!replication.isByGtid()) {
            problems.add(pair.standby().name() + " does not replicate by GTID");
        }
        String primary = pair.primary().value("SELECT @@GLOBAL.server_id");
        if (replication.receives() && !replication.sourceServerId().equals(primary)) {
            problems.add(pair.standby().name() + " replicates from the server with server_id "
                    + replication.sourceServerId() + ", and the primary " + pair.primaryAddress() + " has " + primary);
        }
    }

    private void checkServers(List<String> problems) throws SQLException {
        for (Node node : List.of(pair.primary(), pair.standby())) {
            String obstacle = node.ask("its binary log", pair.dialect()::obstacle);
            if (!obstacle.isEmpty()) {
                problems.add(node.name() + ": " + obstacle);
            }
        }
    }
}
