package io.understudy.cli.defragment;

import io.understudy.base.ByteSize;
import io.understudy.base.JsonWriter;
import io.understudy.config.UnderstudyConfig;
import io.understudy.option.ConfigFile;
import io.understudy.option.TimeConverter;
import io.understudy.pages.PagesAccount;
import io.understudy.pages.PagesQuery;
import io.understudy.pages.PagesReport;
import io.understudy.rebuild.Bounds;
import io.understudy.rebuild.Defragmentation;
import io.understudy.rebuild.MirroredReads;
import io.understudy.rebuild.ProgressOutput;
import io.understudy.remote.AdminClient;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Logging;
import io.understudy.terminal.Subcommand;
import io.understudy.terminal.Terminal;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Rebuilds tables on a read-only standby, at the pace that replication allows. */
@Command(
        name = "defragment",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {
            "0:all tables were rebuilt",
            "1:refused, or not all tables were rebuilt: the log says why",
            "2:wrong usage or configuration",
            "3:the run ended early because the server was made a primary"
        },
        description = {
            "Rebuild tables on a read-only standby, one at a time and outside its binary log, so that fewer pages"
                    + " hold the same rows.",
            "Waits before each table while the standby is behind or busy, and ends the rebuild above the hard"
                    + " bounds. docs/pages.md has"
                    + " the account's privileges and what is refused."
        })
public final class DefragmentCommand extends CliCommand implements Subcommand {
    private static final Duration READING = Duration.ofMinutes(2);
    /** Longer than a server and a proxy that do not respond can make the ending. */
    private static final Duration ENDING = Duration.ofMinutes(2);
    /** The proxy responds from memory; one that is silent must not hold up the ending. */
    private static final Duration PROXY_PATIENCE = Duration.ofSeconds(5);

    private static final int PROMOTED = 3;

    @Parameters(arity = "0..*", paramLabel = "TABLE", description = "Tables as schema.table.")
    private @Nullable List<String> tables;

    @Option(
            names = "--worst",
            paramLabel = "N",
            description = "Instead of naming tables: the N whose rebuild frees most of the buffer pool.")
    private @Nullable Integer worst;

    @Mixin
    private final ConfigFile file = new ConfigFile();

    @Option(names = "--server", required = true, paramLabel = "NAME", description = "The standby.")
    private @Nullable String server;

    @Option(
            names = "--lag",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            defaultValue = "1s",
            description = "Above this lag the next table waits (default: ${DEFAULT-VALUE}).")
    private @Nullable Duration lag;

    @Option(
            names = "--hard-lag",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            defaultValue = "10s",
            description = "Above this lag a rebuild is ended (default: ${DEFAULT-VALUE}).")
    private @Nullable Duration hardLag;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "32",
            description = "Above this Threads_running the next table waits (default: ${DEFAULT-VALUE}).")
    private int threads;

    @Option(
            names = "--hard-threads",
            paramLabel = "N",
            defaultValue = "128",
            description = "Above this Threads_running a rebuild is ended (default: ${DEFAULT-VALUE}).")
    private int hardThreads;

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            defaultValue = "10m",
            description = "How long the next table waits at most (default: ${DEFAULT-VALUE}).")
    private @Nullable Duration patience;

    @Option(
            names = "--disk-free",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Free space on the standby's disk, where it cannot be seen from here.")
    private @Nullable ByteSize diskFree;

    @Option(names = "--checksum", description = "CHECKSUM TABLE before and after each rebuild.")
    private boolean checksum;

    @Option(
            names = "--by-partition",
            description = "Rebuild partitions one by one: room for the largest one's copy is enough, but writes to the"
                    + " table wait meanwhile.")
    private boolean byPartition;

    @Option(
            names = "--warm",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            defaultValue = "1m",
            description = "How long all mirrored reads of a rebuilt table go to the standby at most, to warm it; 0s for"
                    + " not at all (default: ${DEFAULT-VALUE}).")
    private @Nullable Duration warm;

    @Option(
            names = "--lower-super-read-only",
            description = "On MySQL, set super_read_only to 0 as long as it takes; read_only stays 1.")
    private boolean lowerSuperReadOnly;

    @Option(names = "--json", description = "The figures as JSON on standard output, the log on standard error.")
    private boolean json;

    @Override
    protected int run(CommandLine line) throws Exception {
        Logging.quiet();
        UnderstudyConfig config = file.load().config();
        PagesAccount account;
        try {
            account = PagesAccount.of(config, Objects.requireNonNull(server));
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(line, e.getMessage(), e);
        }
        List<String> chosen = choose(line, config);
        PrintWriter log = json ? line.getErr() : line.getOut();
        if (chosen.isEmpty()) {
            log.println("no table in the buffer pool would give back pages by a rebuild");
            return CommandLine.ExitCode.OK;
        }
        ProgressOutput journal = new ProgressOutput(log, Terminal.attached());
        MirroredReads reads = config.plugins().containsKey("mirror")
                ? new ProxyReads(
                        AdminClient.of(config.admin()).within(PROXY_PATIENCE),
                        Objects.requireNonNull(server),
                        Objects.requireNonNull(warm),
                        journal::line)
                : MirroredReads.NONE;
        Defragmentation work = new Defragmentation(account, options(), journal, reads);
        CountDownLatch written = new CountDownLatch(1);
        Thread hook = new Thread(() -> stop(work, written, journal), "defragment-stop");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            Defragmentation.Result result = work.run(chosen);
            if (json) {
                line.getOut().println(JsonWriter.write(result.map()));
                line.getOut().flush();
            }
            if (result.succeeded()) {
                return CommandLine.ExitCode.OK;
            }
            return result.promoted().isEmpty() ? CommandLine.ExitCode.SOFTWARE : PROMOTED;
        } finally {
            written.countDown();
        }
    }

    private List<String> choose(CommandLine line, UnderstudyConfig config) throws Exception {
        List<String> named = tables == null ? List.of() : tables;
        if (named.isEmpty() == (worst == null) || worst != null && worst < 1) {
            throw new CommandLine.ParameterException(
                    line, "Name tables as schema.table, or give --worst N with N of 1 or more; not both");
        }
        return worst == null
                ? named
                : PagesReport.worst(
                        PagesQuery.of(config, Objects.requireNonNull(server))
                                .warning(line.getErr()::println)
                                .contents(null, false, READING),
                        worst);
    }

    private Defragmentation.Options options() {
        return new Defragmentation.Options(
                new Bounds(
                        Objects.requireNonNull(lag),
                        Objects.requireNonNull(hardLag),
                        threads,
                        hardThreads,
                        Objects.requireNonNull(patience)),
                diskFree == null ? null : diskFree.bytes(),
                checksum,
                byPartition,
                lowerSuperReadOnly);
    }

    /** Runs when a signal ends the program: otherwise the server would continue a rebuild without a client. */
    private static void stop(Defragmentation work, CountDownLatch written, ProgressOutput journal) {
        try {
            work.stop();
            if (!written.await(ENDING.toMillis(), TimeUnit.MILLISECONDS)) {
                journal.line("the rebuild has not ended after " + ENDING.toSeconds() + " s, and this program ends"
                        + (work.left().isEmpty() ? "" : "; " + work.left()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sizes in the configuration's syntax. */
    static final class SizeConverter implements CommandLine.ITypeConverter<ByteSize> {
        @Override
        public ByteSize convert(String text) {
            try {
                return ByteSize.parse(text);
            } catch (IllegalArgumentException e) {
                throw new CommandLine.TypeConversionException(e.getMessage());
            }
        }
    }
}
