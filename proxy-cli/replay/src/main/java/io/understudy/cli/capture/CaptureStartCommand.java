package io.understudy.cli.capture;

import io.understudy.base.Durations;
import io.understudy.option.AdminOptions;
import io.understudy.option.TimeConverter;
import io.understudy.terminal.CliCommand;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Starts a capture. */
@Command(
        name = "start",
        mixinStandardHelpOptions = true,
        description = "Start a capture in the running proxy, to the folder of plugins.capture.directory.")
final class CaptureStartCommand extends CliCommand {
    @Mixin
    private final AdminOptions options = new AdminOptions();

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description = "Stop by itself after that time, such as 10m.")
    private @Nullable Duration time;

    @Override
    protected int run(CommandLine line) throws Exception {
        String query = time == null ? "" : "?for=" + Durations.format(time);
        line.getOut().print(CaptureText.state(options.client(line).act("capture/start" + query)));
        line.getOut().flush();
        return CommandLine.ExitCode.OK;
    }
}
