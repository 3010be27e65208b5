package io.understudy.cli.explain;

import io.understudy.config.LoadedConfig;
import io.understudy.option.ConfigFile;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Subcommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows which rules match a statement, and why. */
@Command(
        name = "explain",
        mixinStandardHelpOptions = true,
        description =
                "Say which rules would match a statement and why: mirrored or not, its domain, tables and digest.")
public final class ExplainCommand extends CliCommand implements Subcommand {
    @Mixin
    private final ConfigFile file = new ConfigFile();

    @Option(names = "--sql", paramLabel = "SQL", description = "The statement.")
    private @Nullable String sql;

    @Option(names = "--user", paramLabel = "U", description = "The session's user.")
    private @Nullable String user;

    @Option(names = "--schema", paramLabel = "S", description = "The session's default schema.")
    private @Nullable String schema;

    @Option(names = "--client", paramLabel = "IP", description = "The client's address.")
    private @Nullable String client;

    @Option(
            names = "--dialect",
            paramLabel = "PRODUCT",
            description = "mariadb or mysql: whose functions are built in; without it those of both.")
    private @Nullable String dialect;

    @Option(names = "--json", description = "Print one line of JSON for each statement.")
    private boolean json;

    @Option(
            names = "--from",
            paramLabel = "FILE",
            description =
                    "Explain many: lines of JSON {\"id\",\"sql\",\"user\",\"schema\",\"client\",\"dialect\"}; - for"
                            + " standard input.")
    private @Nullable String from;

    @Override
    protected int run(CommandLine line) throws Exception {
        if ((sql == null) == (from == null)) {
            throw new CommandLine.ParameterException(line, "Give either --sql or --from");
        }
        LoadedConfig loaded = file.load();
        Explainer explainer = new Explainer(loaded);
        PrintWriter out = line.getOut();
        if (sql != null) {
            print(out, explainer, new ExplainRequest(null, sql, user, schema, client, dialect));
            return 0;
        }
        return many(line, explainer, java.util.Objects.requireNonNull(from));
    }

    private int many(CommandLine line, Explainer explainer, String source) throws IOException {
        int wrong = 0;
        int number = 0;
        try (BufferedReader reader = source.equals("-")
                ? new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
                : Files.newBufferedReader(Path.of(source))) {
            String text;
            while ((text = reader.readLine()) != null) {
                number++;
                if (text.isBlank()) {
                    continue;
                }
                try {
                    print(line.getOut(), explainer, ExplainRequest.request(text));
                } catch (IllegalArgumentException e) {
                    wrong++;
                    line.getErr().println("understudy: " + source + ":" + number + ": " + e.getMessage());
                }
            }
        }
        line.getOut().flush();
        return wrong == 0 ? 0 : CommandLine.ExitCode.SOFTWARE;
    }

    private void print(PrintWriter out, Explainer explainer, ExplainRequest request) {
        out.println(
                json
                        ? explainer.explain(request).json()
                        : explainer.explain(request).text());
    }
}
