package io.understudy.cli.capture;

import io.understudy.terminal.Subcommand;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Captures the clients' commands of a running proxy to files. */
@Command(
        name = "capture",
        mixinStandardHelpOptions = true,
        description = "Capture the clients' commands of a running proxy to files, or show what is in them.",
        subcommands = {CaptureStartCommand.class, CaptureStopCommand.class, CaptureShowCommand.class})
public final class CaptureCommand implements Subcommand, Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                Objects.requireNonNull(spec).commandLine(), "Missing what to do: start, stop or show");
    }
}
