package io.understudy.cli.hold;

import io.understudy.base.JsonWriter;
import io.understudy.option.AdminOptions;
import io.understudy.remote.AdminClient;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Subcommand;
import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Holds the sessions of a running proxy at their boundaries until they are released, or this program ends. */
@Command(
        name = "hold",
        mixinStandardHelpOptions = true,
        description = "Hold a running proxy's sessions at their boundaries, until 'release', --max, or the end of this"
                + " program.")
public final class HoldCommand extends CliCommand implements Subcommand {
    private static final long POLL_MILLIS = 100;

    @Mixin
    private final AdminOptions options = new AdminOptions();

    @Option(names = "--max", paramLabel = "TIME", defaultValue = "2s", description = "At most that long, such as 2s.")
    private String max = "2s";

    @Override
    protected int run(CommandLine line) throws Exception {
        PrintWriter out = line.getOut();
        AdminClient admin = options.client(line);
        Map<String, Object> view = admin.act("hold?max=" + max);
        print(out, view);
        // The hold ends with the connection, which stays open between these requests.
        while (Boolean.TRUE.equals(view.get("held"))) {
            Thread.sleep(POLL_MILLIS);
            view = admin.view("hold");
        }
        print(out, view);
        return CommandLine.ExitCode.OK;
    }

    private static void print(PrintWriter out, Map<String, Object> view) {
        out.println(JsonWriter.write(view));
        out.flush();
    }
}
