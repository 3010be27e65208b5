package io.understudy.cli;

import io.understudy.cli.capture.CaptureCommand;
import io.understudy.cli.check.CheckCommand;
import io.understudy.cli.check.SchemaCommand;
import io.understudy.cli.compare.CompareCommand;
import io.understudy.cli.defragment.DefragmentCommand;
import io.understudy.cli.demo.DemoCommand;
import io.understudy.cli.explain.ExplainCommand;
import io.understudy.cli.hold.HoldCommand;
import io.understudy.cli.hold.ReleaseCommand;
import io.understudy.cli.ready.ReadyCommand;
import io.understudy.cli.replay.ReplayCommand;
import io.understudy.cli.report.ReportCommand;
import io.understudy.cli.report.RescueCommand;
import io.understudy.cli.run.RunCommand;
import io.understudy.cli.slowlog.SlowLogCommand;
import io.understudy.cli.slowlog.TopCommand;
import io.understudy.cli.switchover.SwitchoverCommand;
import io.understudy.cli.terminal.Failures;
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
        subcommands = {
            RunCommand.class,
            CheckCommand.class,
            ExplainCommand.class,
            SchemaCommand.class,
            DemoCommand.class,
            ReadyCommand.class,
            ReportCommand.class,
            RescueCommand.class,
            DefragmentCommand.class,
            SlowLogCommand.class,
            TopCommand.class,
            CaptureCommand.class,
            ReplayCommand.class,
            CompareCommand.class,
            HoldCommand.class,
            ReleaseCommand.class,
            SwitchoverCommand.class,
            AutoComplete.GenerateCompletion.class
        })
public final class Understudy implements Runnable {
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

    static CommandLine commandLine() {
        Understudy program = new Understudy();
        CommandLine line = new CommandLine(program);
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
        throw new CommandLine.ParameterException(
                java.util.Objects.requireNonNull(spec).commandLine(),
                "Missing command: one of run, check, explain, schema, demo, ready, report, rescue, defragment, slowlog,"
                        + " top, capture, replay, compare, hold, release, switchover; -h tells about them");
    }
}
