package io.understudy.cli.demo;

import io.understudy.demo.domains.SteeringDemo;
import io.understudy.terminal.Logging;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The experiments on steering how a replica applies. */
@Command(
        name = "steering",
        aliases = "domains",
        mixinStandardHelpOptions = true,
        description = {
            "Show on embedded servers a long ALTER untouched, in two phases and in a GTID domain of its own, a hot row"
                    + " with and without parallel apply, and what dependent work in two domains does to a replica"
                    + " without and with the guard.",
            "Ends with 0 only if two phases cut the lag by 5 times and the domain by 10, the hot row's retries fell to"
                    + " a tenth and its catch-up to 0.7, the replica broke without the guard, and was equal with it."
        })
public final class SteeringDemoCommand implements Callable<Integer> {
    @Option(
            names = "--rows",
            defaultValue = "400000",
            description = "Rows of the table that is altered (default: ${DEFAULT-VALUE}).")
    private int rows;

    @Option(
            names = "--hot",
            defaultValue = "6000",
            description = "Transactions of the load with a hot row (default: ${DEFAULT-VALUE}).")
    private int hot;

    @Option(
            names = "--transactions",
            defaultValue = "10000",
            description = "Conflicting transactions for each guard (default: ${DEFAULT-VALUE}).")
    private long transactions;

    @Option(names = "--seed", defaultValue = "1", description = "Of the random load (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        Logging.quiet();
        return new SteeringDemo(
                                rows,
                                hot,
                                transactions,
                                seed,
                                java.util.Objects.requireNonNull(spec)
                                        .commandLine()
                                        .getOut())
                        .run()
                ? CommandLine.ExitCode.OK
                : CommandLine.ExitCode.SOFTWARE;
    }
}
