package io.understudy.command.settings;

import io.understudy.sql.SetStatement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What of a session's state is followed only to move it to another server: variables that no statement's meaning
 * depends on, the characteristics of the next transaction, and what is not known. Must be used on the session's event
 * loop.
 */
public final class FollowedState {
    /** User variables may have been set, in ways that are not followed. */
    public static final String USER_VARIABLES = "user_variables";
    /** A procedure may have done anything. */
    public static final String PROCEDURE = "procedure";
    /** The server's counters of the session's statements have begun anew. */
    public static final String COUNTERS = "flush_status";
    /** The server's counters, in lower case. MySQL counts temporary tables among the others. */
    public static final String TABLES = "com_create_table";

    public static final String TEMPORARY_TABLES = "com_create_temporary_table";
    public static final String LOCKS = "com_lock_tables";
    public static final String FLUSHES = "com_flush";

    /** A text was too long, or not understood. */
    public static final String UNREAD = "unread_text";

    /** Used up by a statement, or not to be set as it was, so that the value is not known afterwards. */
    private static final Set<String> ELUSIVE =
            Set.of(("role resource_group insert_id last_insert_id identity rand_seed1 rand_seed2 gtid_seq_no gtid_next"
                            + " character_set_database collation_database")
                    .split(" "));

    /** Matches an expression of literals, variables and functions of those, as drivers use to extend a list. */
    private static final Pattern PURE = Pattern.compile(
            "(?:'[^'\\\\]*+'|(?<!\\w)\\d++(?!\\w)|@@(?:session\\.|local\\.)?\\w++|(?<!\\w)(?:OR|AND|NOT)(?!\\w)"
                    + "|[(),<>=!\\s]|(?<!\\w)(?:CONCAT|CONCAT_WS|IF|IFNULL|NULLIF|LOCATE|FIND_IN_SET"
                    + "|LOWER|UPPER|REPLACE|TRIM)(?=\\())++",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern VARIABLE =
            Pattern.compile("@@(?:session\\.|local\\.)?(\\w+)", Pattern.CASE_INSENSITIVE);

    private static final int MOST_EXTENSIONS = 16;
    private static final int LONGEST_EXTENSION = 1024;

    /** Assignments that build on a variable's value before, in their order; behind {@link #others}. */
    private List<Extension> extensions = List.of();

    private record Extension(String name, String expression) {}

    private AssignedVariables others = AssignedVariables.NONE;
    private TransactionMode next = TransactionMode.NONE;
    private long nextSetBy = -1;
    private @Nullable String results;
    private long insertId;
    private boolean insertIdKnown = true;
    /** How many statements of a kind that the server counts have succeeded, as texts of their own. */
    private Map<String, Integer> counted = Map.of();

    private Set<String> unknown = Set.of();
    private boolean serviceLocks;
    private boolean complete;

    FollowedState() {}

    void clear() {
        others = AssignedVariables.NONE;
        extensions = List.of();
        next = TransactionMode.NONE;
        results = null;
        insertId(0);
        counted = Map.of();
        unknown = Set.of();
        serviceLocks = false;
    }

    /** Called once, where all texts of the session are read from its login on. */
    public void begin() {
        complete = true;
    }

    /** Notes that a part of the state is not known from now on: a reason of few values, as in a metric. */
    public void unknown(String what) {
        if (unknown.isEmpty()) {
            unknown = new TreeSet<>();
        }
        unknown.add(what);
    }

    /** Notes that the session may take locks of MySQL's locking service. */
    public void serviceLocked() {
        serviceLocks = true;
    }

    /**
     * Returns whether the session may have locks of MySQL's locking service, of which no question to a server tells.
     */
    public boolean serviceLocks() {
        return serviceLocks;
    }

    /** Returns why the state is not known; empty if it is. */
    public Set<String> unknown() {
        return complete ? unknown : Set.of(UNREAD);
    }

    /** Applies an assignment of a session variable that {@link SettingsModel} does not use. */
    void assigned(SetStatement.Assignment assignment) {
        if (ELUSIVE.contains(assignment.name())
                || assignment.name().equals("sql_auto_is_null") && !"0".equals(assignment.literalValue())) {
            unknown(assignment.name());
        } else if (assignment.name().equals("character_set_results")) {
            String value = assignment.literalValue();
            results = value == null ? assignment.expression() : value;
            if (!results.matches("[A-Za-z0-9_]+")) {
                unknown(assignment.name());
            }
        } else if (!extended(assignment)) {
            others = others.assigned(assignment);
            if (!extensions.isEmpty()) {
                extensions.removeIf(each -> each.name().equals(assignment.name()));
            }
        }
    }

    /** Takes an assignment that adds to the variable's own value: on another server the same one does the same. */
    private boolean extended(SetStatement.Assignment assignment) {
        String expression = assignment.expression();
        if (assignment.literalValue() != null
                || others.unknown().contains(assignment.name())
                || extensions.size() >= MOST_EXTENSIONS
                || expression.length() > LONGEST_EXTENSION
                || !PURE.matcher(expression).matches()
                || !VARIABLE.matcher(expression)
                        .results()
                        .allMatch(each -> each.group(1).equalsIgnoreCase(assignment.name()))) {
            return false;
        }
        if (extensions.isEmpty()) {
            extensions = new ArrayList<>(2);
        }
        extensions.add(new Extension(assignment.name(), expression));
        return true;
    }

    /** Returns assignments for SET, to be run in this order behind {@link #assignments}. */
    public List<String> extensions() {
        return extensions.stream()
                .map(each -> each.name() + " = " + each.expression())
                .toList();
    }

    /** Called at SET NAMES and SET CHARACTER SET. */
    void namesSet() {
        results = null;
    }

    /** Applies a SET TRANSACTION, which is for the next transaction only. */
    void nextTransaction(SetStatement.Assignment assignment, long command) {
        next = next.assigned(assignment);
        nextSetBy = command;
    }

    /** Called when there is a transaction. */
    public void inTransaction() {
        if (next != TransactionMode.NONE) {
            next = TransactionMode.NONE;
        }
    }

    /** Called when a text of its own has succeeded that the server counts, too, by the name of its counter. */
    public void ran(String counter) {
        if (counted.isEmpty()) {
            counted = new HashMap<>();
        }
        counted.merge(counter, 1, Integer::sum);
    }

    /** Returns how many statements with that counter the session is known to have run on its server. */
    public int runs(String counter) {
        return counted.getOrDefault(counter, 0);
    }

    /** Called when the session has gone on to another server, which has counted nothing yet. */
    public void moved() {
        counted = Map.of();
        if (!unknown.isEmpty()) {
            unknown.remove(COUNTERS);
        }
    }

    /** Called when LAST_INSERT_ID() is this. */
    public void insertId(long id) {
        insertId = id;
        insertIdKnown = true;
    }

    /** Called when LAST_INSERT_ID() may have changed to what is not known. */
    public void insertIdUnknown() {
        insertIdKnown = false;
    }

    public boolean insertIdKnown() {
        return insertIdKnown;
    }

    /** Returns the variables as an assignment list for SET, or null; the names that are not known are a reason. */
    public @Nullable String assignments() {
        return others.assignments();
    }

    /** Returns the names of variables whose value could not be read. */
    public Set<String> unknownVariables() {
        return others.unknown();
    }

    /** Returns what was set as {@code character_set_results} since the last SET NAMES, or null. */
    public @Nullable String results() {
        return results;
    }

    /** Returns what follows SET TRANSACTION, or null. */
    public @Nullable String nextTransaction() {
        return next.characteristics();
    }

    /** Returns the number of the command that has set the next transaction's characteristics. */
    public long nextTransactionSetBy() {
        return nextSetBy;
    }

    /** Returns LAST_INSERT_ID(), if it {@linkplain #insertIdKnown is known}. */
    public long insertId() {
        return insertId;
    }
}
