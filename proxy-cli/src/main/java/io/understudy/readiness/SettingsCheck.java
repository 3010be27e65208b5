package io.understudy.readiness;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Settings that differ from the primary's and change what the application gets after the promotion. */
final class SettingsCheck implements Check {
    private static final String NAME = "settings";

    /** Compares a value with the primary's. */
    private enum Rule {
        /** Any difference counts. */
        EQUAL,
        /** The order of the words does not. */
        WORDS,
        /** Only a lower number counts. */
        NOT_LESS,
        /** 1 is safest, 0 least; a less safe value counts. */
        AS_SAFE,
        /** The same, and 3 is as safe as 1: it only flushes more often (MariaDB). */
        AS_SAFE_WITH_3
    }

    private record Setting(String name, String otherName, Rule rule, boolean dynamic, String why) {
        Setting(String name, Rule rule, String why) {
            this(name, name, rule, true, why);
        }
    }

    private static final List<Setting> SETTINGS = List.of(
            new Setting("sql_mode", Rule.WORDS, "the same statement may be refused, or store other values"),
            new Setting(
                    "character_set_server",
                    Rule.EQUAL,
                    "new schemas, and clients that leave the choice to the server, get another character set"),
            new Setting("collation_server", Rule.EQUAL, "texts of new schemas compare and sort differently"),
            new Setting("time_zone", Rule.EQUAL, "NOW() and TIMESTAMP columns show another time"),
            new Setting(
                    "transaction_isolation", "tx_isolation", Rule.EQUAL, true, "transactions see and lock other rows"),
            new Setting(
                    "max_connections", Rule.NOT_LESS, "the application's connections may not find room: error 1040"),
            new Setting("max_allowed_packet", Rule.NOT_LESS, "large statements and rows are refused: error 1153"),
            new Setting(
                    "innodb_buffer_pool_size", Rule.NOT_LESS, "the working set may not fit, so reads go to the disk"),
            new Setting("sync_binlog", Rule.AS_SAFE, "a crash loses commits, or leaves standbys with more than it has"),
            new Setting("innodb_flush_log_at_trx_commit", Rule.AS_SAFE_WITH_3, "a crash loses commits"),
            new Setting("binlog_format", Rule.EQUAL, "its standbys and the readers of its binary log get other events"),
            new Setting("require_secure_transport", Rule.EQUAL, "clients without TLS are refused, or are no longer"),
            new Setting(
                    "lower_case_table_names",
                    "lower_case_table_names",
                    Rule.EQUAL,
                    false,
                    "names of tables are matched differently: statements fail or find other tables"));

    @Override
    public List<Finding> findings(Situation situation) {
        ServerFacts standby = situation.now().standby();
        ServerFacts primary = situation.now().primary();
        if (!standby.responded()) {
            return List.of();
        }
        List<Finding> findings = new ArrayList<>();
        binaryLog(standby, findings);
        if (primary.responded()) {
            version(standby, primary, findings);
            for (Setting setting : SETTINGS) {
                compare(setting, standby, primary, findings);
            }
            systemTimeZone(standby, primary, findings);
        }
        return findings;
    }

    private static void binaryLog(ServerFacts standby, List<Finding> findings) {
        if (!ServerFacts.isOn(standby.variable("log_bin"))) {
            findings.add(Finding.warns(
                    NAME,
                    "log_bin",
                    "the standby writes no binary log",
                    "nothing can replicate from it after the promotion, nor be restored to a point in time; what was"
                            + " written on it alone is not known either",
                    "in the standby's option file: log_bin; then restart it"));
            return;
        }
        boolean mariaDb = standby.isMariaDb();
        if (!ServerFacts.isOn(standby.variable("log_replica_updates", "log_slave_updates"))) {
            String option = mariaDb ? "log_slave_updates" : "log_replica_updates";
            findings.add(Finding.warns(
                    NAME,
                    "log_slave_updates",
                    option + " is off on the standby",
                    "its binary log lacks all that it replicated: other standbys that are behind cannot continue from"
                            + " it",
                    "in the standby's option file: " + option + " = 1; then restart it"));
        }
    }

    private static void version(ServerFacts standby, ServerFacts primary, List<Finding> findings) {
        String here = standby.variable("version");
        String there = primary.variable("version");
        if (standby.isMariaDb() != primary.isMariaDb() || !series(here).equals(series(there))) {
            findings.add(Finding.warns(
                    NAME,
                    "version",
                    "the standby has version " + here + ", the primary " + there,
                    "statements may be refused, run differently or be planned differently; an older server cannot"
                            + " replicate back",
                    "bring both to the same version, the standby first"));
        }
    }

    /** Returns the first two numbers of a version. */
    private static String series(String version) {
        return version.replaceAll("^(\\d+\\.\\d+).*", "$1");
    }

    private static void compare(Setting setting, ServerFacts standby, ServerFacts primary, List<Finding> findings) {
        String here = value(setting, standby);
        String there = value(setting, primary);
        if (here.equals(there) || isAsGood(setting.rule(), here, there)) {
            return;
        }
        String name = standby.variable(setting.name()).isEmpty() ? setting.otherName() : setting.name();
        String value = there.matches("-?\\d+") ? there : "'" + there.replace("'", "''") + "'";
        findings.add(Finding.warns(
                NAME,
                setting.name(),
                name + " is '" + here + "' on the standby and '" + there + "' on the primary",
                setting.why(),
                setting.dynamic()
                        ? "on the standby: SET GLOBAL " + name + " = " + value + "; in its option file, too"
                        : "in the standby's option file: " + name + " = " + there + "; then restart it"));
    }

    /**
     * Returns a setting as it takes effect. MariaDB 12.3's binary log in InnoDB is as safe as InnoDB's own log:
     * {@code sync_binlog} has no effect there, {@code innodb_flush_log_at_trx_commit} is a setting of its own.
     */
    private static String value(Setting setting, ServerFacts server) {
        boolean inEngine = !server.variable("binlog_storage_engine").isEmpty();
        return inEngine && setting.name().equals("sync_binlog")
                ? "1"
                : server.variable(setting.name(), setting.otherName());
    }

    private static boolean isAsGood(Rule rule, String here, String there) {
        return switch (rule) {
            case EQUAL -> false;
            case WORDS -> words(here).equals(words(there));
            case NOT_LESS -> number(here) >= number(there);
            case AS_SAFE -> danger(here) <= danger(there);
            case AS_SAFE_WITH_3 -> danger(threeAsOne(here)) <= danger(threeAsOne(there));
        };
    }

    private static Set<String> words(String list) {
        return new TreeSet<>(List.of(list.split(",")));
    }

    private static double number(String text) {
        return text.matches("\\d+") ? Double.parseDouble(text) : -1;
    }

    /** Returns a number that is higher where a crash loses more; 0 means that nothing is ever flushed on purpose. */
    private static double danger(String text) {
        double value = number(text);
        return value == 0 ? Double.MAX_VALUE : value;
    }

    private static String threeAsOne(String value) {
        return value.equals("3") ? "1" : value;
    }

    private static void systemTimeZone(ServerFacts standby, ServerFacts primary, List<Finding> findings) {
        boolean used = standby.variable("time_zone").equals("SYSTEM")
                || primary.variable("time_zone").equals("SYSTEM");
        String here = standby.variable("system_time_zone");
        String there = primary.variable("system_time_zone");
        if (used && !here.equals(there)) {
            findings.add(Finding.warns(
                    NAME,
                    "system_time_zone",
                    "system_time_zone is '" + here + "' on the standby and '" + there + "' on the primary",
                    "NOW() and TIMESTAMP columns show another time",
                    "set the machine's time zone and restart the server, or name a time_zone on both: SET GLOBAL"
                            + " time_zone = '+00:00'"));
        }
    }
}
