package io.understudy.readiness;

import io.understudy.readiness.ServerFacts.FreeDisk;
import io.understudy.readiness.ServerFacts.OpenTransaction;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.ServerQueries;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What stands against a promotion in the state of one server. */
final class StateChecks {
    private static final String NOT_COMPARED = "the standby is not compared with it: transactions that it has not"
            + " received, errant transactions, settings, accounts and tables are not known";
    private static final double LITTLE = 0.1;
    private static final double NOTHING = 0.02;
    private static final int SHOWN = 10;
    private static final String END_XA = "let its coordinator end it; else there: XA RECOVER; XA COMMIT or XA ROLLBACK";

    private StateChecks() {}

    /** Checks that both servers respond. */
    static void reachable(Findings found) {
        Findings ofPrimary = new Findings("primary", found.round(), found.situation(), found.all());
        Situation situation = found.situation();
        ServerFacts standby = found.standby();
        if (!standby.fault().isEmpty()) {
            found.all().add(fault(standby, "standby"));
        } else if (!standby.responded() && standby.denied()) {
            found.undecided(
                    "standby",
                    "the standby refuses the login: " + standby.unreachable(),
                    "nothing is known of its state",
                    standby.remedy());
        } else if (standby.isLate() && situation.before().standby().responded()) {
            found.undecided(
                    "standby",
                    "the standby responded at first, and not in time to the second reading",
                    "nothing is known of its present state",
                    "ask again, with a longer --timeout");
        } else if (!standby.responded()) {
            found.blocks(
                    "standby", "the standby does not respond: " + standby.unreachable(), "it cannot take over", "");
        }
        ServerFacts primary = found.primary();
        if (!primary.fault().isEmpty()) {
            found.all().add(fault(primary, "primary"));
        } else if (!primary.responded() && primary.denied()) {
            // It is alive, so what it has and the standby lacks can be found out before anybody promotes.
            ofPrimary.undecided(
                    "primary",
                    "the primary " + situation.primaryAddress() + " refuses the login: " + primary.unreachable(),
                    NOT_COMPARED,
                    primary.remedy());
        } else if (!primary.responded()) {
            ofPrimary.unknown(
                    "primary",
                    "the primary " + situation.primaryAddress() + " does not respond: " + primary.unreachable(),
                    NOT_COMPARED,
                    "make sure that the old primary is down or read-only before the promotion; understudy report lost"
                            + " lists what it takes with it, if the black box runs");
        } else if (ServerQueries.isOn(primary.variable("read_only"))) {
            ofPrimary.warns(
                    "read_only",
                    "the primary is read-only",
                    "it has been fenced already, or is not the primary",
                    "on the primary, if that is not meant: SET GLOBAL "
                            + (primary.isMariaDb() ? "" : "super_read_only = 0, GLOBAL ") + "read_only = 0");
        }
    }

    private static Finding fault(ServerFacts server, String role) {
        return fault(role, "read the " + role + ": " + server.fault(), "what it had not read by then is not known");
    }

    /** Returns the finding about a fault of the gate itself, after which nobody can say that all is well. */
    static Finding fault(String subject, String during, String why) {
        return new Finding(
                "gate",
                subject,
                Severity.UNKNOWN,
                true,
                "the gate itself failed while it " + during,
                why,
                "ask again; the log has the details, please report them");
    }

    /** Checks that the standby refuses writes. */
    static void readOnly(Findings found) {
        ServerFacts standby = found.standby();
        String noAdmin = standby.variable("super_read_only");
        if (!ServerQueries.isOn(standby.variable("read_only"))) {
            found.blocks(
                    "read_only",
                    "the standby is writable",
                    "it may have been promoted already; otherwise every write there makes its data differ",
                    "on the standby, unless it has been promoted: SET GLOBAL "
                            + (standby.isMariaDb() ? "read_only = 1" : "super_read_only = 1"));
        } else if (!noAdmin.isEmpty() && !ServerQueries.isOn(noAdmin)) {
            found.warns(
                    "super_read_only",
                    "super_read_only is off on the standby",
                    "accounts with CONNECTION_ADMIN or SUPER can write there, which makes errant transactions",
                    "on the standby: SET GLOBAL super_read_only = 1");
        }
    }

    private record Membership(String cluster, String remedy) {}

    /** Returns whether one of the servers is a member, so that no other check says something true. */
    static boolean isInCluster(Situation.Round round) {
        return member(round.standby()) != null || member(round.primary()) != null;
    }

    /** Members of Group Replication or Galera, of which this gate and {@code switchover} know nothing. */
    static void cluster(Findings found) {
        cluster("standby", found.standby(), found);
        cluster("primary", found.primary(), found);
    }

    private static void cluster(String role, ServerFacts server, Findings found) {
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

    /** Checks the free disk of the standby, where it tells it. */
    static void disk(Findings found) {
        FreeDisk disk = found.standby().get(ServerFacts.FREE_DISK).value();
        if (disk == null || disk.share() >= LITTLE) {
            return;
        }
        String what = String.format(
                Locale.ROOT,
                "%.1f %% of %s are free on the standby, %,d MiB",
                100 * disk.share(),
                disk.path(),
                disk.free() >> 20);
        String why = "with a full disk it neither replicates nor takes writes";
        String statement = "free or add room there; SHOW BINARY LOGS, PURGE BINARY LOGS";
        found.either(disk.share() < NOTHING, "", what, why, statement);
    }

    /** The oldest open transaction on the standby. */
    static void transactions(Findings found) {
        Known<List<OpenTransaction>> known = found.standby().get(ServerFacts.TRANSACTIONS);
        List<OpenTransaction> open = known.value();
        if (open == null) {
            found.unknown(
                    "privilege",
                    "its open transactions cannot be read: " + known.reason(),
                    "a long one may block what replication applies, and the promotion",
                    known.statement());
            return;
        }
        long most = found.situation().limits().transaction().toSeconds();
        open.stream()
                .filter(one -> one.connection() != 0) // a prepared one, which the check of XA names
                .filter(one -> one.seconds() >= most)
                .max(Comparator.comparingLong(OpenTransaction::seconds))
                .ifPresent(oldest -> found.warns(
                        "connection " + oldest.connection(),
                        "connection " + oldest.connection()
                                + (oldest.user().isEmpty() ? "" : " of " + oldest.user())
                                + " has a transaction open for " + oldest.seconds() + " s"
                                + (oldest.rows() == 0 ? "" : ", with " + oldest.rows() + " changed rows"),
                        "replicated schema changes of its tables wait for it, and so does all that comes after them",
                        "on the standby: KILL " + oldest.connection()));
    }

    /** Prepared XA transactions, which only their coordinator ends. */
    static void xa(Findings found) {
        Known<Set<String>> standby = found.standby().get(ServerFacts.PREPARED);
        Known<Set<String>> primary = found.primary().get(ServerFacts.PREPARED);
        Set<String> here = standby.value();
        Set<String> there = primary.value();
        if (here == null || found.primary().responded() && there == null) {
            found.unread(
                    "privilege",
                    "prepared XA transactions",
                    here == null,
                    here == null ? standby : primary,
                    "their rows stay locked, or are lost, after the promotion");
        }
        if (here == null) {
            return;
        }
        TreeSet<String> all = new TreeSet<>(here);
        all.addAll(there == null ? Set.of() : there);
        for (String name : all.stream().limit(SHOWN).toList()) {
            String what = "the XA transaction '" + name + "' is prepared";
            if (!here.contains(name)) {
                found.blocks(
                        "primary " + name,
                        what + " on the primary alone",
                        "after the promotion nobody can commit it: its rows are lost",
                        END_XA);
            } else if (there != null && !there.contains(name)) {
                found.blocks(
                        "standby " + name,
                        what + " on the standby alone",
                        "its rows stay locked there, and are not the primary's if somebody commits it",
                        END_XA);
            } else {
                found.warns(
                        "both " + name,
                        what,
                        "its rows stay locked after the promotion until somebody ends it on the new primary",
                        END_XA);
            }
        }
    }

    /**
     * A long schema change on one of the servers; on MariaDB, one that has begun on the standby and whose end is due.
     */
    static void schemaChange(Findings found) {
        found.standby().schemaChanges().stream()
                .filter(SchemaChange::applied)
                .forEach(change -> applied(change, found));
        for (SchemaChange change : found.primary().schemaChanges()) {
            if (!change.applied()) {
                found.warns(
                        "primary " + change.connection() + " " + change.text(),
                        "the primary executes a schema change for " + change.seconds() + " s: " + change.text(),
                        "a planned change waits for its end, or fails; if the primary dies now, it is undone",
                        "wait for its end, or on the primary: KILL QUERY " + change.connection());
            }
        }
    }

    private static void applied(SchemaChange change, Findings found) {
        String subject = "standby " + change.connection() + " " + change.text();
        if (isOpen(found.round())) {
            found.warns(
                    subject,
                    "a two-phase ALTER is open: the standby has begun it, and the primary has not yet sent its end: "
                            + change.text(),
                    "if the primary is lost, its end never comes: after the promotion the table refuses writes"
                            + " (error 1205)",
                    "wait for its end; without the primary, on the standby: STOP SLAVE, which rolls it back");
        } else {
            found.warns(
                    subject,
                    "replication executes a schema change for " + change.seconds() + " s: " + change.text(),
                    "a promotion waits for its end",
                    "wait for its end");
        }
    }

    /** The begin of a two-phase ALTER counts as applied at once, any other statement at its end only. */
    private static boolean isOpen(Situation.Round round) {
        ReplicaStatus channel = Situation.fromPrimary(round);
        if (channel == null || !round.standby().isMariaDb()) {
            return false;
        }
        Long missing = round.standby().lacks(channel.received());
        return missing != null && missing == 0;
    }
}
