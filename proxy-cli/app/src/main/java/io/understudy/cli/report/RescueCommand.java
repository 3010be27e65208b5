package io.understudy.cli.report;

import io.understudy.config.UnderstudyConfig;
import io.understudy.lost.LostSource;
import io.understudy.lost.MissingView;
import io.understudy.report.ReportText;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Subcommand;
import io.understudy.unplanned.Failover;
import io.understudy.unplanned.FailoverOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes the transactions that a new primary lacks as a binary log file, or applies them. */
@Command(
        name = "rescue",
        mixinStandardHelpOptions = true,
        description = "Write the transactions that the new primary lacks as a binary log file, for mariadb-binlog or"
                + " mysqlbinlog."
                + " Needs the admin token, so -c FILE.")
public final class RescueCommand extends CliCommand implements Subcommand {
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    @Mixin
    private final LostOptions options = new LostOptions();

    @Option(
            names = "--to",
            paramLabel = "FILE",
            description = "Written new, readable by its owner only: it holds rows.")
    private @Nullable Path to;

    @Option(
            names = "--apply",
            description = "In place of a file: apply them to the standby of --on, which stops replicating, with the"
                    + " account of section switchover, from the black boxes of all proxies. May be run again.")
    private boolean apply;

    @Option(
            names = "--without",
            paramLabel = "HOST:PORT",
            description =
                    "With --apply: the admin endpoint of a proxy that is down, whose black box is not read. May be"
                            + " repeated.")
    private Set<String> without = Set.of();

    @Override
    protected int run(CommandLine line) throws Exception {
        Path file = to;
        if (file == null == !apply || !apply && !without.isEmpty()) {
            throw new CommandLine.ParameterException(
                    line, "expected --to FILE, or --apply with --on NAME and perhaps --without HOST:PORT");
        }
        if (file == null) {
            return apply(line);
        }
        LostSource source = options.source(line);
        Map<String, Object> rescue = source.rescue(options.on());
        write(source, rescue, file);
        PrintWriter out = line.getOut();
        out.print(ReportText.rescue(rescue, file.toString()));
        out.flush();
        return MissingView.isLoss(rescue) ? LostOptions.WARNS : CommandLine.ExitCode.OK;
    }

    private int apply(CommandLine line) throws Exception {
        UnderstudyConfig config = options.config(line);
        String on = options.on();
        if (config == null || on == null) {
            throw new CommandLine.ParameterException(line, "--apply needs -c FILE, and --on with a standby's name");
        }
        FailoverOptions bounds = new FailoverOptions(false, PATIENCE, without, options.saved(config));
        try (Failover failover = Failover.to(on, config, bounds, line.getOut())) {
            return failover.rescue().status();
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(line, e.getMessage(), e);
        }
    }

    private static void write(LostSource source, Map<String, Object> rescue, Path file)
            throws IOException, InterruptedException {
        boolean whole = false;
        try (OutputStream out = Channels.newOutputStream(FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))))) {
            for (byte[] part = source.part(rescue); part.length > 0; part = source.part(rescue)) {
                out.write(part);
            }
            whole = true;
        } catch (FileAlreadyExistsException e) {
            whole = true; // somebody else's: it stays
            throw new IOException(file + " exists; name another file, or remove it", e);
        } finally {
            if (!whole) {
                Files.deleteIfExists(file);
            }
        }
    }
}
