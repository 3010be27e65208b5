package io.understudy.cli.demo;

import io.understudy.demo.replay.ReplayDemo;
import io.understudy.option.TimeConverter;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Logging;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Capture, replay and comparison. */
@Command(
        name = "replay",
        mixinStandardHelpOptions = true,
        description = {
            "Capture the sample application, play it on a restarted standby, and compare servers that differ.",
            "Ends with 0 only if the replays had no errors and the comparison found the dropped index and the changed"
                    + " row, and nothing else."
        })
public final class ReplayDemoCommand extends CliCommand {
    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            defaultValue = "60s",
            description = "Length of the capture (default: ${DEFAULT-VALUE}).")
    private @Nullable Duration length;

    @Override
    protected int run(CommandLine line) throws Exception {
        Logging.quiet();
        return new ReplayDemo(Objects.requireNonNull(length), line.getOut()).run()
                ? CommandLine.ExitCode.OK
                : CommandLine.ExitCode.SOFTWARE;
    }
}
