package io.understudy.readiness;

import io.understudy.servers.ServerQueries;

/** Checks that both servers respond. */
final class ReachableCheck {
    private static final String NOT_COMPARED = "the standby is not compared with it: transactions that it has not"
            + " received, errant transactions, settings, accounts and tables are not known";

    private ReachableCheck() {}

    static void find(Findings found) {
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
}
