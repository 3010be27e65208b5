package io.understudy.cli.demo;

import io.understudy.demo.domains.DialsDemo;
import io.understudy.terminal.Logging;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The experiment on group commit and parallel apply. */
@Command(
        name = "dials",
        mixinStandardHelpOptions = true,
        description = {
            "Turn binlog_commit_wait_count, binlog_commit_wait_usec and slave_parallel_threads on embedded servers:"
                    + " commit latency, transactions per commit group, the replica's catch-up, and the speed-up beside"
                    + " the simulated one, after a log of its own has calibrated the simulation.",
            "On the replica each row waits 2 ms, as for a page from a disk. Its times are the best of three. Ends with"
                    + " 0 only if the wait made larger groups, and eight workers applied those in half the time."
        })
public final class DialsDemoCommand implements Callable<Integer> {
    @Option(
            names = "--transactions",
            defaultValue = "800",
            description = "Transactions for each setting (default: ${DEFAULT-VALUE}).")
    private int transactions;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        Logging.quiet();
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        if (transactions < 100) {
            throw new CommandLine.ParameterException(line, "--transactions must be 100 or more");
        }
        return new DialsDemo(transactions, line.getOut()).run()
                ? CommandLine.ExitCode.OK
                : CommandLine.ExitCode.SOFTWARE;
    }
}
