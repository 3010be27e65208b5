package io.understudy.cli.compare;

import io.understudy.base.JsonWriter;
import io.understudy.base.Secret;
import io.understudy.option.ServerLoginOptions;
import io.understudy.option.TimeConverter;
import io.understudy.replay.TargetWatch;
import io.understudy.replay.compare.CompareOptions;
import io.understudy.replay.compare.CompareReport;
import io.understudy.replay.compare.ComparedTarget;
import io.understudy.replay.compare.Comparison;
import io.understudy.replay.log.StatementLog;
import io.understudy.replay.option.LogFileOption;
import io.understudy.replay.option.LogFilterOptions;
import io.understudy.terminal.ProgressLine;
import io.understudy.terminal.SignalledStop;
import io.understudy.terminal.Subcommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Executes a log's reads on two servers and compares results and times. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description = "Execute the reads of a log on two servers in turns, in sessions that cannot write, and compare"
                + " errors, results and times by digest.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:alike, or B is faster",
            "1:failed, or stopped before the end",
            "2:wrong usage",
            "4:B is slower",
            "8:results or errors differ"
        })
public final class CompareCommand implements Subcommand, Callable<Integer> {
    private static final int MOST_EXECUTIONS = 1000;

    @Mixin
    private LogFileOption file = new LogFileOption();

    @Option(names = "--a", required = true, paramLabel = "HOST:PORT", description = "The server to compare with.")
    private String a = "";

    @Option(names = "--b", required = true, paramLabel = "HOST:PORT", description = "The server to judge.")
    private String b = "";

    @Mixin
    private ServerLoginOptions login = new ServerLoginOptions();

    @Option(names = "--b-user", paramLabel = "USER", description = "The account on B, unless it is the same.")
    private @Nullable String userB;

    @Option(names = "--b-password-file", paramLabel = "FILE", description = "A file with its password.")
    private @Nullable Path passwordFileB;

    @Mixin
    private LogFilterOptions choice = new LogFilterOptions();

    @Option(
            names = "--executions",
            paramLabel = "N",
            description = "Statements of a digest that are executed, up to 1000 (default: 200).")
    private int executions = CompareOptions.DEFAULT_EXECUTIONS;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description = "For one execution (default: 30s).")
    private Duration timeout = Duration.ofSeconds(30);

    @Option(names = "--html", paramLabel = "FILE", description = "Write the report there too, as a page.")
    private @Nullable Path html;

    @Option(names = "--json", description = "The report as JSON.")
    private boolean json;

    @Option(
            names = "--examples",
            description = "Show a statement with its values for each finding; without it, values appear nowhere.")
    private boolean examples;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        CompareOptions options = options();
        try (LogFileOption.Opened opened = file.opened(this::err);
                Comparison comparison = new Comparison(options);
                SignalledStop signalled = SignalledStop.begin(comparison::stop);
                TargetWatch watchA = watch("A", options.a(), comparison);
                TargetWatch watchB = watch("B", options.b(), comparison)) {
            StatementLog log = opened.log();
            if (!watchA.readOnly() || !watchB.readOnly()) {
                err("not read-only: " + (watchA.readOnly() ? "B" : watchB.readOnly() ? "A" : "A and B")
                        + "; reads are executed in sessions that cannot write");
            }
            try (ProgressLine progress = ProgressLine.begin(
                    errors(), second -> second + " s: " + comparison.executed() + " statements executed")) {
                comparison.run(log);
            }
            Map<String, Object> view = CompareReport.of(comparison, log.counts(), examples);
            PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
            out.print(json ? JsonWriter.write(view) + "\n" : CompareText.of(view));
            out.flush();
            Path page = html;
            if (page != null) {
                Files.writeString(page, CompareHtml.of(view));
            }
            if (comparison.stopped() != null) {
                err("stopped: " + comparison.stopped());
            }
            int code = CompareReport.exitCode(comparison);
            if (code == CompareReport.ALIKE && !CompareReport.isComparison(comparison)) {
                err("nothing was compared: "
                        + (comparison.executed() == 0
                                ? "the log has no read that was chosen and could be executed; see leftOut"
                                : "no statement succeeded on both servers; see --json for errors and timeouts of each,"
                                        + " and what the accounts may read"));
                return CommandLine.ExitCode.SOFTWARE;
            }
            return code == CompareReport.ALIKE && comparison.stopped() != null ? CommandLine.ExitCode.SOFTWARE : code;
        }
    }

    private TargetWatch watch(String name, ComparedTarget target, Comparison comparison) throws IOException {
        try {
            return TargetWatch.start(
                    target.address(),
                    target.user(),
                    target.password(),
                    target.tls(),
                    reason -> comparison.stop(name + ": " + reason));
        } catch (SQLException e) {
            throw new IOException(name + ", " + target.address() + ": " + e.getMessage(), e);
        }
    }

    private CompareOptions options() throws IOException {
        if (executions < 1 || executions > MOST_EXECUTIONS) {
            throw wrong("--executions: expected 1 to " + MOST_EXECUTIONS + " but found " + executions);
        }
        if (timeout.toMillis() < 1) {
            throw wrong("--timeout: expected at least 1ms");
        }
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        Secret password = login.password();
        ComparedTarget first =
                new ComparedTarget(ServerLoginOptions.address("--a", a, line), login.user(), password, login.tls(line));
        ComparedTarget second = new ComparedTarget(
                ServerLoginOptions.address("--b", b, line),
                userB == null ? login.user() : userB,
                passwordFileB == null ? password : ServerLoginOptions.password(passwordFileB),
                login.tls(line));
        return new CompareOptions(first, second, choice.filter(true, line), executions, timeout);
    }

    private CommandLine.ParameterException wrong(String why) {
        return new CommandLine.ParameterException(Objects.requireNonNull(spec).commandLine(), why);
    }

    private PrintWriter errors() {
        return Objects.requireNonNull(spec).commandLine().getErr();
    }

    private void err(String line) {
        errors().println("understudy: " + line);
    }
}
