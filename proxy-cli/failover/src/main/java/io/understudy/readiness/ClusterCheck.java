package io.understudy.readiness;

import io.understudy.servers.ServerQueries;
import org.jspecify.annotations.Nullable;

/** Members of Group Replication or Galera, of which this gate and {@code switchover} know nothing. */
final class ClusterCheck {
    private record Membership(String cluster, String remedy) {}

    private ClusterCheck() {}

    /** Returns whether one of the servers is a member, so that no other check says something true. */
    static boolean isOne(Situation.Round round) {
        return member(round.standby()) != null || member(round.primary()) != null;
    }

    static void find(Findings found) {
        find("standby", found.standby(), found);
        find("primary", found.primary(), found);
    }

    private static void find(String role, ServerFacts server, Findings found) {
        Membership member = member(server);
        if (member != null) {
            found.blocks(
                    role,
                    "the " + role + " is a member of " + member.cluster() + ", which is not supported",
                    "members are promoted by the cluster itself, and replicate in another way than this gate reads",
                    member.remedy());
        }
    }

    /** Returns what a server belongs to, or null. */
    private static @Nullable Membership member(ServerFacts server) {
        if (!server.variable("group_replication_group_name").isEmpty()) {
            return new Membership(
                    "the group " + server.variable("group_replication_group_name") + " (Group Replication)",
                    "use the group's own means: SELECT group_replication_set_as_primary('UUID'); with"
                            + " primary.candidates the proxy follows it");
        }
        String provider = server.variable("wsrep_provider");
        return ServerQueries.isOn(server.variable("wsrep_on")) && !provider.isEmpty() && !provider.equals("none")
                ? new Membership(
                        "the Galera cluster " + server.variable("wsrep_cluster_name") + " (wsrep_on)",
                        "use the cluster's own means: every node takes writes; list one in primary.address, and move"
                                + " clients with POST /api/primary")
                : null;
    }
}
