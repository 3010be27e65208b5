package io.understudy.cli.report;

import io.understudy.base.JsonWriter;
import io.understudy.config.ConfigLoader;
import io.understudy.report.AdminClient;
import io.understudy.report.DomainsText;
import io.understudy.runtime.PluginTypes;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows what a running proxy tags or would tag, and the state of its guard. */
@Command(
        name = "domains",
        mixinStandardHelpOptions = true,
        description = "Say what a running proxy tags or would tag, which tables conflict, and how far standbys are.")
public final class DomainsReportCommand implements Callable<Integer> {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "The proxy's configuration file, for the admin address and token.")
    private @Nullable Path file;

    @Option(names = "--admin", paramLabel = "HOST:PORT", description = "The proxy's admin endpoint.")
    private @Nullable String admin;

    @Option(names = "--json", description = "The figures as JSON.")
    private boolean json;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        AdminClient client;
        if (admin != null) {
            client = new AdminClient(admin, null);
        } else if (file != null) {
            client = AdminClient.of(
                    ConfigLoader.load(file, PluginTypes.installed().records())
                            .config()
                            .admin());
        } else {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "Missing where to ask: give --admin HOST:PORT or -c FILE");
        }
        Map<String, Object> view = client.view("domains");
        if (json) {
            out.println(JsonWriter.write(view));
        } else {
            out.print(DomainsText.of(view));
        }
        out.flush();
        return CommandLine.ExitCode.OK;
    }
}
