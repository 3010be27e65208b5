package io.understudy.cli.switchover;

import io.understudy.base.Durations;
import io.understudy.config.UnderstudyConfig;
import io.understudy.option.ConfigFile;
import io.understudy.option.TimeConverter;
import io.understudy.remote.AdminClient;
import io.understudy.switchover.PlannedChange;
import io.understudy.switchover.Switchover;
import io.understudy.switchover.SwitchoverLimits;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Logging;
import io.understudy.terminal.Subcommand;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A planned change of the primary. */
@Command(
        name = "switchover",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {
            "0:done",
            "1:failed before the promotion, and undone",
            "2:wrong usage or configuration",
            "3:failed after the promotion, or not undone: what is left to do was printed",
            "130, 143:ended by SIGINT, SIGTERM: the last line says which of these it would be"
        },
        description = {
            "Make a standby the primary: hold the proxy's sessions, make the old primary read-only, wait until the"
                    + " standby has applied everything, promote it, let the proxy follow, and release.",
            "Any failure before the promotion is undone. docs/production.md has the account's privileges."
        })
public final class SwitchoverCommand extends CliCommand implements Subcommand {
    /** Longer than a hold and the undoing together. */
    private static final Duration ENDING = Duration.ofSeconds(45);

    private static final Duration HOLD = Duration.ofSeconds(5);

    @Option(names = "--to", required = true, paramLabel = "NAME", description = "The standby.")
    private @Nullable String name;

    @Mixin
    private final ConfigFile file = new ConfigFile();

    @Option(
            names = "--lag",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            defaultValue = "1s",
            description = "A standby with a larger lag is not promoted (default: ${DEFAULT-VALUE}).")
    private @Nullable Duration lag;

    @Option(
            names = "--max",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description = "Hold sessions for at most this long, and at most limits.handshakeTimeout, as new connections"
                    + " wait too (default: 5s, or that limit if it is less).")
    private @Nullable Duration max;

    @Option(names = "--dry-run", description = "Print the steps and run the checks; change nothing.")
    private boolean dryRun;

    @Override
    protected int run(CommandLine line) throws Exception {
        Logging.quiet();
        UnderstudyConfig config = file.load().config();
        SwitchoverLimits bounds = new SwitchoverLimits(
                Objects.requireNonNull(lag), hold(line, config.limits().handshakeTimeout()));
        try (PlannedChange switchover = Switchover.to(
                Objects.requireNonNull(name), config, AdminClient.of(config.admin()), bounds, line.getOut())) {
            if (dryRun) {
                return switchover.rehearse().status();
            }
            Thread hook = new Thread(() -> stop(switchover), "switchover-stop");
            Runtime.getRuntime().addShutdownHook(hook);
            return switchover.run().status();
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(line, e.getMessage(), e);
        }
    }

    /** The proxy would refuse a longer hold, but only after the checks. */
    private Duration hold(CommandLine line, Duration longest) {
        if (max == null) {
            return longest.compareTo(HOLD) < 0 ? longest : HOLD;
        }
        if (max.compareTo(longest) > 0) {
            throw new CommandLine.ParameterException(
                    line,
                    "--max: expected at most limits.handshakeTimeout (" + Durations.format(longest) + "), but found "
                            + Durations.format(max) + "; new connections wait too, and would be given up");
        }
        return max;
    }

    /** Runs when a signal ends the program: otherwise the old primary could stay read-only. */
    private static void stop(PlannedChange switchover) {
        try {
            switchover.stop(ENDING);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
