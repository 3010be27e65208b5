package io.understudy.cli.report;

import io.understudy.lost.LostSource;
import io.understudy.lost.LostWarnings;
import io.understudy.report.ReportText;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Subcommand;
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
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes the transactions that a new primary lacks as a binary log file. */
@Command(
        name = "rescue",
        mixinStandardHelpOptions = true,
        description = "Write the transactions that the new primary lacks as a binary log file, for mariadb-binlog or"
                + " mysqlbinlog."
                + " Needs the admin token, so -c FILE.")
public final class RescueCommand extends CliCommand implements Subcommand {
    @Mixin
    private final LostOptions options = new LostOptions();

    @Option(
            names = "--to",
            paramLabel = "FILE",
            required = true,
            description = "Written new, readable by its owner only: it holds rows.")
    private @Nullable Path to;

    @Override
    protected int run(CommandLine line) throws Exception {
        Path file = Objects.requireNonNull(to);
        LostSource source = options.source(line);
        Map<String, Object> rescue = source.rescue(options.on());
        write(source, rescue, file);
        PrintWriter out = line.getOut();
        out.print(ReportText.rescue(rescue, file.toString()));
        out.flush();
        return LostWarnings.rescue(rescue) ? LostOptions.WARNS : CommandLine.ExitCode.OK;
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
