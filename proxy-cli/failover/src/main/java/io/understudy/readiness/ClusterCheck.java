package io.understudy.readiness;

import java.util.ArrayList;
import java.util.List;

/** Members of Group Replication or Galera, of which this gate and {@code switchover} know nothing. */
final class ClusterCheck implements Check {
    private static final String NAME = "cluster";

    /** Returns whether one of the servers is a member, so that no other check says something true. */
    static boolean isOne(Situation.Round round) {
        return !member(round.standby()).isEmpty() || !member(round.primary()).isEmpty();
    }

    @Override
    public List<Finding> findings(Situation situation) {
        List<Finding> findings = new ArrayList<>();
        finding("standby", situation.now().standby(), findings);
        finding("primary", situation.now().primary(), findings);
        return findings;
    }

    private static void finding(String role, ServerFacts server, List<Finding> findings) {
        String member = member(server);
        if (member.isEmpty()) {
            return;
        }
        boolean galera = member.startsWith("the Galera");
        findings.add(Finding.blocks(
                NAME,
                role,
                "the " + role + " is a member of " + member + ", which is not supported",
                "members are promoted by the cluster itself, and replicate in another way than this gate reads",
                galera
                        ? "use the cluster's own means: every node takes writes; list one in primary.address, and move"
                                + " clients with POST /api/primary"
                        : "use the group's own means: SELECT group_replication_set_as_primary('UUID'); with"
                                + " primary.candidates the proxy follows it"));
    }

    /** Returns the cluster that a server belongs to, or an empty text. */
    private static String member(ServerFacts server) {
        if (!server.variable("group_replication_group_name").isEmpty()) {
            return "the group " + server.variable("group_replication_group_name") + " (Group Replication)";
        }
        String provider = server.variable("wsrep_provider");
        return ServerFacts.isOn(server.variable("wsrep_on")) && !provider.isEmpty() && !provider.equals("none")
                ? "the Galera cluster " + server.variable("wsrep_cluster_name") + " (wsrep_on)"
                : "";
    }
}
