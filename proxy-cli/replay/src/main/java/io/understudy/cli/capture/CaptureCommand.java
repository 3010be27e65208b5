package io.understudy.cli.capture;

import io.understudy.base.Durations;
import io.understudy.base.JsonWriter;
import io.understudy.option.AdminOptions;
import io.understudy.option.TimeConverter;
import io.understudy.plugins.capture.CaptureInput;
import io.understudy.replay.log.StatementLog;
import io.understudy.replay.option.SecretFileOption;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Failures;
import io.understudy.terminal.Subcommand;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Captures the clients' commands of a running proxy to files. */
@Command(
        name = "capture",
        mixinStandardHelpOptions = true,
        description = "Capture the clients' commands of a running proxy to files, or show what is in them.",
        subcommands = {CaptureCommand.Start.class, CaptureCommand.Stop.class, CaptureCommand.Show.class})
public final class CaptureCommand implements Subcommand, Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                Objects.requireNonNull(spec).commandLine(), "Missing what to do: start, stop or show");
    }

    private static int print(CommandLine line, Map<String, Object> view, boolean json) {
        StringBuilder out = new StringBuilder();
        view.forEach((name, value) -> out.append(String.format("%-13s %s%n", name, text(value))));
        line.getOut().print(json ? JsonWriter.write(view) + "\n" : out);
        line.getOut().flush();
        return CommandLine.ExitCode.OK;
    }

    private static String text(Object value) {
        if (value instanceof Map<?, ?> counts) {
            return counts.isEmpty() ? "none" : counts.toString().replaceAll("[{}]", "");
        }
        return String.valueOf(value);
    }

    /** Starts a capture. */
    @Command(
            name = "start",
            mixinStandardHelpOptions = true,
            description = "Start a capture in the running proxy, to the folder of plugins.capture.directory.")
    static final class Start extends CliCommand {
        @Mixin
        private final AdminOptions options = new AdminOptions();

        @Option(
                names = "--for",
                paramLabel = "TIME",
                converter = TimeConverter.class,
                description = "Stop by itself after that time, such as 10m.")
        private @Nullable Duration time;

        @Override
        protected int run(CommandLine line) throws Exception {
            String query = time == null ? "" : "?for=" + Durations.format(time);
            return print(line, options.client(line).act("capture/start" + query), false);
        }
    }

    /** Stops the capture. */
    @Command(
            name = "stop",
            mixinStandardHelpOptions = true,
            description = "Stop the running proxy's capture; returns when everything is written.")
    static final class Stop extends CliCommand {
        @Mixin
        private final AdminOptions options = new AdminOptions();

        @Override
        protected int run(CommandLine line) throws Exception {
            return print(line, options.client(line).act("capture/stop"), false);
        }
    }

    /** Shows the state of a capture, or what is in a file. */
    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Show the state of the running proxy's capture; with FILE, what is in it.")
    static final class Show extends CliCommand {
        @Parameters(paramLabel = "FILE", arity = "0..1", description = "A file of a capture, or a folder of them.")
        private @Nullable Path file;

        @Mixin
        private final SecretFileOption secretFile = new SecretFileOption();

        @Option(names = "--json", description = "As JSON.")
        private boolean json;

        @Mixin
        private final AdminOptions options = new AdminOptions();

        @Override
        protected int run(CommandLine line) throws Exception {
            Path path = file;
            if (path == null) {
                return print(line, options.client(line).view("capture"), json);
            }
            CaptureContent content = new CaptureContent();
            try (StatementLog log = StatementLog.open(
                    CaptureInput.open(
                            path, secretFile.secret(), note -> line.getErr().println("understudy: " + note)),
                    ZoneOffset.UTC)) {
                content.add(log);
            } catch (IOException e) {
                if (content.isEmpty()) {
                    throw e;
                }
                print(line, content.view(), json);
                line.getErr().println("understudy: " + Failures.sentence(e));
                return CommandLine.ExitCode.SOFTWARE;
            }
            return print(line, content.view(), json);
        }
    }
}
