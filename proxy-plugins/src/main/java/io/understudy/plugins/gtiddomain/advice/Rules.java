package io.understudy.plugins.gtiddomain.advice;

import java.util.Locale;
import java.util.regex.Pattern;

/** Writes rules for {@code plugins.gtid-domain.rules}, one line each. */
final class Rules {
    /** Names that mean themselves in a rule and in YAML. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_$]+(\\.[A-Za-z0-9_$]+)?");

    private Rules() {}

    /** Returns whether a rule can name the table or schema. */
    static boolean nameable(String name) {
        return PLAIN.matcher(name).matches();
    }

    static String twoPhase() {
        return "- { name: alters, match: { kind: ddl }, alter: two-phase }";
    }

    static String skip(String table) {
        return "- { name: hot-" + slug(table) + ", match: { table: " + table + " }, parallel: skip }";
    }

    static String schemaChanges(String table, long domain) {
        return "- { name: ddl-" + slug(table) + ", match: { kind: ddl, table: " + table + " }, domain: " + domain
                + " }";
    }

    static String table(String table, long domain) {
        return "- { name: apart-" + slug(table) + ", match: { table: " + table + " }, domain: " + domain + " }";
    }

    static String schema(String schema, long domain) {
        return "- { name: apart-" + slug(schema) + ", match: { table: \"" + schema + ".*\" }, domain: " + domain + " }";
    }

    private static String slug(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    }
}
