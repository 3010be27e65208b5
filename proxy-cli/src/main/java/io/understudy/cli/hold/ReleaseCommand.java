package io.understudy.cli.hold;

import io.understudy.base.JsonWriter;
import io.understudy.cli.AdminOptions;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Releases the sessions of a running proxy. */
@Command(name = "release", mixinStandardHelpOptions = true, description = "Release the sessions that 'hold' holds.")
public final class ReleaseCommand implements Callable<Integer> {
    @Mixin
    private final AdminOptions options = new AdminOptions();

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        line.getOut().println(JsonWriter.write(options.client(line).act("release")));
        return CommandLine.ExitCode.OK;
    }
}
