package io.understudy.cli.check;

import io.understudy.config.ConfigSchema;
import io.understudy.host.PluginTypes;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Subcommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Prints the JSON Schema of the configuration file, plugins included, for editors. */
@Command(
        name = "schema",
        mixinStandardHelpOptions = true,
        description = "Print the JSON Schema of the configuration file, for editors.")
public final class SchemaCommand extends CliCommand implements Subcommand {
    @Override
    protected int run(CommandLine line) {
        line.getOut().println(ConfigSchema.generate(PluginTypes.installed().records()));
        return CommandLine.ExitCode.OK;
    }
}
