package io.understudy.cli.check;

import io.understudy.config.ConfigException;
import io.understudy.config.LoadedConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.connection.NetworkTransport;
import io.understudy.connection.PortReuse;
import io.understudy.connection.SectionTls;
import io.understudy.option.ConfigFile;
import io.understudy.terminal.Subcommand;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Reports every error of a configuration before the proxy runs. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        description = "Check a configuration file: every problem at once, each with line and column.")
public final class CheckCommand implements Subcommand, Callable<Integer> {
    @Mixin
    private final ConfigFile file = new ConfigFile();

    @Option(names = "--connect", description = "Also check servers, accounts, privileges and server settings.")
    private boolean connect;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        Path path = file.path();
        PrintWriter out = java.util.Objects.requireNonNull(spec).commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        LoadedConfig loaded;
        try {
            loaded = file.load();
            SectionTls.ensureUsable(loaded, null);
        } catch (ConfigException e) {
            err.println(e.getMessage());
            return ExitCode.USAGE;
        }
        String unavailable = reusePortProblem(loaded.config());
        if (unavailable != null) {
            err.println(path + ": " + unavailable);
            return ExitCode.USAGE;
        }
        loaded.warnings().forEach(out::println);
        out.println(path + ": valid"
                + (loaded.warnings().isEmpty()
                        ? ""
                        : ", with " + loaded.warnings().size() + " warnings"));
        if (!connect) {
            return ExitCode.OK;
        }
        return ConnectionCheck.run(loaded, out) ? ExitCode.OK : ExitCode.USAGE;
    }

    private static @Nullable String reusePortProblem(UnderstudyConfig config) {
        if (!config.listen().reusePort()) {
            return null;
        }
        try {
            return PortReuse.problem(
                    NetworkTransport.resolve(config.transport()).kind());
        } catch (IllegalStateException unavailable) {
            return unavailable.getMessage();
        }
    }
}
