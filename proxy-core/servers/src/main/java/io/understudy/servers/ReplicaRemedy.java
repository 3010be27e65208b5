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
        Statements statements = new Statements(channel, mariaDb);
        return (channel.applierErrno() == 0 ? "" : "mend the error, then ")
                + onStandby(statements.losesByStart() ? statements.sentAgain() : statements.start(" SQL_THREAD"));
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
                    + " primary lacks, as an old primary (errant): bring them there first, as clients may have been"
                    + " told of them (understudy report lost, understudy rescue). Then build it anew; or compare both:"
                    + " docs/failover.md, People, step 6";
        } else if (REFUSED.contains(error)) {
            return statements.change("USER = '…'", "PASSWORD = '…'")
                    + ", of an account that the primary lets in from there, with REPLICATION SLAVE";
        } else if (UNREGISTERED.contains(error)) {
            return "on the primary: GRANT REPLICATION SLAVE ON *.* TO " + Quoting.account(channel.user()) + "@'…'"
                    + (channel.isReceiverStopped() ? "; " + onStandby(statements.start(" IO_THREAD")) : "");
        } else if (error == NO_KEY && !mariaDb) {
            return statements.change("SSL = 1") + "; or without TLS GET_SOURCE_PUBLIC_KEY = 1";
        } else if (channel.isReceiverStopped()) {
            return (error == 0 || UNREACHABLE.contains(error) ? "" : "mend the error, then ")
                    + onStandby(statements.losesByStart() ? statements.sentAgain() : statements.start(" IO_THREAD"));
        } else if (UNREACHABLE.contains(error)) {
            return "let it reach " + channel.source() + " (network, firewall, the primary's bind_address): it tries"
                    + " again by itself. If that is the wrong address, "
                    + statements.change("HOST = '…'", "PORT = …");
        }
        return error == 0 ? "it is connecting: ask again" : "mend the error: it tries again by itself";
    }

    /** Returns what throws away what a connection has received and not applied, as the subject of a sentence. */
    public static String discarding(ReplicaStatus channel, boolean mariaDb) {
        return !mariaDb
                ? "CHANGE REPLICATION SOURCE TO, RESET REPLICA, or a restart with relay_log_recovery,"
                : channel.isByGtid()
                        ? "STOP SLAVE with START SLAVE, CHANGE MASTER, or a restart of the server (MDEV-4698)"
                        : "CHANGE MASTER, RESET SLAVE, or a restart with relay_log_recovery,";
    }

    /** Returns how to have all applied that a connection has received, before its threads are stopped. */
    public static String applying(ReplicaStatus channel, boolean mariaDb) {
        Statements statements = new Statements(channel, mariaDb);
        if (statements.losesByStart()) {
            return statements.sentAgain();
        }
        return (channel.applies()
                        ? ""
                        : (channel.applierErrno() == 0 ? "" : "mend the applier's error; ")
                                + statements.start(" SQL_THREAD") + "; then ")
                + (!mariaDb
                        ? "wait until " + statements.replica("SHOW", " STATUS")
                                + " has all of Retrieved_Gtid_Set in Executed_Gtid_Set"
                        : channel.received().isEmpty()
                                ? "wait until it has applied what it has received"
                                : "SELECT MASTER_GTID_WAIT('" + channel.received() + "', 60), until that returns 0");
    }

    /** Returns what to do on a server that replicates from none. */
    public static String ofNone(boolean mariaDb) {
        String prefix = mariaDb ? "MASTER_" : "SOURCE_";
        return "if it has the primary's data up to its GTID position, on the standby: "
                + (mariaDb ? "CHANGE MASTER TO " : "CHANGE REPLICATION SOURCE TO ")
                + prefix + "HOST = '…', " + prefix + "PORT = …, " + prefix + "USER = '…', " + prefix
                + "PASSWORD = '…', "
                + (mariaDb
                        ? "MASTER_USE_GTID = slave_pos; START SLAVE"
                        : "SOURCE_SSL = 1, SOURCE_AUTO_POSITION = 1; START REPLICA")
                + "; else build it anew (docs/failover.md, Build a server anew)";
    }

    /** Returns how to take a connection away that nobody needs. */
    public static String removal(ReplicaStatus channel, boolean mariaDb) {
        Statements statements = new Statements(channel, mariaDb);
        return "if it is left over, "
                + (channel.appliedAll() ? "" : "and once it has applied what it has received, ")
                + onStandby(statements.replica("STOP", "") + "; " + statements.replica("RESET", " ALL"));
    }

    /** Returns how to have a connection that replicates by file and offset use GTIDs. */
    public static String toGtid(ReplicaStatus channel, boolean mariaDb) {
        return "if its " + (mariaDb ? "gtid_slave_pos" : "gtid_executed") + " has all that it was loaded with, "
                + new Statements(channel, mariaDb).change(mariaDb ? "USE_GTID = slave_pos" : "AUTO_POSITION = 1")
                + "; else build it anew, as the primary sends it again";
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

        /** Returns a change of the source, behind what keeps it from throwing away what is not applied. */
        String change(String... assignments) {
            String prefix = mariaDb ? "MASTER_" : "SOURCE_";
            return (channel.applies() && channel.appliedAll()
                            ? "on the standby: "
                            : "first, as this throws away what it has not applied, on the standby: "
                                    + applying(channel, mariaDb) + "; then ")
                    + replica("STOP", "")
                    + (mariaDb ? "; CHANGE MASTER" + first() + " TO " : "; CHANGE REPLICATION SOURCE TO ")
                    + prefix + String.join(", " + prefix, assignments)
                    + (mariaDb ? "" : last()) + "; "
                    + replica("START", "");
        }

        /** Returns whether to start a thread throws away what was received (MDEV-4698). */
        boolean losesByStart() {
            return mariaDb && channel.isByGtid() && channel.isStopped() && !channel.appliedAll();
        }

        String sentAgain() {
            return "if " + channel.source() + " lives, " + start("") + ", which has it sent again; else do not start"
                    + " it, which throws it away: understudy rescue --apply, or apply its relay logs (mariadb-binlog)";
        }

        private String first() {
            return channel.name().isEmpty() ? "" : " " + Quoting.text(channel.name());
        }

        private String last() {
            return channel.name().isEmpty() ? "" : " FOR CHANNEL " + Quoting.text(channel.name());
        }
    }
}
