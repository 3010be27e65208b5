package io.understudy.readiness;

import java.util.ArrayList;
import java.util.List;

/** Whether the two servers respond. */
final class ReachableCheck implements Check {
    private static final String STANDBY = "reachable";
    private static final String PRIMARY = "primary";

    @Override
    public List<Finding> findings(Situation situation) {
        List<Finding> findings = new ArrayList<>();
        ServerFacts standby = situation.now().standby();
        if (!standby.answered() && standby.denied()) {
            findings.add(Finding.undecided(
                    STANDBY,
                    "standby",
                    "the standby refuses the login: " + standby.unreachable(),
                    "nothing is known of its state",
                    "on the primary: create the account of primary.monitor, or correct the password"));
        } else if (!standby.answered()) {
            findings.add(Finding.blocks(
                    STANDBY,
                    "standby",
                    "the standby does not respond: " + standby.unreachable(),
                    "it cannot take over",
                    ""));
        }
        ServerFacts primary = situation.now().primary();
        if (!primary.answered()) {
            findings.add(Finding.unknown(
                    PRIMARY,
                    "primary",
                    "the primary " + situation.primaryAddress()
                            + (primary.denied() ? " refuses the login: " : " does not" + " respond: ")
                            + primary.unreachable(),
                    "the standby is not compared with it: transactions that it has not received, errant transactions,"
                            + " settings, accounts and tables are not known",
                    primary.denied()
                            ? "on the primary: create the account of primary.monitor, or correct the password"
                            : "make sure that the old primary is down or read-only before the promotion; understudy"
                                    + " report lost lists what it takes with it, if the black box runs"));
        } else if (ServerFacts.isOn(primary.variable("read_only"))) {
            findings.add(Finding.warns(
                    PRIMARY,
                    "read_only",
                    "the primary is read-only",
                    "it has been fenced already, or is not the primary",
                    "on the primary, if that is not meant: SET GLOBAL read_only = 0"));
        }
        return findings;
    }
}
