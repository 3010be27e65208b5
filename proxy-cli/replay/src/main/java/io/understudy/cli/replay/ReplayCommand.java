package io.understudy.cli.replay;

import io.understudy.base.JsonWriter;
import io.understudy.layout.Layout;
import io.understudy.option.ServerLoginOptions;
import io.understudy.replay.CheckpointFile;
import io.understudy.replay.CheckpointLock;
import io.understudy.replay.Replay;
import io.understudy.replay.ReplayOptions;
import io.understudy.replay.Resume;
import io.understudy.replay.TargetWatch;
import io.understudy.replay.log.StatementLog;
import io.understudy.replay.option.LogFileOption;
import io.understudy.replay.option.LogFilterOptions;
import io.understudy.terminal.ProgressLine;
import io.understudy.terminal.SignalledStop;
import io.understudy.terminal.Subcommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Plays a log or a capture on a server. */
@Command(
        name = "replay",
        mixinStandardHelpOptions = true,
        description =
                "Play the statements of a slow log, a general log or a capture on a server: by default only reads,"
                        + " in sessions that cannot write.")
public final class ReplayCommand implements Subcommand, Callable<Integer> {
    private static final int STANDARD_PORT = 3306;
    private static final Layout LAYOUT = Layout.beside(ReplayCommand.class, "replay");

    @Mixin
    private LogFileOption file = new LogFileOption();

    @Option(names = "--to", paramLabel = "HOST:PORT", description = "The server.")
    private @Nullable String to;

    @Mixin
    private ServerLoginOptions login = new ServerLoginOptions();

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

    @Mixin
    private LogFilterOptions choice = new LogFilterOptions();

    @Option(
            names = "--checkpoint",
            paramLabel = "FILE",
            description = "Note in this file how far each session was played.")
    private @Nullable Path checkpoint;

    @Option(names = "--resume", description = "Go on where the checkpoint ends.")
    private boolean resume;

    @Option(names = "--dry-run", description = "Read the log and say what would be played.")
    private boolean dryRun;

    @Option(names = "--json", description = "The figures as JSON.")
    private boolean json;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        ReplayOptions options = options();
        checkCheckpoint();
        try (CheckpointLock lock = checkpoint == null ? null : CheckpointLock.take(checkpoint)) {
            return call(options, lock);
        }
    }

    private String text(Map<String, Object> view) {
        Map<String, Object> shown = new HashMap<>(view);
        shown.put("dryRun", dryRun);
        return LAYOUT.text(shown);
    }

    private int call(ReplayOptions options, @Nullable CheckpointLock lock) throws Exception {
        Resume resumed = lock == null || !resume ? null : resumed(lock, options);
        try (CheckpointFile noted = lock == null ? null : CheckpointFile.begin(lock, logName(), options, resumed);
                LogFileOption.Opened opened = file.opened(this::err);
                Replay replay = noted == null ? new Replay(options) : new Replay(options, noted, resumed);
                SignalledStop signalled = SignalledStop.begin(replay::stop)) {
            StatementLog log = opened.log();
            long start = System.nanoTime();
            if (dryRun) {
                replay.dryRun(log);
            } else {
                play(options, replay, log);
            }
            if (noted != null) {
                noted.close();
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            Map<String, Object> view = replay.figures().view(log.counts(), seconds);
            if (resumed != null) {
                view.put("resumed", resumed.view());
            }
            PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
            out.print(json ? JsonWriter.write(view) + "\n" : text(view));
            out.flush();
            String stopped = replay.stopped();
            if (stopped != null) {
                err("stopped: " + stopped);
                if (noted != null) {
                    err(noted.inFlight() + " statements were in flight; --resume goes on from " + checkpoint);
                }
            }
            return stopped == null && replay.figures().failures() == 0
                    ? CommandLine.ExitCode.OK
                    : CommandLine.ExitCode.SOFTWARE;
        }
    }

    private void play(ReplayOptions options, Replay replay, StatementLog log) throws Exception {
        try (TargetWatch watch =
                TargetWatch.start(options.to(), options.user(), options.password(), options.tls(), replay::stop)) {
            if (!watch.readOnly() && options.filter().readsOnly()) {
                err("the target is not read-only: reads are played in sessions that cannot write");
            }
            replay.limitPrepared(watch.preparedStatements());
            try (ProgressLine progress = ProgressLine.begin(errors(), second -> progress(replay, second))) {
                replay.run(log);
            }
        }
    }

    private String logName() {
        return Path.of(file.name()).toAbsolutePath().normalize().toString();
    }

    private void checkCheckpoint() {
        if (checkpoint == null && resume) {
            throw wrong("--resume: expected --checkpoint FILE too");
        }
        if (checkpoint != null && (dryRun || file.isStandardInput())) {
            throw wrong("--checkpoint: expected a file or folder to play, not "
                    + (dryRun ? "--dry-run" : "standard input"));
        }
    }

    private Resume resumed(CheckpointLock lock, ReplayOptions options) throws IOException {
        try (LogFileOption.Opened opened = file.opened(this::err)) {
            Resume found = Resume.read(lock, logName(), opened.log(), options);
            String warning = found.warning();
            if (warning != null) {
                err(warning);
            }
            return found;
        }
    }

    private ReplayOptions options() throws IOException {
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
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        return new ReplayOptions(
                ServerLoginOptions.address("--to", target, line),
                login.user(),
                login.password(),
                login.tls(line),
                speed(),
                choice.filter(!all, line),
                sessions);
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

    private CommandLine.ParameterException wrong(String why) {
        return new CommandLine.ParameterException(Objects.requireNonNull(spec).commandLine(), why);
    }

    private static String progress(Replay replay, long second) {
        return String.format(
                Locale.ROOT,
                "%d s: %d statements sent, %d failed, %.1f s of the log",
                second,
                replay.figures().sentCount(),
                replay.figures().failures(),
                replay.playedMicros() / 1e6);
    }

    private PrintWriter errors() {
        return Objects.requireNonNull(spec).commandLine().getErr();
    }

    private void err(String line) {
        errors().println("understudy: " + line);
    }
}
