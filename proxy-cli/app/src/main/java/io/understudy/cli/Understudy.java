package io.understudy.cli;

import io.understudy.terminal.Failures;
import io.understudy.terminal.ReportSubcommand;
import io.understudy.terminal.Subcommand;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The program. Exit codes: 0 done, 1 failed at run time, 2 wrong usage or configuration. */
@Command(
        name = "understudy",
        description = "A transparent MySQL and MariaDB proxy that keeps the standby rehearsed.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        subcommands = {AutoComplete.GenerateCompletion.class, CommandLine.HelpCommand.class})
public final class Understudy implements Runnable {
    /** The order of the help: as a user needs the commands. What is not named here comes last. */
    private static final List<String> ORDER = List.of(
            "run",
            "check",
            "explain",
            "schema",
            "demo",
            "ready",
            "report",
            "rescue",
            "defragment",
            "slowlog",
            "top",
            "capture",
            "replay",
            "compare",
            "hold",
            "release",
            "switchover");

    private static final String LEAK_DETECTION = "io.netty.leakDetection.level";

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "Show the stack trace of an error.")
    private boolean verbose;

    @CommandLine.Spec
    private @Nullable CommandSpec spec;

    public static void main(String[] args) {
        // By default Netty tracks one buffer in 128 with a stack trace, which costs about 2 per cent of the relay's
        // CPU. The tests track every buffer; set the property to look for a leak.
        if (System.getProperty(LEAK_DETECTION) == null) {
            System.setProperty(LEAK_DETECTION, "disabled");
        }
        System.exit(commandLine().execute(args));
    }

    /** Returns the program with all commands that the class path has. */
    public static CommandLine commandLine() {
        Understudy program = new Understudy();
        CommandLine line = new CommandLine(program);
        Map<String, Object> found =
                new TreeMap<>(Comparator.comparingInt(Understudy::place).thenComparing(name -> name));
        for (Subcommand command : ServiceLoader.load(Subcommand.class)) {
            found.put(new CommandLine(command).getCommandName(), command);
        }
        found.forEach(line::addSubcommand);
        CommandLine reports = line.getSubcommands().get("report");
        for (ReportSubcommand report : ServiceLoader.load(ReportSubcommand.class)) {
            Objects.requireNonNull(reports).addSubcommand(report);
        }
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            command.getErr().println("understudy: " + Failures.sentence(failure));
            if (program.verbose) {
                failure.printStackTrace(command.getErr());
            }
            return failure instanceof io.understudy.config.ConfigException
                    ? CommandLine.ExitCode.USAGE
                    : CommandLine.ExitCode.SOFTWARE;
        });
        return line;
    }

    @Override
    public void run() {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        throw new CommandLine.ParameterException(
                line,
                "Missing command: one of "
                        + String.join(", ", line.getSubcommands().keySet()) + "; -h tells about them");
    }

    private static int place(String command) {
        int place = ORDER.indexOf(command);
        return place < 0 ? ORDER.size() : place;
    }
}
