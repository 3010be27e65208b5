package io.understudy.cli.hold;

import io.understudy.base.JsonWriter;
import io.understudy.option.AdminOptions;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Subcommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Releases the sessions of a running proxy. */
@Command(name = "release", mixinStandardHelpOptions = true, description = "Release the sessions that 'hold' holds.")
public final class ReleaseCommand extends CliCommand implements Subcommand {
    @Mixin
    private final AdminOptions options = new AdminOptions();

    @Override
    protected int run(CommandLine line) throws Exception {
        line.getOut().println(JsonWriter.write(options.client(line).act("release")));
        return CommandLine.ExitCode.OK;
    }
}
