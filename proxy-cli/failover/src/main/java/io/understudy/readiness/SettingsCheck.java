package io.understudy.readiness;

import io.understudy.readiness.VariableRules.Meaning;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.Quoting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Compares all global variables, but those that {@link VariableRules} lets differ, and the versions. */
final class SettingsCheck {
    private static final int SHOWN = 40;
    private static final double MUCH_LESS = 0.5;

    private SettingsCheck() {}

    static void find(Findings found) {
        version(found);
        List<String> beyond = new ArrayList<>();
        names(found.standby()).forEach(name -> compare(name, found, beyond));
        if (!beyond.isEmpty()) {
            found.warns(
                    "others",
                    beyond.size() + " more settings differ: " + String.join(", ", beyond),
                    VariableRules.OTHER.why(),
                    "compare SHOW GLOBAL VARIABLES of both");
        }
    }

    /** Returns the names without those that are another name of a listed one. */
    private static TreeSet<String> names(ServerFacts server) {
        Map<String, String> all = server.get(ServerFacts.VARIABLES).value();
        Set<String> known = all == null ? Set.of() : all.keySet();
        TreeSet<String> names = new TreeSet<>(known);
        names.removeIf(name -> {
            String present =
                    name.replace("slave", "replica").replace("master", "source").replaceFirst("^tx_", "transaction_");
            return !present.equals(name) && known.contains(present)
                    || name.equals("storage_engine") && known.contains("default_storage_engine");
        });
        return names;
    }

    private static void version(Findings found) {
        ServerFacts standby = found.standby();
        ServerFacts primary = found.primary();
        if (primary.responded()
                && (standby.isMariaDb() != primary.isMariaDb()
                        || !standby.series().equals(primary.series()))) {
            found.warns(
                    "version",
                    "the standby has version " + standby.variable("version") + ", the primary "
                            + primary.variable("version"),
                    "statements may be refused, run differently or be planned differently; an older server cannot"
                            + " replicate back",
                    "bring both to the same version, the standby first");
        }
    }

    /** @param beyond gets the name where enough have been found */
    private static void compare(String name, Findings found, List<String> beyond) {
        ServerFacts standby = found.standby();
        ServerFacts primary = found.primary();
        Meaning meaning = VariableRules.of(name);
        if (meaning == null) {
            return;
        }
        String here = value(name, standby);
        String there = value(name, primary);
        boolean mustBeOn = meaning.rule() == VariableRules.Rule.MUST_BE_ON;
        if (mustBeOn
                ? isOn(here) || !name.equals("log_bin") && !isOn(standby.variable("log_bin"))
                : !primary.hasVariable(name)
                        || here.equals(there)
                        || isAsGood(meaning.rule(), here, there)
                        || isUnused(name, standby, primary)) {
            return;
        }
        boolean blocks = meaning.severity() == Severity.BLOCKS || isMuchLess(meaning.rule(), name, here, there);
        if (!blocks && found.all().size() >= SHOWN) {
            beyond.add(name);
            return;
        }
        String what = name
                + (mustBeOn
                        ? " is off on the standby"
                        : " is '" + here + "' on the standby and '" + there + "' on the primary");
        String statement = mustBeOn
                ? "in the standby's option file: " + name + "; then restart it"
                : name.equals("system_time_zone")
                        ? "set the machine's time zone and restart the server, or name a time_zone on both"
                        : set(name, there, standby.isMariaDb());
        found.either(blocks, name, what, meaning.why(), statement);
    }

    private static String set(String name, String value, boolean mariaDb) {
        String literal = value.matches("-?\\d+(\\.\\d+)?") ? value : Quoting.text(value);
        return "on the standby: SET " + (mariaDb ? "GLOBAL " : "PERSIST ") + name + " = " + literal
                + (mariaDb ? ", and in its option file" : "")
                + "; where it refuses that (error 1238): in its option file, then restart it";
    }

    /** The machine's time zone matters where a server uses it. */
    private static boolean isUnused(String name, ServerFacts standby, ServerFacts primary) {
        return name.equals("system_time_zone")
                && !standby.variable("time_zone").equals("SYSTEM")
                && !primary.variable("time_zone").equals("SYSTEM");
    }

    /**
     * Returns a setting as it takes effect. MariaDB 12.3's binary log in InnoDB is as safe as InnoDB's own log:
     * {@code sync_binlog} has no effect there, {@code innodb_flush_log_at_trx_commit} is a setting of its own.
     */
    private static String value(String name, ServerFacts server) {
        boolean inEngine = !server.variable("binlog_storage_engine").isEmpty();
        return inEngine && name.equals("sync_binlog") ? "1" : server.variable(name);
    }

    private static boolean isAsGood(VariableRules.Rule rule, String here, String there) {
        return switch (rule) {
            case SAME, MUST_BE_ON -> false;
            case WORDS -> words(here).equals(words(there));
            case ON -> isOn(here) || !isOn(there);
            case OFF -> !isOn(here) || isOn(there);
            case NOT_LESS -> number(here) >= number(there);
            case NOT_LESS_ZERO_IS_MOST -> zeroAsMost(here) >= zeroAsMost(there);
            // A higher number loses more in a crash; 0 means that nothing is ever flushed on purpose.
            case AS_SAFE -> zeroAsMost(here) <= zeroAsMost(there);
            case AS_SAFE_WITH_3 -> zeroAsMost(threeAsOne(here)) <= zeroAsMost(threeAsOne(there));
        };
    }

    /** A buffer pool is no limit: a small one is slow. */
    private static boolean isMuchLess(VariableRules.Rule rule, String name, String here, String there) {
        return switch (rule) {
            case NOT_LESS -> number(here) < MUCH_LESS * number(there) && !name.equals("innodb_buffer_pool_size");
            case NOT_LESS_ZERO_IS_MOST -> zeroAsMost(here) < MUCH_LESS * zeroAsMost(there);
            default -> false;
        };
    }

    private static boolean isOn(String value) {
        return ServerQueries.isOn(value) && !value.equalsIgnoreCase("DISABLED") && !value.equalsIgnoreCase("NO");
    }

    private static Set<String> words(String list) {
        return new TreeSet<>(List.of(list.split(",")));
    }

    private static double number(String text) {
        return text.matches("\\d+(\\.\\d+)?") ? Double.parseDouble(text) : -1;
    }

    private static double zeroAsMost(String text) {
        double value = number(text);
        return value == 0 ? Double.POSITIVE_INFINITY : value;
    }

    private static String threeAsOne(String value) {
        return value.equals("3") ? "1" : value;
    }
}
