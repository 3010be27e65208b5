package io.understudy.plugins.blackbox.outcome;

import io.understudy.base.Durations;
import java.time.Clock;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The view of {@code /api/outcomes}. Contains no SQL text and no rows. */
public final class OutcomesReport {
    private static final String CONNECTION = "connection";
    private static final String USER = "user";
    private static final String DIGEST = "digest";
    private static final String SINCE = "since";
    private static final String TOKEN = "token";

    public static final Set<String> PARAMETERS = Set.of(CONNECTION, USER, DIGEST, SINCE, TOKEN);

    /** Most outcomes, and most transactions, that are listed. */
    private static final int LISTED = 1_000;

    private final Outcomes outcomes;
    private final Outcomes named;
    private final PresentOutcomes present;
    private final LoggedTransactions.Source log;
    private final Clock clock;
    private final Instant began;

    /** @param named transactions with a token, open and ended, but for those with a lost statement */
    public OutcomesReport(
            Outcomes outcomes, Outcomes named, PresentOutcomes present, LoggedTransactions.Source log, Clock clock) {
        began = clock.instant();
        this.outcomes = outcomes;
        this.named = named;
        this.present = present;
        this.log = log;
        this.clock = clock;
    }

    /**
     * Returns the outcomes that the parameters ask for, the newest last; for a connection also what the log has of it.
     *
     * @throws IllegalArgumentException if a value is not valid
     */
    public Map<String, Object> of(Map<String, String> parameters) {
        long connection = number(parameters, CONNECTION, 10);
        Instant since = since(parameters.get(SINCE));
        String token = parameters.getOrDefault(TOKEN, "");
        Outcomes.Filter filter = new Outcomes.Filter(
                connection, parameters.get(USER), number(parameters, DIGEST, 16), since, parameters.get(TOKEN));
        List<OutcomeRecord> found = outcomes.find(filter);
        if (filter.token() != null) {
            found = Stream.concat(named.find(filter).stream(), found.stream()).toList();
        }
        found = present.of(found);
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("count", found.size());
        view.put(
                "outcomes",
                found.subList(Math.max(0, found.size() - LISTED), found.size()).stream()
                        .map(OutcomesReport::row)
                        .toList());
        boolean settled = found.stream().allMatch(OutcomeRecord::settled);
        LoggedTransactions logged = found.isEmpty() && !token.isEmpty() ? log.of(token) : null;
        if (logged == null && connection != 0) {
            logged = log.of(connection, since);
        }
        if (logged != null) {
            List<LoggedTransactions.Entry> all = logged.transactions();
            int more = Math.max(0, all.size() - LISTED);
            view.put(
                    "transactions",
                    all.subList(more, all.size()).stream()
                            .map(each -> Map.of(
                                    "gtid", each.gtid(),
                                    "server", each.serverName(),
                                    "when", each.when().toString()))
                            .toList());
            Instant whole = more > 0 ? all.get(more - 1).when() : logged.since();
            view.put("logSince", whole == null ? "" : whole.toString());
            String open = logged.open();
            if (open != null) {
                view.put("reason", open);
            }
            settled &= logged.settled();
        }
        view.put("knownSince", knownSince().toString());
        view.put("settled", settled);
        return view;
    }

    /** Returns since when none is forgotten that this process has seen. */
    private Instant knownSince() {
        Instant latest = began;
        for (Instant each : new @Nullable Instant[] {outcomes.forgotten(), named.forgotten()}) {
            latest = each != null && each.isAfter(latest) ? each : latest;
        }
        return latest;
    }

    private static Map<String, Object> row(OutcomeRecord each) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("when", each.when().toString());
        row.put(CONNECTION, each.thread());
        row.put("server", each.serverName());
        row.put("session", each.session());
        row.put(USER, each.user());
        row.put(DIGEST, each.digest() == 0 ? "" : HexFormat.of().toHexDigits(each.digest()));
        row.put("kind", each.kind());
        String token = each.token();
        row.put(TOKEN, token == null ? "" : token);
        row.put("outcome", each.verdict().label());
        row.put("gtid", each.gtid());
        row.put("reason", each.reason());
        row.put("settled", each.settled());
        row.put("told", each.told());
        return row;
    }

    private static long number(Map<String, String> parameters, String name, int radix) {
        String text = parameters.getOrDefault(name, "");
        try {
            return text.isEmpty() ? 0 : Long.parseUnsignedLong(text, radix);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    name + ": expected " + (radix == 16 ? "16 hexadecimal digits" : "a number") + ", found '" + text
                            + "'",
                    e);
        }
    }

    private @Nullable Instant since(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return null;
        } else if (text.matches(Durations.PATTERN)) {
            return clock.instant().minus(Durations.parse(text));
        }
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    SINCE + ": expected how long ago, such as 10m, or a time such as 2026-03-01T12:00:00Z, found '"
                            + text + "'",
                    e);
        }
    }
}
