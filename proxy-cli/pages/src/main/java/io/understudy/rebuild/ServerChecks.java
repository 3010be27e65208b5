package io.understudy.rebuild;

import java.sql.SQLException;
import java.util.List;

/**
 * Checks whether tables of this server may be rebuilt: the server must be a read-only replica, and the account must
 * have the privileges.
 */
final class ServerChecks {
    private ServerChecks() {}

    /**
     * Checks the server.
     *
     * @param name the standby's
     * @param user the account's
     * @param lowersSuperReadOnly whether the caller may set {@code super_read_only} to 0 during the rebuild
     */
    static void run(StandbyQueries standby, String name, String user, boolean lowersSuperReadOnly)
            throws SQLException, Refused {
        if (!standby.readOnly()) {
            throw new Refused(name
                    + " is writable: this is a primary, or a standby without its fence; nothing was done. On a standby:"
                    + " SET GLOBAL read_only = 1");
        }
        List<String> missing =
                RebuildPrivileges.of(standby, user).missingOnServer(lowersSuperReadOnly && standby.superReadOnly());
        if (!missing.isEmpty()) {
            throw new Refused("the account " + user + " lacks privileges on " + name
                    + "; an administrator grants them there with: " + "SET SESSION sql_log_bin = 0; "
                    + String.join(" ", missing));
        }
        List<Long> channels = standby.channels();
        if (channels.isEmpty()) {
            throw new Refused(name + " replicates from no server: it is no standby; nothing was done");
        }
        if (channels.contains(-1L)) {
            throw new Refused(
                    name + " does not replicate at the moment, so its lag cannot be watched; START SLAVE (MySQL: START"
                            + " REPLICA) first");
        }
        if (standby.superReadOnly() && !lowersSuperReadOnly) {
            throw new Refused(name
                    + " has super_read_only, under which MySQL rebuilds no table, not even outside of the"
                    + " binary log;"
                    + " --lower-super-read-only sets it to 0 for as long as the rebuild takes (read_only"
                    + " stays 1) and back again");
        }
    }
}
