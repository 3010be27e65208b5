package io.understudy.cli.slowlog;

import io.understudy.option.AdminOptions;
import io.understudy.remote.AdminClient;
import io.understudy.report.DigestsText;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Failures;
import io.understudy.terminal.Subcommand;
import io.understudy.terminal.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the digests of a running proxy, live. */
@Command(
        name = "top",
        mixinStandardHelpOptions = true,
        description = "Show the digests of a running proxy, live. In a terminal the keys t c a 9 m e r b choose the"
                + " order (time, count, mean, p99, max, errors, rows, bytes), q ends.")
public final class TopCommand extends CliCommand implements Subcommand {
    private static final String HOME_AND_CLEAR = "\033[H\033[2J";
    private static final int POLL_MILLIS = 50;

    @Mixin
    private final AdminOptions options = new AdminOptions();

    @Option(names = "--sort", paramLabel = "FIGURE", description = "${COMPLETION-CANDIDATES} (default: time).")
    private DigestsText.Order sort = DigestsText.Order.TIME;

    @Option(names = "--user", paramLabel = "USER", description = "Only digests that the user executed.")
    private @Nullable String user;

    @Option(names = "--schema", paramLabel = "SCHEMA", description = "Only digests executed in that default schema.")
    private @Nullable String schema;

    @Option(names = "--table", paramLabel = "TABLE", description = "Only digests that read or write the table.")
    private @Nullable String table;

    @Option(names = "--rows", paramLabel = "N", description = "Digests shown (default: 20).")
    private int rows = 20;

    @Option(names = "--interval", paramLabel = "SECONDS", description = "Time between two figures (default: 2).")
    private int interval = 2;

    @Option(names = "--once", description = "Show the figures since the start once, and end.")
    private boolean once;

    @Override
    protected int run(CommandLine line) throws Exception {
        if (rows < 1 || interval < 1) {
            throw new CommandLine.ParameterException(line, "--rows and --interval: expected at least 1");
        }
        AdminClient client = options.client(line);
        PrintWriter out = line.getOut();
        DigestsText.Filter filter = new DigestsText.Filter(user, schema, table);
        if (once) {
            out.print(DigestsText.of(client.view("digests"), null, 0, sort, filter, rows));
            out.flush();
            return CommandLine.ExitCode.OK;
        }
        boolean terminal = Terminal.attached();
        try (Keys keys = terminal ? Keys.open() : null) {
            show(client, out, filter, keys);
        }
        return CommandLine.ExitCode.OK;
    }

    private void show(AdminClient client, PrintWriter out, DigestsText.Filter filter, @Nullable Keys keys)
            throws IOException, InterruptedException {
        Map<String, Object> before = client.view("digests");
        long at = System.nanoTime();
        String text = DigestsText.of(before, null, 0, sort, filter, rows);
        while (true) {
            out.print(keys == null ? text + "\n" : HOME_AND_CLEAR + text);
            out.flush();
            if (out.checkError() || waited(keys)) {
                return;
            }
            try {
                Map<String, Object> now = client.view("digests");
                long then = System.nanoTime();
                text = DigestsText.of(now, before, (then - at) / 1e9, sort, filter, rows);
                before = now;
                at = then;
            } catch (IOException e) {
                // A restart of the proxy, or of the network.
                text = "no figures at the moment: " + Failures.sentence(e) + "\n";
            }
        }
    }

    /** Waits for the interval or a key. Returns whether to end. */
    private boolean waited(@Nullable Keys keys) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(interval);
        while (System.nanoTime() < end) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            int key = keys == null ? 0 : keys.pressed();
            if (key == 'q') {
                return true;
            }
            DigestsText.Order chosen = DigestsText.Order.of(key);
            if (chosen != null) {
                sort = chosen;
                return false;
            }
        }
        return false;
    }

    /** Single keys of the terminal, without Enter; the terminal is as before once this is closed. */
    private record Keys(Thread restore) implements AutoCloseable {
        static Keys open() throws IOException, InterruptedException {
            stty("-icanon", "-echo");
            Thread restore = new Thread(() -> {
                try {
                    stty("icanon", "echo");
                } catch (IOException | InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            Runtime.getRuntime().addShutdownHook(restore);
            return new Keys(restore);
        }

        private static void stty(String... arguments) throws IOException, InterruptedException {
            String[] command = new String[arguments.length + 1];
            command[0] = "stty";
            System.arraycopy(arguments, 0, command, 1, arguments.length);
            new ProcessBuilder(command).inheritIO().start().waitFor();
        }

        /** Returns the key, or 0 for none. */
        int pressed() throws IOException {
            return System.in.available() > 0 ? System.in.read() : 0;
        }

        @Override
        public void close() throws IOException, InterruptedException {
            Runtime.getRuntime().removeShutdownHook(restore);
            stty("icanon", "echo");
        }
    }
}
