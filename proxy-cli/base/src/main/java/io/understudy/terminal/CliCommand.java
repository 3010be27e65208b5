package io.understudy.terminal;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that writes to its command line, or reports errors of its options there. */
public abstract class CliCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public final Integer call() throws Exception {
        return run(Objects.requireNonNull(spec).commandLine());
    }

    /** Runs the command. Returns the program's exit code. */
    protected abstract int run(CommandLine line) throws Exception;
}
