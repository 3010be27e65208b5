package io.understudy.cli.capture;

import io.understudy.cli.AdminOptions;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Stops the capture. */
@Command(
        name = "stop",
        mixinStandardHelpOptions = true,
        description = "Stop the running proxy's capture; returns when everything is written.")
final class CaptureStopCommand implements Callable<Integer> {
    @Mixin
    private final AdminOptions options = new AdminOptions();

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        line.getOut().print(CaptureText.state(options.client(line).act("capture/stop")));
        line.getOut().flush();
        return CommandLine.ExitCode.OK;
    }
}
