package io.understudy.cli.replay;

import io.understudy.base.JsonWriter;
import io.understudy.cli.Terminal;
import io.understudy.config.Address;
import io.understudy.config.Secret;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.replay.Replay;
import io.understudy.replay.ReplayOptions;
import io.understudy.replay.TargetWatch;
import io.understudy.replay.log.StatementLog;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Plays a slow log or a general log on a server. */
@Command(
        name = "replay",
        mixinStandardHelpOptions = true,
        description = "Play the statements of a slow log or general log on a server: by default only reads, in sessions"
                + " that cannot write.")
public final class ReplayCommand implements Callable<Integer> {
    private static final int STANDARD_PORT = 3306;
    private static final long MICROS = 1_000_000;
    private static final int LINES_SECONDS = 10;

    @Parameters(paramLabel = "FILE", description = "The log, or - for standard input.")
    private String file = "";

    @Option(names = "--to", paramLabel = "HOST:PORT", description = "The server.")
    private @Nullable String to;

    @Option(names = "--user", paramLabel = "USER", description = "Its account (default: root).")
    private String user = "root";

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "A file with the password; without it, the variable UNDERSTUDY_REPLAY_PASSWORD, or none.")
    private @Nullable Path passwordFile;

    @Option(
            names = "--tls",
            paramLabel = "MODE",
            description = "disabled, preferred (default), required, verify-ca or verify-full.")
    private String tls = "preferred";

    @Option(names = "--ca", paramLabel = "FILE", description = "Certificate authorities for verify-ca and verify-full.")
    private @Nullable Path ca;

    @Option(
            names = "--speed",
            paramLabel = "FACTOR",
            description = "Times as fast as logged, such as 1 (default) or 2.5; or max.")
    private String speed = "1";

    @Option(names = "--reads-only", description = "Only what the mirror would send (the default).")
    private boolean readsOnly;

    @Option(names = "--all", description = "Everything, writes and schema changes too. For a copy that may be changed.")
    private boolean all;

    @Option(
            names = "--sessions",
            paramLabel = "N",
            description = "Connections at the same time (default: 256). Reads of further sessions share them.")
    private int sessions = 256;

    @Option(names = "--from", paramLabel = "TIME", description = "First start time, such as 2026-01-15T09:00:00.")
    private @Nullable String from;

    @Option(names = "--until", paramLabel = "TIME", description = "Start time at which to end.")
    private @Nullable String until;

    @Option(names = "--only-user", paramLabel = "USER", description = "Only sessions of that user.")
    private @Nullable String onlyUser;

    @Option(names = "--only-schema", paramLabel = "SCHEMA", description = "Only statements with that default schema.")
    private @Nullable String onlySchema;

    @Option(names = "--dry-run", description = "Read the log and say what would be played.")
    private boolean dryRun;

    @Option(names = "--json", description = "The figures as JSON.")
    private boolean json;

    @Spec
    private @Nullable CommandSpec spec;

    private volatile boolean over;

    @Override
    public Integer call() throws Exception {
        ReplayOptions options = options();
        try (StatementLog log = StatementLog.open(input(), ZoneId.systemDefault());
                Replay replay = new Replay(options)) {
            long start = System.nanoTime();
            if (dryRun) {
                replay.dryRun(log);
            } else {
                try (TargetWatch watch =
                        TargetWatch.start(options.to(), user, options.password(), driverTls(), ca, replay::stop)) {
                    if (!watch.readOnly() && options.readsOnly()) {
                        err("the target is not read-only: reads are played in sessions that cannot write");
                    }
                    Thread progress = new Thread(() -> progress(replay), "progress");
                    progress.setDaemon(true);
                    progress.start();
                    replay.run(log);
                } finally {
                    over = true;
                }
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            Map<String, Object> view = replay.figures().view(log.counts(), seconds);
            PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
            out.print(json ? JsonWriter.write(view) + "\n" : ReplayText.of(view, dryRun));
            out.flush();
            String stopped = replay.stopped();
            if (stopped != null) {
                err("stopped: " + stopped);
            }
            return stopped == null && replay.figures().failures() == 0
                    ? CommandLine.ExitCode.OK
                    : CommandLine.ExitCode.SOFTWARE;
        }
    }

    private InputStream input() throws java.io.IOException {
        if (file.equals("-")) {
            return System.in;
        }
        return Files.newInputStream(Path.of(file));
    }

    private ReplayOptions options() throws java.io.IOException {
        if (readsOnly && all) {
            throw wrong("--reads-only and --all exclude each other");
        }
        if (to == null && !dryRun) {
            throw wrong("Missing where to: give --to HOST:PORT, or --dry-run");
        }
        if (sessions < 1 || sessions > 10_000) {
            throw wrong("--sessions: expected 1 to 10000 but found " + sessions);
        }
        String target = to == null ? "127.0.0.1:" + STANDARD_PORT : to;
        Address address;
        ServerTlsMode mode;
        try {
            address = Address.parse(target);
            mode = ServerTlsMode.valueOf(tls.toUpperCase(Locale.ROOT).replace('-', '_'));
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
        if (address.isUnix()) {
            throw wrong("--to: expected host:port");
        }
        String password = passwordFile == null
                ? Objects.requireNonNullElse(System.getenv("UNDERSTUDY_REPLAY_PASSWORD"), "")
                : Files.readString(passwordFile).strip();
        return new ReplayOptions(
                address,
                user,
                Secret.parse(password),
                new ServerTlsConfig(mode, ca, null, null),
                speed(),
                !all,
                sessions,
                time("--from", from, Long.MIN_VALUE),
                time("--until", until, Long.MAX_VALUE),
                onlyUser,
                onlySchema);
    }

    private String driverTls() {
        return switch (tls.toLowerCase(Locale.ROOT)) {
            case "disabled", "preferred" -> "disable";
            default -> tls.toLowerCase(Locale.ROOT).startsWith("verify") ? tls.toLowerCase(Locale.ROOT) : "trust";
        };
    }

    private double speed() {
        if (speed.equals("max")) {
            return 0;
        }
        try {
            double factor = Double.parseDouble(speed.endsWith("x") ? speed.substring(0, speed.length() - 1) : speed);
            if (factor > 0 && factor <= 1000) {
                return factor;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw wrong("--speed: expected a factor such as 1 or 2.5, at most 1000, or max, but found " + speed);
    }

    private long time(String option, @Nullable String text, long otherwise) {
        if (text == null) {
            return otherwise;
        }
        try {
            OffsetDateTime at = text.endsWith("Z") || text.matches(".*[+-][0-9]{2}:[0-9]{2}")
                    ? OffsetDateTime.parse(text)
                    : LocalDateTime.parse(text).atZone(ZoneId.systemDefault()).toOffsetDateTime();
            return at.withOffsetSameInstant(ZoneOffset.UTC).toEpochSecond() * MICROS + at.getNano() / 1_000;
        } catch (DateTimeParseException e) {
            throw wrong(option + ": expected a time such as 2026-01-15T09:00:00, with Z for UTC, but found " + text);
        }
    }

    private CommandLine.ParameterException wrong(String why) {
        return new CommandLine.ParameterException(Objects.requireNonNull(spec).commandLine(), why);
    }

    private void err(String line) {
        Objects.requireNonNull(spec).commandLine().getErr().println("understudy: " + line);
    }

    /** One line that is written over on a terminal, a line now and then elsewhere. */
    private void progress(Replay replay) {
        boolean terminal = Terminal.attached();
        try {
            for (int second = 1; !over; second++) {
                TimeUnit.SECONDS.sleep(1);
                String line = String.format(
                        Locale.ROOT,
                        "%d s: %d statements sent, %d failed, %.1f s of the log",
                        second,
                        replay.figures().sentCount(),
                        replay.figures().failures(),
                        replay.playedMicros() / 1e6);
                if (over) {
                    return;
                }
                if (terminal) {
                    System.err.print("\r" + line + "  ");
                    System.err.flush();
                } else if (second % LINES_SECONDS == 0) {
                    err(line);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
