package io.understudy.plugins.querylog.stream;

import io.understudy.base.Durations;
import io.understudy.sql.StatementSummary;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The statements that a reader requested. Immutable. */
final class ReaderFilter {
    private static final Pattern PERCENT = Pattern.compile("([0-9]{1,3}(?:\\.[0-9]{1,4})?) ?%");
    private static final double ALL = 100;

    private double percent = ALL;
    private long minNanos;
    private boolean readsOnly;
    private @Nullable String rule;
    private @Nullable String user;
    private @Nullable String schema;

    /** @throws IllegalArgumentException when a parameter is unknown or has no valid value */
    ReaderFilter(Map<String, String> parameters, Collection<String> rules) {
        parameters.forEach((name, value) -> {
            switch (name) {
                case "sample" -> percent = percent(value);
                case "min" -> minNanos = Durations.parse(value).toNanos();
                case "reads" -> readsOnly = only(value);
                case "user" -> user = value;
                case "schema" -> schema = value;
                case "rule" -> {
                    if (!rules.contains(value)) {
                        throw new IllegalArgumentException(
                                "rule: no rule '" + value + "' in plugins.query-log.rules; there are " + rules);
                    }
                    rule = value;
                }
                default ->
                    throw new IllegalArgumentException(
                            "unknown parameter '" + name + "'; there are sample, rule, user, schema, min and reads");
            }
        });
    }

    private static double percent(String text) {
        Matcher matcher = PERCENT.matcher(text.trim());
        double value = matcher.matches() ? Double.parseDouble(matcher.group(1)) : -1;
        if (value <= 0 || value > ALL) {
            throw new IllegalArgumentException(
                    "sample: expected a percentage above 0% and up to 100% but found '" + text + "'");
        }
        return value;
    }

    private static boolean only(String text) {
        if (!text.equals("only")) {
            throw new IllegalArgumentException("reads: expected 'only' but found '" + text + "'");
        }
        return true;
    }

    boolean takes(StatementEvent event) {
        StatementSummary summary = event.entry() == null ? null : event.entry().summary();
        return event.nanos() >= minNanos
                && (!readsOnly || summary != null && summary.pureRead())
                && (user == null || user.equals(event.session().user()))
                && (schema == null || schema.equalsIgnoreCase(event.schema()))
                && (rule == null || rule.equals(event.rule()))
                && (percent == ALL || ThreadLocalRandom.current().nextDouble(ALL) < percent);
    }

    /** Returns of how many statements one is taken, or 0 when that is no whole number. */
    int rateLimit() {
        double rate = ALL / percent;
        return Math.abs(rate - Math.rint(rate)) < 1e-9 ? (int) Math.rint(rate) : 0;
    }
}
