package io.understudy.cli.demo;

import io.understudy.demo.Demo;
import io.understudy.demo.domains.SteeringDemo;
import io.understudy.demo.failover.FailoverDemo;
import io.understudy.demo.failover.WitnessDemo;
import io.understudy.demo.pages.PagesDemo;
import io.understudy.demo.replay.ReplayDemo;
import io.understudy.demo.semisync.SemiSyncExperiment;
import io.understudy.demo.warming.WarmingDemo;
import io.understudy.option.TimeConverter;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Logging;
import io.understudy.terminal.Subcommand;
import io.understudy.terminal.Terminal;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows all features together on embedded servers; each subcommand is one experiment. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = "Run a primary, a standby, the proxy and a sample application, and report what happened.")
public final class DemoCommand extends CliCommand implements Subcommand {
    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description = "How long, for example 60s; without it until Ctrl-C.")
    private @Nullable Duration length;

    @Option(
            names = "--rtt",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            defaultValue = "20ms",
            description = "Round trip between primary and standby (default: ${DEFAULT-VALUE}).")
    private @Nullable Duration rtt;

    @Option(names = "--port", defaultValue = "0", description = "Port of the proxy (default: a free one).")
    private int port;

    @Option(
            names = "--admin-port",
            defaultValue = "0",
            description = "Port of the admin endpoint (default: a free one).")
    private int adminPort;

    @Spec
    private @Nullable CommandSpec command;

    /** Builds an experiment, whose options it checks, for its output. */
    private interface Experiment {
        Callable<Boolean> with(PrintWriter out);
    }

    @Override
    protected int run(CommandLine line) throws Exception {
        Demo.Options options =
                new Demo.Options(length, Objects.requireNonNull(rtt), port, adminPort, Terminal.attached());
        return run(line, out -> new Demo(options, out)::run);
    }

    private static int run(CommandLine line, Experiment experiment) throws Exception {
        Logging.quiet();
        Callable<Boolean> work;
        try {
            work = experiment.with(line.getOut());
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(line, e.getMessage(), e);
        }
        return work.call() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private int run(String name, Experiment experiment) throws Exception {
        CommandLine line = Objects.requireNonNull(command).subcommands().get(name);
        return run(Objects.requireNonNull(line), experiment);
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }

    @Command(
            aliases = "domains",
            mixinStandardHelpOptions = true,
            description = {
                "Show on embedded servers a long ALTER untouched, in two phases and in a GTID domain of its own, a hot"
                        + " row with and without parallel apply, and what dependent work in two domains does to a"
                        + " replica without and with the guard.",
                "Ends with 0 only if two phases cut the lag by 5 times and the domain by 10, the hot row's retries fell"
                        + " to a tenth and its catch-up to 0.7, the replica broke without the guard, and was equal with"
                        + " it."
            })
    int steering(
            @Option(
                            names = "--rows",
                            defaultValue = "400000",
                            description = "Rows of the table that is altered (default: ${DEFAULT-VALUE}).")
                    int rows,
            @Option(
                            names = "--hot",
                            defaultValue = "6000",
                            description = "Transactions of the load with a hot row (default: ${DEFAULT-VALUE}).")
                    int hot,
            @Option(
                            names = "--transactions",
                            defaultValue = "10000",
                            description = "Conflicting transactions for each guard (default: ${DEFAULT-VALUE}).")
                    long transactions,
            @Option(
                            names = "--seed",
                            defaultValue = "1",
                            description = "Of the random load (default: ${DEFAULT-VALUE}).")
                    long seed)
            throws Exception {
        return run("steering", out -> new SteeringDemo(rows, hot, transactions, seed, out)::run);
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = {
                "Show on embedded servers what half-empty pages cost a standby: report, rebuild under load, report.",
                "Ends with 0 only if a quarter of the pages was saved, the lag stayed below 250 ms, nothing was logged"
                        + " and the tables are equal."
            })
    int pages(
            @Option(
                            names = "--rows",
                            defaultValue = "200000",
                            description = "Rows of the table (default: ${DEFAULT-VALUE}).")
                    int rows,
            @Option(
                            names = "--updates",
                            defaultValue = "500",
                            description = "Updates a second meanwhile (default: ${DEFAULT-VALUE}).")
                    int updates)
            throws Exception {
        return run("pages", out -> {
            require(rows >= 1 && updates >= 1, "--rows and --updates must be 1 or more");
            return new PagesDemo(rows, updates, out)::run;
        });
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = {
                "Show on embedded servers a planned change of the primary under load, then a primary that is killed"
                        + " while its standby is cut off: held time, errors, the list of lost transactions, the rescue,"
                        + " and the checksum after it. The replay needs the programs mariadb-binlog and mariadb.",
                "Ends with 0 only if the planned change lost nothing, the list was what was missing, and the rescue"
                        + " brought back all that was captured."
            })
    int failover(
            @Option(
                            names = "--sessions",
                            defaultValue = "8",
                            description = "Sessions that write (default: ${DEFAULT-VALUE}).")
                    int sessions,
            @Option(
                            names = "--transactions",
                            defaultValue = "1000",
                            description = "Transactions before each change of the primary (default: ${DEFAULT-VALUE}).")
                    int transactions)
            throws Exception {
        return run("failover", out -> {
            require(sessions >= 1 && transactions >= 1, "--sessions and --transactions must be 1 or more");
            return new FailoverDemo(sessions, transactions, out)::run;
        });
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = {
                "Capture the sample application, play it on a restarted standby, and compare servers that differ.",
                "Ends with 0 only if the replays had no errors and the comparison found the dropped index and the"
                        + " changed row, and nothing else."
            })
    int replay(
            @Option(
                            names = "--for",
                            paramLabel = "TIME",
                            converter = TimeConverter.class,
                            defaultValue = "60s",
                            description = "Length of the capture (default: ${DEFAULT-VALUE}).")
                    Duration capture)
            throws Exception {
        return run("replay", out -> new ReplayDemo(capture, out)::run);
    }

    @Command(
            name = "semi-sync",
            mixinStandardHelpOptions = true,
            description = "Measure what a commit costs without a replica, with an asynchronous and with a"
                    + " semi-synchronous one.")
    int semiSync(
            @Option(
                            names = "--rtt",
                            paramLabel = "TIME",
                            split = ",",
                            converter = TimeConverter.class,
                            defaultValue = "0ms,10ms,85ms",
                            description = "Round trips to the replica (default: ${DEFAULT-VALUE}).")
                    List<Duration> rtts,
            @Option(
                            names = "--for",
                            paramLabel = "TIME",
                            converter = TimeConverter.class,
                            defaultValue = "60s",
                            description = "Time for all measurements together (default: ${DEFAULT-VALUE}).")
                    Duration time)
            throws Exception {
        return run(
                "semi-sync",
                out -> new SemiSyncExperiment(new SemiSyncExperiment.Options(rtts, time), out)::runUntilSignal);
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = {
                "Show on embedded servers what mirroring does to a cold standby: restart, score, forecast, promotion.",
                "Ends with 0 only if the forecast came true, within 0.1 pages a statement or a quarter."
            })
    int warming(
            @Option(
                            names = "--pool",
                            paramLabel = "MIB",
                            defaultValue = "80",
                            description = "Buffer pool of each server in MiB; the table has four times as much"
                                    + " (default: ${DEFAULT-VALUE}).")
                    int pool,
            @Option(
                            names = "--seconds",
                            defaultValue = "120",
                            description =
                                    "Most time for warming the standby; it ends when the adaptive sample is as low"
                                            + " as it gets (default: ${DEFAULT-VALUE}).")
                    int seconds,
            @Option(
                            names = "--seed",
                            defaultValue = "1",
                            description = "Of the random load (default: ${DEFAULT-VALUE}).")
                    long seed)
            throws Exception {
        return run("warming", out -> {
            require(pool >= 8 && pool <= 10_000 && seconds >= 1, "--pool must be 8 to 10000, --seconds 1 or more");
            return new WarmingDemo(pool, seconds, seed, out)::run;
        });
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = {
                "Measure on embedded servers what a commit costs without semi-synchronous replication, with a distant"
                        + " standby alone and with the witness, from memory and from disk; then kill the primary while"
                        + " its standby is cut off, and fail over.",
                "Ends with 0 only if the failover lost nothing that a client was told, and a connection with the"
                        + " witness has 0.3 of the commits of one that waits for nobody."
            })
    int witness(
            @Option(
                            names = "--rtt",
                            paramLabel = "TIME",
                            converter = TimeConverter.class,
                            defaultValue = "85ms",
                            description = "Round trip between primary and standby (default: ${DEFAULT-VALUE}).")
                    Duration between,
            @Option(
                            names = "--for",
                            paramLabel = "TIME",
                            converter = TimeConverter.class,
                            defaultValue = "40s",
                            description = "Time for all measurements together (default: ${DEFAULT-VALUE}).")
                    Duration time)
            throws Exception {
        return run("witness", out -> {
            require(
                    between.compareTo(SemiSyncExperiment.LONGEST_RTT) <= 0,
                    "a round trip must be 0ms to " + SemiSyncExperiment.LONGEST_RTT.toSeconds() + "s");
            return new WitnessDemo(between, time, out)::run;
        });
    }
}
