package io.understudy.cli.capture;

import io.understudy.base.JsonWriter;
import io.understudy.option.AdminOptions;
import io.understudy.plugins.capture.CaptureInput;
import io.understudy.replay.log.StatementLog;
import io.understudy.replay.option.SecretFileOption;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Failures;
import java.io.IOException;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the state of a capture, or what is in a file. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        description = "Show the state of the running proxy's capture; with FILE, what is in it.")
final class CaptureShowCommand extends CliCommand {
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
            print(line, options.client(line).view("capture"));
            return CommandLine.ExitCode.OK;
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
            print(line, content.view());
            line.getErr().println("understudy: " + Failures.sentence(e));
            return CommandLine.ExitCode.SOFTWARE;
        }
        print(line, content.view());
        return CommandLine.ExitCode.OK;
    }

    private void print(CommandLine line, Map<String, Object> view) {
        line.getOut().print(json ? JsonWriter.write(view) + "\n" : CaptureText.state(view));
        line.getOut().flush();
    }
}
