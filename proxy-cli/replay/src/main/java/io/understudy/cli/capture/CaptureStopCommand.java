package io.understudy.cli.capture;

import io.understudy.option.AdminOptions;
import io.understudy.terminal.CliCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Stops the capture. */
@Command(
        name = "stop",
        mixinStandardHelpOptions = true,
        description = "Stop the running proxy's capture; returns when everything is written.")
final class CaptureStopCommand extends CliCommand {
    @Mixin
    private final AdminOptions options = new AdminOptions();

    @Override
    protected int run(CommandLine line) throws Exception {
        line.getOut().print(CaptureText.state(options.client(line).act("capture/stop")));
        line.getOut().flush();
        return CommandLine.ExitCode.OK;
    }
}
