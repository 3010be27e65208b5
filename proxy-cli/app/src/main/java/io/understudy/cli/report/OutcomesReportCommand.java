package io.understudy.cli.report;

import io.understudy.config.UnderstudyConfig;
import io.understudy.option.AdminOptions;
import io.understudy.remote.AdminClient;
import io.understudy.remote.OtherProxy;
import io.understudy.report.ReportText;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Says what became of statements whose responses never came, by the black boxes of all proxies. */
@Command(
        name = "outcomes",
        mixinStandardHelpOptions = true,
        description =
                "Say what became of statements that were in flight when their server or connection died: committed,"
                        + " not committed, or unknown and why (docs/outcomes.md).")
public final class OutcomesReportCommand extends PrintedReport {
    @Mixin
    private final AdminOptions proxy = new AdminOptions();

    @Option(
            names = "--connection",
            paramLabel = "N",
            description = "Only of this connection, as CONNECTION_ID() was. Also lists what the binary log has of it.")
    private @Nullable String connection;

    @Option(names = "--user", paramLabel = "NAME", description = "Only of this user.")
    private @Nullable String user;

    @Option(names = "--digest", paramLabel = "DIGEST", description = "Only of this digest.")
    private @Nullable String digest;

    @Option(
            names = "--since",
            paramLabel = "T",
            description = "Only since then: how long ago, such as 10m, or a time such as 2026-03-01T12:00:00Z.")
    private @Nullable String since;

    @Option(
            names = "--token",
            paramLabel = "NAME",
            description = "Only of the transaction that the client has given this name (/* understudy:txn=NAME */).")
    private @Nullable String token;

    public OutcomesReportCommand() {
        super(ReportText.OUTCOMES::of);
    }

    @Override
    int exitCode(Map<String, Object> report) {
        boolean unknown = rows(report, "outcomes").stream()
                .anyMatch(each -> each instanceof Map<?, ?> row && "unknown".equals(row.get("outcome")));
        return unknown || !rows(report, "notAsked").isEmpty() ? LostOptions.WARNS : super.exitCode(report);
    }

    private static List<?> rows(Map<String, Object> view, String key) {
        return view.get(key) instanceof List<?> list ? list : List.of();
    }

    @Override
    Map<String, Object> report(CommandLine line) throws Exception {
        UnderstudyConfig config = proxy.config(line);
        AdminClient client = proxy.client(config);
        Map<String, Object> all = client.view(query());
        List<Object> notAsked = new ArrayList<>();
        List<Object> outcomes = new ArrayList<>(rows(all, "outcomes"));
        for (OtherProxy each : proxy.peers(config)) {
            try {
                Map<String, Object> view = each.admin().view(query());
                outcomes.addAll(rows(view, "outcomes"));
                all.put("settled", Boolean.TRUE.equals(all.get("settled")) && Boolean.TRUE.equals(view.get("settled")));
                if (rows(all, "transactions").isEmpty() && view.containsKey("transactions")) {
                    all.put("transactions", view.get("transactions"));
                    all.put("logSince", view.get("logSince"));
                }
                if (view.containsKey("reason")) {
                    all.putIfAbsent("reason", view.get("reason"));
                }
                all.computeIfPresent("knownSince", (key, since) -> later(since, view.get(key)));
            } catch (IOException e) {
                notAsked.add(Map.of("proxy", each.name(), "why", String.valueOf(e.getMessage())));
            }
        }
        all.put("count", outcomes.size());
        all.put("outcomes", outcomes);
        all.put("notAsked", notAsked);
        return all;
    }

    /** Each knows what was asked of it: of all that is known since the last began to. */
    private static Object later(Object one, @Nullable Object other) {
        return other != null && Instant.parse(one.toString()).isBefore(Instant.parse(other.toString())) ? other : one;
    }

    private String query() {
        Map<String, @Nullable String> parameters = new LinkedHashMap<>();
        parameters.put("connection", connection);
        parameters.put("user", user);
        parameters.put("digest", digest);
        parameters.put("since", since);
        parameters.put("token", token);
        StringBuilder query = new StringBuilder("outcomes");
        parameters.forEach((name, value) -> {
            if (value != null) {
                query.append(query.indexOf("?") < 0 ? '?' : '&')
                        .append(name)
                        .append('=')
                        .append(URLEncoder.encode(value, StandardCharsets.UTF_8));
            }
        });
        return query.toString();
    }
}
