package io.understudy.cli.failover;

import io.understudy.config.UnderstudyConfig;
import io.understudy.lost.DirectoryOption;
import io.understudy.option.ConfigFile;
import io.understudy.option.TimeConverter;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Logging;
import io.understudy.terminal.Subcommand;
import io.understudy.unplanned.Failover;
import io.understudy.unplanned.FailoverOptions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** An unplanned change of the primary. */
@Command(
        name = "failover",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {
            "0:done, nothing is lost",
            "1:not promoted; it may be tried again",
            "2:wrong usage or configuration",
            "3:failed after the promotion: what is left to do was printed, or run it again",
            "4:done, and what is lost was printed",
            "130, 143:ended by SIGINT, SIGTERM: run it again"
        },
        description = {
            "Make a standby the primary in place of a dead one: wait until it has applied what it has received, apply"
                    + " what the black boxes of the proxies have and it lacks, promote it, let the proxies follow.",
            "Refused while the old primary gives a sign of life, unless --fenced. May be run again after any failure."
        })
public final class FailoverCommand extends CliCommand implements Subcommand {
    @Option(names = "--to", required = true, paramLabel = "NAME", description = "The standby.")
    private @Nullable String name;

    @Mixin
    private final ConfigFile file = new ConfigFile();

    @Option(
            names = "--fenced",
            description = "The old primary is fenced, or given up: if it still gives a sign of life, it is made"
                    + " read-only if possible, and the failover goes on.")
    private boolean fenced;

    @Option(
            names = "--without",
            paramLabel = "HOST:PORT|NAME",
            description = "The admin endpoint of a proxy that is down: its black box is not read, and what only it has"
                    + " is reported as not known. Or another standby: what only that has is given up. May be"
                    + " repeated.")
    private Set<String> without = Set.of();

    @Mixin
    private final DirectoryOption directory = new DirectoryOption();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            defaultValue = "60s",
            description = "Longest time to apply what the standby has received, and each part of what it lacks"
                    + " (default: ${DEFAULT-VALUE}).")
    private @Nullable Duration timeout;

    @Option(names = "--dry-run", description = "Run the checks, and say what would be applied; change nothing.")
    private boolean dryRun;

    @Override
    protected int run(CommandLine line) throws Exception {
        Logging.quiet();
        UnderstudyConfig config = file.load().config();
        FailoverOptions options = new FailoverOptions(
                fenced, Objects.requireNonNull(timeout), without, directory.source(config, List.of()));
        try (Failover failover = Failover.to(Objects.requireNonNull(name), config, options, line.getOut())) {
            return (dryRun ? failover.rehearse() : failover.run()).status();
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(line, e.getMessage(), e);
        }
    }
}
