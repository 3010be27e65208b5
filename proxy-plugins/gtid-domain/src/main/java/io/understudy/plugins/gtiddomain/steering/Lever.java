package io.understudy.plugins.gtiddomain.steering;

import io.understudy.plugin.ExplainedStatement;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionVariable;
import io.understudy.plugin.VariableValue;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The session variables that steer how standbys apply a write. */
public enum Lever {
    /** The ALTER is logged when it begins and when it has ended, so that standbys run it at the same time. */
    TWO_PHASE("two_phase", "alter: two-phase", "binlog_alter_two_phase", "DEFAULT", 10, 8),
    /** The transaction is logged as one not to be applied in parallel. The variable has no global value. */
    SKIP_PARALLEL("skip_parallel", "parallel: skip", "skip_parallel_replication", "0", 10, 0);

    private static final String PURPOSE = "steering";
    private static final Pattern VERSION = Pattern.compile("(?:5\\.5\\.5-)?(\\d{1,4})\\.(\\d{1,4})\\D.*");

    private final String label;
    private final String action;
    private final String variable;
    private final VariableValue on;
    private final VariableValue off;
    private final int major;
    private final int minor;

    Lever(String label, String action, String variable, String off, int major, int minor) {
        this.label = label;
        this.action = action;
        this.variable = variable;
        this.major = major;
        this.minor = minor;
        String set = "SET SESSION " + variable + "=";
        on = new VariableValue(1, set + "1", PURPOSE);
        this.off = new VariableValue(0, set + off, PURPOSE);
    }

    /** Returns the bit of the lever in a set of levers. */
    int bit() {
        return 1 << ordinal();
    }

    /** Returns the label in metrics. */
    public String label() {
        return label;
    }

    /** Returns the action as a rule has it. */
    public String action() {
        return action;
    }

    /** Returns the variable of a session whose lever is off, as after the login. */
    SessionVariable ofSession(SessionVariable.Listener listener) {
        return new SessionVariable(List.of(variable), off, listener);
    }

    /** Returns the value that turns it on. */
    VariableValue on() {
        return on;
    }

    /**
     * Returns why a server has no such variable, or an empty text if it has.
     *
     * @param version as in the server's handshake packet, or as {@code VERSION()} returns it
     */
    public String refusal(ServerFlavor flavor, String version) {
        if (flavor == ServerFlavor.MYSQL) {
            return "MySQL: writesets need no tag";
        }
        Matcher found = VERSION.matcher(version + " ");
        if (!found.matches()) {
            return "";
        }
        int actualMajor = Integer.parseInt(found.group(1));
        int actualMinor = Integer.parseInt(found.group(2));
        boolean known = actualMajor > major || actualMajor == major && actualMinor >= minor;
        return known
                ? ""
                : variable + " exists from MariaDB " + major + "." + minor + ", this server is " + actualMajor + "."
                        + actualMinor;
    }

    /**
     * Returns why it is off for a statement that a rule matches, as a sentence, or an empty text if it is on: outside
     * of transactions, in a session that commits each statement.
     */
    public String gap(ExplainedStatement subject) {
        StatementSummary summary = subject.summary();
        StatementKind kind = summary == null ? StatementKind.UNKNOWN : summary.runs();
        if (this == TWO_PHASE) {
            String gap = TwoPhaseCoverage.gap(kind, subject.text());
            return gap == null ? "it is no schema change" : gap;
        }
        return LeverObserver.writes(summary, kind) ? "" : "it writes nothing";
    }
}
