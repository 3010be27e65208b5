package io.understudy.cli.report;

import io.understudy.option.ConfigFile;
import io.understudy.option.TimeConverter;
import io.understudy.option.TrustOption;
import io.understudy.pages.PagesQuery;
import io.understudy.remote.AdminClient;
import io.understudy.report.ReportText;
import io.understudy.terminal.Logging;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the contents of a standby's buffer pool, and the pages that rebuilding a table would free. */
@Command(
        name = "pages",
        mixinStandardHelpOptions = true,
        description = {
            "Say what fills a standby's buffer pool by table and index: pages, rows a page, fill, and what a rebuild"
                    + " would free.",
            "Reads INFORMATION_SCHEMA.INNODB_BUFFER_PAGE once, which keeps one thread of the standby busy for a"
                    + " while (docs/pages.md)."
        })
public final class PagesReportCommand extends PrintedReport {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "The configuration file: asks the standby with the account of its section pages.")
    private @Nullable Path file;

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            description = "A running proxy's admin endpoint: asks by way of it.")
    private @Nullable String admin;

    @Mixin
    private final TrustOption trust = new TrustOption();

    @Option(names = "--server", required = true, paramLabel = "NAME", description = "The standby.")
    private @Nullable String server;

    @Option(names = "--schema", paramLabel = "NAME", description = "Only tables of this schema; not with --admin.")
    private @Nullable String schema;

    @Option(
            names = "--top",
            paramLabel = "N",
            defaultValue = "20",
            description = "How many tables to list; not with --admin (default: ${DEFAULT-VALUE}).")
    private int top;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            defaultValue = "60s",
            description = "After which the standby gives up reading; not with --admin (default: ${DEFAULT-VALUE}).")
    private @Nullable Duration timeout;

    @Option(names = "--force", description = "Read a buffer pool above pages.poolLimit too; not with --admin.")
    private boolean force;

    public PagesReportCommand() {
        super(ReportText.PAGES::of);
    }

    @Override
    Map<String, Object> report(CommandLine line) throws Exception {
        if (admin != null) {
            refuseWithAdmin(line);
            return new AdminClient(admin, null, trust.trust(null)).view("standbys/" + server + "/pages");
        }
        if (file != null) {
            Logging.quiet();
            return query(line, file);
        }
        throw new CommandLine.ParameterException(line, "Missing where to ask: give -c FILE or --admin HOST:PORT");
    }

    /** The proxy reads with its own limits. Silence would let a report on all schemas pass for one on a single one. */
    private static void refuseWithAdmin(CommandLine line) {
        for (String option : List.of("--config", "--schema", "--top", "--timeout", "--force")) {
            if (line.getParseResult().hasMatchedOption(option)) {
                throw new CommandLine.ParameterException(line, option + " does not go with --admin");
            }
        }
    }

    private Map<String, Object> query(CommandLine line, Path config) throws Exception {
        if (top < 1) {
            throw new CommandLine.ParameterException(line, "--top must be 1 or more");
        }
        Duration most = Objects.requireNonNull(timeout);
        // The server takes 0 for no limit.
        if (most.toMillis() < 1) {
            throw new CommandLine.ParameterException(line, "--timeout must be 1ms or more");
        }
        PagesQuery query;
        try {
            query = PagesQuery.of(ConfigFile.load(config).config(), Objects.requireNonNull(server));
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(line, e.getMessage(), e);
        }
        return query.warning(line.getErr()::println).report(schema, top, force, most);
    }
}
