package io.understudy.servers;

import io.understudy.sql.Quoting;
import java.util.Set;

/** What an administrator does about a replication connection of which a thread does not run. Stateless. */
public final class ReplicaRemedy {
    /** Of the source: access denied, unknown host or password, expired, locked (MySQL, MariaDB). */
    private static final Set<Integer> REFUSED = Set.of(1044, 1045, 1130, 1698, 1862, 3118, 4151);
    /** Of the client library: no socket, no connection, unknown host. */
    private static final Set<Integer> UNREACHABLE = Set.of(2002, 2003, 2005);
    /** Of the client library: caching_sha2_password without TLS or the source's key. */
    private static final int NO_KEY = 2061;
    /** COM_REGISTER_SLAVE failed, of MariaDB and MySQL: the account lacks the privilege. */
    private static final Set<Integer> UNREGISTERED = Set.of(1597, 13120);
    /** ER_MASTER_FATAL_ERROR_READING_BINLOG: the primary cannot send what follows the standby's position. */
    private static final String POSITION_UNKNOWN = "error 1236";

    private ReplicaRemedy() {}

    /** Returns the applier's error with its number; empty if there is none. */
    public static String applierError(ReplicaStatus channel) {
        return error(channel.applierErrno(), channel.applierError());
    }

    /** Returns the receiver's error with its number; empty if there is none. */
    public static String receiverError(ReplicaStatus channel) {
        return error(channel.receiverErrno(), channel.receiverError());
    }

    private static String error(int number, String message) {
        return number == 0 ? "" : "error " + number + ": " + message;
    }

    /** Returns what to do about an applier that has stopped. */
    public static String ofApplier(ReplicaStatus channel, boolean mariaDb) {
        return (channel.applierErrno() == 0 ? "" : "mend the error, then ")
                + onStandby(new Statements(channel, mariaDb).start(" SQL_THREAD"));
    }

    /**
     * Returns what to do about a receiver that receives nothing, though its source lives. One that is connecting tries
     * again by itself; to start it does nothing.
     */
    public static String ofReceiver(ReplicaStatus channel, boolean mariaDb) {
        Statements statements = new Statements(channel, mariaDb);
        int error = channel.receiverErrno();
        if (receiverError(channel).contains(POSITION_UNKNOWN)) {
            return "do not start it: either the primary has purged what it lacks, or was reset"
                    + " (docs/black-box.md, After RESET MASTER), or it has transactions that the"
                    + " primary lacks, as an old primary (errant). Build it anew; or compare both"
                    + " first: docs/failover.md, People, step 6";
        } else if (REFUSED.contains(error)) {
            return onStandby(statements.change("USER = '…'", "PASSWORD = '…'"))
                    + ", of an account that the primary lets in from there, with REPLICATION SLAVE";
        } else if (UNREGISTERED.contains(error)) {
            return "on the primary: GRANT REPLICATION SLAVE ON *.* TO " + Quoting.account(channel.user()) + "@'…'"
                    + (channel.isReceiverStopped() ? "; " + onStandby(statements.start(" IO_THREAD")) : "");
        } else if (error == NO_KEY && !mariaDb) {
            return onStandby(statements.change("SSL = 1")) + "; or without TLS GET_SOURCE_PUBLIC_KEY = 1";
        } else if (channel.isReceiverStopped()) {
            return (error == 0 || UNREACHABLE.contains(error) ? "" : "mend the error, then ")
                    + onStandby(statements.start(" IO_THREAD"));
        } else if (UNREACHABLE.contains(error)) {
            return "let it reach " + channel.source() + " (network, firewall, the primary's bind_address): it tries"
                    + " again by itself. If that is the wrong address, "
                    + onStandby(statements.change("HOST = '…'", "PORT = …"));
        }
        return error == 0 ? "it is connecting: ask again" : "mend the error: it tries again by itself";
    }

    private static String onStandby(String statements) {
        return "on the standby: " + statements;
    }

    /** The statements of a product for a connection, which MariaDB names first and MySQL last. */
    private record Statements(ReplicaStatus channel, boolean mariaDb) {
        String start(String thread) {
            return replica("START", thread);
        }

        private String replica(String verb, String thread) {
            return mariaDb ? verb + " SLAVE" + first() + thread : verb + " REPLICA" + thread + last();
        }

        String change(String... assignments) {
            String prefix = mariaDb ? "MASTER_" : "SOURCE_";
            return replica("STOP", "")
                    + (mariaDb ? "; CHANGE MASTER" + first() + " TO " : "; CHANGE REPLICATION SOURCE TO ")
                    + prefix + String.join(", " + prefix, assignments)
                    + (mariaDb ? "" : last()) + "; "
                    + replica("START", "");
        }

        private String first() {
            return channel.name().isEmpty() ? "" : " " + Quoting.text(channel.name());
        }

        private String last() {
            return channel.name().isEmpty() ? "" : " FOR CHANNEL " + Quoting.text(channel.name());
        }
    }
}
