package io.understudy.cli.capture;

import io.understudy.base.JsonWriter;
import io.understudy.cli.AdminOptions;
import io.understudy.plugins.capture.CaptureInput;
import io.understudy.plugins.capture.CaptureSecret;
import io.understudy.replay.log.StatementLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows the state of a capture, or what is in a file. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        description = "Show the state of the running proxy's capture; with FILE, what is in it.")
final class CaptureShowCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", arity = "0..1", description = "A file of a capture, or a folder of them.")
    private @Nullable Path file;

    @Option(names = "--secret-file", paramLabel = "FILE", description = "The secret of an encrypted capture.")
    private @Nullable Path secretFile;

    @Option(names = "--json", description = "As JSON.")
    private boolean json;

    @Mixin
    private final AdminOptions options = new AdminOptions();

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        Path path = file;
        Map<String, Object> view = path == null ? options.client(line).view("capture") : content(path);
        line.getOut().print(json ? JsonWriter.write(view) + "\n" : CaptureText.state(view));
        line.getOut().flush();
        return CommandLine.ExitCode.OK;
    }

    private Map<String, Object> content(Path path) throws IOException {
        CaptureSecret secret = secretFile == null ? null : CaptureSecret.parse(Files.readString(secretFile));
        try (StatementLog log = StatementLog.open(CaptureInput.open(path, secret), ZoneOffset.UTC)) {
            return CaptureContent.of(log);
        }
    }
}
