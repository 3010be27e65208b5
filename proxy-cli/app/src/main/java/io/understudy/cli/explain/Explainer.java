package io.understudy.cli.explain;

import io.understudy.base.JsonWriter;
import io.understudy.config.LoadedConfig;
import io.understudy.host.PluginTypes;
import io.understudy.plugin.ExplainedStatement;
import io.understudy.plugin.PluginDecision.Line;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Explains statements by a configuration, with the proxy's own classes. Opens no connection. */
public final class Explainer {
    private final SqlAnalyzer analyzer = new SqlAnalyzer();
    private final PluginTypes plugins;
    private final LoadedConfig loaded;

    public Explainer(LoadedConfig loaded) {
        this(loaded, PluginTypes.installed());
    }

    Explainer(LoadedConfig loaded, PluginTypes plugins) {
        this.loaded = loaded;
        this.plugins = plugins;
        analyzer.setMaxLength(Math.max(
                SqlAnalyzer.DEFAULT_MAX_LENGTH,
                loaded.config().limits().statementBytes().toInt()));
    }

    /**
     * Returns what the proxy would do with a statement.
     *
     * @throws IllegalArgumentException if the client's address is malformed
     * @throws IllegalStateException if two plugins have the same key
     */
    public ExplainResult explain(ExplainRequest request) {
        byte[] text = request.sql().getBytes(StandardCharsets.UTF_8);
        StatementSummary summary = analyzer.summarize(text, 0, text.length, modes(request.dialect()));
        String normalized = analyzer.normalize(text, 0, text.length, 0);
        ExplainedStatement subject = new ExplainedStatement(
                request.user() == null ? "" : request.user(),
                request.schema(),
                address(request.client()),
                summary,
                request.sql(),
                normalized,
                analyzer.lookup(text, 0, text.length, modes(request.dialect())));
        List<String> reads = names(summary.reads());
        List<String> writes = names(summary.writes());
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("id", request.id());
        fields.put("kind", summary.kind().label());
        fields.put("reads", reads);
        fields.put("writes", writes);
        fields.put("digest", summary.digestHex());
        List<Line> lines = new ArrayList<>();
        lines.add(new Line("statement", normalized));
        lines.add(new Line("kind", summary.kind().label()));
        lines.add(new Line("digest", summary.digestHex()));
        lines.add(new Line("reads", reads.isEmpty() ? "-" : String.join(", ", reads)));
        lines.add(new Line("writes", writes.isEmpty() ? "-" : String.join(", ", writes)));
        Map<String, String> owners = new HashMap<>();
        fields.keySet().forEach(key -> owners.put(key, "the proxy"));
        plugins.explain(loaded, subject).forEach((id, decision) -> {
            decision.fields().keySet().forEach(key -> own(key, "plugin " + id, owners));
            fields.putAll(decision.fields());
            lines.addAll(decision.lines());
        });
        return new ExplainResult(fields, lines);
    }

    private static void own(String key, String owner, Map<String, String> owners) {
        String other = owners.putIfAbsent(key, owner);
        if (other != null) {
            throw new IllegalStateException(owner + " explains '" + key + "', and so does " + other
                    + ": remove one of them from the plugins folder, or give its key another name");
        }
    }

    private static List<String> names(List<TableName> tables) {
        return tables.stream().map(TableName::toString).toList();
    }

    private static @Nullable InetAddress address(@Nullable String client) {
        if (client == null) {
            return null;
        }
        if (!client.matches("[0-9.]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")) {
            throw new IllegalArgumentException("client: expected an IP address but found '" + client + "'");
        }
        try {
            return InetAddress.getByName(client);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("client: expected an IP address but found '" + client + "'", e);
        }
    }

    /** Without a dialect the functions of both products count as built in. */
    private static int modes(@Nullable String dialect) {
        if (dialect == null) {
            return SqlModes.NONE;
        }
        return switch (dialect.toLowerCase(Locale.ROOT)) {
            case "mariadb" -> SqlModes.MARIADB;
            case "mysql" -> SqlModes.MYSQL;
            default -> SqlModes.NONE;
        };
    }

    /**
     * The treatment of a statement.
     *
     * @param fields for programs, by keys that stay
     * @param lines for people
     */
    public record ExplainResult(Map<String, @Nullable Object> fields, List<Line> lines) {
        /** Returns one line of JSON. */
        public String json() {
            return JsonWriter.write(fields);
        }

        /** Returns text for people. */
        public String text() {
            StringBuilder out = new StringBuilder();
            lines.forEach(line -> out.append(String.format("%-10s %s%n", line.label(), line.text())));
            return out.toString().stripTrailing();
        }
    }
}
