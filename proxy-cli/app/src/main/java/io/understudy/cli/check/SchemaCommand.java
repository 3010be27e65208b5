package io.understudy.cli.check;

import io.understudy.config.ConfigSchema;
import io.understudy.host.PluginTypes;
import io.understudy.terminal.Subcommand;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints the JSON Schema of the configuration file, plugins included, for editors. */
@Command(
        name = "schema",
        mixinStandardHelpOptions = true,
        description = "Print the JSON Schema of the configuration file, for editors.")
public final class SchemaCommand implements Subcommand, Callable<Integer> {
    @Spec
    private @org.jspecify.annotations.Nullable CommandSpec spec;

    @Override
    public Integer call() {
        java.util.Objects.requireNonNull(spec)
                .commandLine()
                .getOut()
                .println(ConfigSchema.generate(PluginTypes.installed().records()));
        return 0;
    }
}
