package io.understudy.cli.slowlog;

import io.understudy.option.AdminOptions;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Subcommand;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes the live slow-log stream of a running proxy to standard output, for a person or a pipe. */
@Command(
        name = "slowlog",
        mixinStandardHelpOptions = true,
        description = "Show the statements that a running proxy executes, live, as a slow log.")
public final class SlowLogCommand extends CliCommand implements Subcommand {
    private static final int BUFFER = 64 * 1024;

    @Mixin
    private final AdminOptions options = new AdminOptions();

    @Option(names = "--rule", paramLabel = "RULE", description = "Only those of a rule of plugins.query-log.rules.")
    private @Nullable String rule;

    @Option(names = "--user", paramLabel = "USER", description = "Only those of that user.")
    private @Nullable String user;

    @Option(names = "--schema", paramLabel = "SCHEMA", description = "Only those with that default schema.")
    private @Nullable String schema;

    @Option(names = "--min", paramLabel = "TIME", description = "Only those that took at least as long, such as 10ms.")
    private @Nullable String min;

    @Option(names = "--sample", paramLabel = "SHARE", description = "A random share of them, such as 10%%.")
    private @Nullable String sample;

    @Option(names = "--reads-only", description = "Only pure reads, by the mirror's analysis.")
    private boolean readsOnly;

    @Override
    protected int run(CommandLine line) throws Exception {
        PrintStream out = System.out;
        try (InputStream in = options.client(line).stream("slowlog" + query())) {
            byte[] buffer = new byte[BUFFER];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                out.write(buffer, 0, n);
                out.flush();
                if (out.checkError()) {
                    return CommandLine.ExitCode.OK; // whoever read the pipe has had enough
                }
            }
        } catch (IOException e) {
            if (e.getMessage() != null && e.getMessage().contains("chunked")) {
                throw new IOException("the stream broke off; has the proxy ended?", e);
            }
            throw e;
        }
        return CommandLine.ExitCode.OK;
    }

    private String query() {
        StringJoiner query = new StringJoiner("&", "?", "").setEmptyValue("");
        add(query, "rule", rule);
        add(query, "user", user);
        add(query, "schema", schema);
        add(query, "min", min);
        add(query, "sample", sample);
        add(query, "reads", readsOnly ? "only" : null);
        return query.toString();
    }

    private static void add(StringJoiner query, String name, @Nullable String value) {
        if (value != null) {
            query.add(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8));
        }
    }
}
