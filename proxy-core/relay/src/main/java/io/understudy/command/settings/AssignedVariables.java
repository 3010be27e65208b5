package io.understudy.command.settings;

import io.understudy.sql.SetStatement;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The values that a session has given to variables, in the order in which they were set, because {@code max_join_size}
 * changes {@code sql_big_selects}.
 */
final class AssignedVariables {
    /** Before any is set. */
    static final AssignedVariables NONE = new AssignedVariables();

    private static final String FLAGS = "optimizer_switch";
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]+(\\.[0-9]+)?");
    private static final int LONGEST = 1024;
    private static final int MOST = 256;

    private final Map<String, String> values = new LinkedHashMap<>();
    private final Set<String> unknown = new TreeSet<>();
    private @Nullable String list;

    private AssignedVariables() {}

    /** Returns whether every value could be read. */
    boolean known() {
        return unknown.isEmpty();
    }

    /** Returns the names of the variables whose value could not be read. */
    Set<String> unknown() {
        return unknown;
    }

    /** Returns assignments for SET, or null when all variables have the server's value. */
    @Nullable
    String assignments() {
        return list;
    }

    /** Returns the values after an assignment: these, changed, or new ones where there were {@link #NONE}. */
    AssignedVariables assigned(SetStatement.Assignment assignment) {
        AssignedVariables after = this == NONE ? new AssignedVariables() : this;
        after.assign(assignment);
        return after;
    }

    private void assign(SetStatement.Assignment assignment) {
        String name = assignment.name();
        String value = assignment.literalValue();
        if (assignment.isDefault()) {
            values.remove(name);
            unknown.remove(name);
            if (name.equals("max_join_size")) {
                assign("sql_big_selects", "1");
            }
        } else if (value == null || value.length() > LONGEST || values.size() >= MOST) {
            unknown.add(name);
        } else {
            assign(name, value);
        }
        list = values.isEmpty()
                ? null
                : values.entrySet().stream()
                        .map(one -> one.getKey() + " = " + literal(one.getValue()))
                        .collect(Collectors.joining(", "));
    }

    private void assign(String name, String value) {
        if (name.equals(FLAGS)) {
            // A list of flags changes only the flags that it names.
            if (!unknown.contains(FLAGS)) {
                values.merge(FLAGS, value, AssignedVariables::merged);
            }
            return;
        }
        values.remove(name);
        values.put(name, value);
        unknown.remove(name);
    }

    private static String merged(String before, String after) {
        Map<String, String> flags = new LinkedHashMap<>();
        for (String flag : (before + "," + after).split(",")) {
            String name = flag.split("=", 2)[0].trim().toLowerCase(Locale.ROOT);
            if (name.equals("default")) {
                flags.clear();
            }
            flags.remove(name);
            flags.put(name, flag.trim());
        }
        return String.join(",", flags.values());
    }

    private static String literal(String value) {
        return NUMBER.matcher(value).matches() || value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false")
                ? value
                : SqlModeSetting.quoted(value);
    }
}
