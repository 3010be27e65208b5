package io.understudy.cli.check;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Refuses a member of a MySQL Group Replication group: the proxy's verdicts are about replication from one primary. */
final class GroupReplicationCheck {
    private GroupReplicationCheck() {}

    /**
     * Returns the finding about a server.
     *
     * @param where the key of the configuration
     * @param group the server's {@code group_replication_group_name}; null or empty outside of a group
     */
    static List<CheckResult> of(String where, @Nullable String group) {
        return group == null || group.isEmpty()
                ? List.of()
                : List.of(CheckResult.error(
                        where,
                        "this server is a member of the Group Replication group " + group
                                + ", which is not supported: sessions are relayed, but ready, switchover, the lag, the"
                                + " exposure of commit-latency and report lost know replication from one primary only;"
                                + " use MySQL Router, or asynchronous or semi-synchronous replicas"));
    }
}
