package io.understudy.cli.explain;

import io.understudy.config.LoadedConfig;
import io.understudy.plugins.gtiddomain.DomainExplanation;
import io.understudy.plugins.gtiddomain.GtidDomainConfig;
import io.understudy.plugins.gtiddomain.steering.Lever;
import io.understudy.plugins.gtiddomain.steering.SteeringExplanation;
import io.understudy.plugins.mirror.MirrorConfig;
import io.understudy.plugins.mirror.MirrorExplanation;
import io.understudy.rules.ExplainedStatement;
import io.understudy.sql.Lookup;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Explains statements by a configuration, with the proxy's own classes. Opens no connection. */
public final class Explainer {
    private final SqlAnalyzer analyzer = new SqlAnalyzer();
    private final @Nullable MirrorConfig mirror;
    private final @Nullable GtidDomainConfig domains;

    public Explainer(LoadedConfig loaded) {
        analyzer.setMaxLength(Math.max(
                SqlAnalyzer.DEFAULT_MAX_LENGTH,
                loaded.config().limits().statementBytes().toInt()));
        mirror = loaded.plugins().get("mirror") instanceof MirrorConfig config ? config : null;
        domains = loaded.plugins().get("gtid-domain") instanceof GtidDomainConfig config ? config : null;
    }

    /**
     * Returns what the proxy would do with a statement.
     *
     * @throws IllegalArgumentException if the client's address is malformed
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
                normalized);
        Lookup lookup = analyzer.lookup(text, 0, text.length, modes(request.dialect()));
        MirrorExplanation mirrored = mirror == null
                ? new MirrorExplanation(false, "plugin_off", null, null, List.of(), false)
                : MirrorExplanation.of(mirror, subject, lookup);
        DomainExplanation tagged =
                domains == null || !domains.usesDomains() ? null : DomainExplanation.of(domains, subject);
        return new ExplainResult(
                request.id(),
                mirrored.mirrored(),
                mirrored.reason(),
                mirrored.rule(),
                mirrored.sample(),
                mirrored.lookup() && lookup != null ? new String(lookup.text(), StandardCharsets.UTF_8) : null,
                summary.kind().label(),
                names(summary.reads()),
                names(summary.writes()),
                tagged == null ? null : tagged.domain(),
                tagged == null ? null : tagged.rule(),
                actions(subject),
                summary.digestHex(),
                normalized,
                mirrored.verdicts());
    }

    private List<SteeringExplanation> actions(ExplainedStatement subject) {
        GtidDomainConfig config = domains;
        if (config == null) {
            return List.of();
        }
        return Arrays.stream(Lever.values())
                .filter(lever -> !config.leverRules(lever).isEmpty())
                .map(lever -> SteeringExplanation.of(lever, config.leverRules(lever), subject))
                .toList();
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
}
