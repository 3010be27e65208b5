package io.understudy.rules;

import io.understudy.sql.NotPure;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides by a statement's text whether it may be executed on a standby: the first of the four layers that keep a
 * standby unwritten.
 */
public final class ReadFitness {
    private static final Set<String> SYSTEM = Set.of("information_schema", "performance_schema", "mysql", "sys");

    private ReadFitness() {}

    /**
     * Returns the reason in a statement's text not to mirror it, or null if there is none.
     *
     * @param functions stored functions that only read
     * @param schema default schema, or null
     * @param match of the rule that the statement matches, or null for none
     */
    public static @Nullable String unfit(
            @Nullable StatementSummary summary, Set<String> functions, @Nullable String schema, @Nullable Match match) {
        if (summary == null) {
            return "too_long";
        }
        if (!summary.pureRead()
                && !summary.pureReadAllowing(functions)
                && !summary.pureReadWithOwnSettings(functions)) {
            NotPure reason = summary.reason();
            return reason == null ? "unparsed" : reason.label();
        }
        if (summary.userVariables()) {
            return "user_variable";
        }
        return ofServer(summary, schema, match);
    }

    /**
     * Returns the reason not to mirror a read of the server's own state, {@code SHOW}, {@code information_schema} and
     * the like, or null if it is none: such reads warm no page of the application's data and some are expensive, so
     * they are mirrored only by a rule that names them.
     *
     * @param schema default schema, or null
     * @param match of the rule, or null for none
     */
    private static @Nullable String ofServer(StatementSummary summary, @Nullable String schema, @Nullable Match match) {
        StatementKind kind = summary.kind();
        if (kind == StatementKind.SHOW || kind == StatementKind.DESCRIBE || kind == StatementKind.HELP) {
            return match != null && namesKind(match, kind) ? null : "show";
        }
        List<TableName> reads = summary.reads();
        for (int i = 0; i < reads.size(); i++) {
            String of = reads.get(i).schema();
            String in = of == null ? schema : of;
            if (in != null && isSystem(in) && (match == null || !namesSchema(match, in))) {
                return "system_schema";
            }
        }
        return null;
    }

    /** Returns whether all that the schema has is made by the server, so that no user has a view in it. */
    public static boolean isVirtual(String schema) {
        return schema.length() == 18
                && (schema.equalsIgnoreCase("information_schema") || schema.equalsIgnoreCase("performance_schema"));
    }

    private static boolean isSystem(String schema) {
        return switch (schema.length()) {
            // The length alone excludes most other names.
            case 3, 5, 18 -> SYSTEM.contains(schema.toLowerCase(Locale.ROOT));
            default -> false;
        };
    }

    private static boolean namesKind(Match match, StatementKind kind) {
        return match.kind().stream()
                .anyMatch(term -> !term.negated() && term.label().equals(kind.label()));
    }

    /** Returns whether the rule gives the schema by its name: a glob that happens to cover it does not count. */
    private static boolean namesSchema(Match match, String schema) {
        return match.schema().stream()
                        .anyMatch(term -> !term.negated() && term.toString().equalsIgnoreCase(schema))
                || match.table().stream()
                        .filter(term -> !term.negated())
                        .map(term -> term.toString().toLowerCase(Locale.ROOT))
                        .anyMatch(term -> term.startsWith(schema.toLowerCase(Locale.ROOT) + "."));
    }
}
