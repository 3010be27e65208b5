package io.understudy.cli.ready;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ConfigException;
import io.understudy.config.LoadedConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.host.PluginTypes;
import io.understudy.layout.Layout;
import io.understudy.lost.LostUnion;
import io.understudy.option.ConfigFile;
import io.understudy.option.ReportOutput;
import io.understudy.option.TimeConverter;
import io.understudy.option.TrustOption;
import io.understudy.plugin.StandbyFigures;
import io.understudy.readiness.Known;
import io.understudy.readiness.Limits;
import io.understudy.readiness.ProxyFigures;
import io.understudy.readiness.ReadinessGate;
import io.understudy.readiness.Severity;
import io.understudy.remote.AdminClient;
import io.understudy.remote.OtherProxy;
import io.understudy.server.ConfiguredPrimary;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Failures;
import io.understudy.terminal.Logging;
import io.understudy.terminal.Subcommand;
import io.understudy.terminal.Table;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Reports whether a standby may be promoted. Made for the hook of a failover tool: it always ends in time. */
@Command(
        name = "ready",
        mixinStandardHelpOptions = true,
        description = {
            "Say whether a standby may be promoted, and what stands against it.",
            "Exit code 0: yes. 4: yes, with findings. 8: no, or not known. Works while the primary is away."
        })
public final class ReadyCommand extends CliCommand implements Subcommand {
    private static final int NOT_KNOWN = 8;
    private static final Layout LAYOUT = Layout.beside(ReadyCommand.class, "ready");
    private static final Duration BETWEEN = Duration.ofMillis(500);
    /** The proxy's part of the time at least: the first request of a process takes long on a busy machine. */
    private static final long ADMIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    @Parameters(paramLabel = "NAME", description = "The standby.")
    private @Nullable String name;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "The configuration file: asks both servers with the account of primary.monitor.")
    private @Nullable Path file;

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            description = "A running proxy's admin endpoint: asks by way of it; with -c with the file's token.")
    private @Nullable String admin;

    @Mixin
    private final TrustOption trust = new TrustOption();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description = "For all of it, 1s to 60s; what is not read by then is not known; not with --admin"
                    + " (default: 30s).")
    private @Nullable Duration timeout;

    @Option(
            names = "--max-lag",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description = "The lag from which on the verdict is no; not with --admin (default: 10s).")
    private @Nullable Duration maxLag;

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description = "Ask again for this long until nothing stands against it.")
    private @Nullable Duration wait;

    @Mixin
    private final ReportOutput output = new ReportOutput();

    private @Nullable LoadedConfig loaded;
    private String failure = "";

    @Override
    protected int run(CommandLine line) throws Exception {
        Logging.quiet();
        if (file == null && admin == null) {
            throw new CommandLine.ParameterException(line, "Missing where to ask: give -c FILE or --admin HOST:PORT");
        }
        Duration time = timeout == null ? ReadinessGate.TIME : timeout;
        if (time.compareTo(Duration.ofSeconds(1)) < 0 || time.compareTo(Duration.ofSeconds(60)) > 0) {
            throw new CommandLine.ParameterException(line, "--timeout must be 1s to 60s");
        }
        if (file != null) {
            loaded = ConfigFile.load(file);
        }
        long deadline = System.nanoTime() + (wait == null ? 0 : wait.toNanos());
        Map<String, Object> report = query(line, time);
        while ((report == null || code(report) != 0) && System.nanoTime() < deadline) {
            Thread.sleep(BETWEEN.toMillis());
            report = query(line, time);
        }
        if (report == null) {
            line.getErr().println("understudy: " + failure);
            return NOT_KNOWN;
        }
        output.print(line, report, ReadyCommand::text);
        return code(report);
    }

    /** Returns the verdict, then the findings. */
    public static String text(Map<String, Object> report) {
        Map<String, Object> shown = new HashMap<>(report);
        // Notes change no verdict.
        shown.put(
                "counted",
                Table.rows(report, "findings").stream()
                        .filter(finding -> !Severity.NOTES.word().equals(finding.get("severity")))
                        .count());
        return LAYOUT.text(shown);
    }

    private static int code(Map<String, Object> report) {
        return report.get("exitCode") instanceof Number code ? code.intValue() : NOT_KNOWN;
    }

    /** Returns the report, or null when the proxy did not respond; {@link #failure} says why. */
    private @Nullable Map<String, Object> query(CommandLine line, Duration time)
            throws InterruptedException, ConfigException {
        LoadedConfig config = loaded;
        String standby = Objects.requireNonNull(name);
        if (admin != null) {
            Secret token = config == null ? null : config.config().admin().token();
            try {
                AdminClient client = new AdminClient(
                        admin,
                        token == null ? null : token.reveal(),
                        trust.trust(config == null ? null : config.config()));
                return client.readiness(standby);
            } catch (IOException e) {
                failure = Failures.sentence(e);
                return null;
            }
        }
        Limits defaults = ReadinessGate.LIMITS;
        try {
            return gate(
                    Objects.requireNonNull(config),
                    standby,
                    maxLag == null ? defaults : new Limits(maxLag, defaults.noticedLag(), defaults.transaction()),
                    time);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(line, e.getMessage(), e);
        }
    }

    private static Map<String, Object> gate(LoadedConfig config, String name, Limits limits, Duration time)
            throws InterruptedException {
        long begun = System.nanoTime();
        StandbyConfig standby = config.config().standby(name);
        Address primary = null;
        StandbyFigures expected = PluginTypes.installed().figures(config);
        ProxyFigures.Question question = () -> ProxyFigures.NONE;
        if (config.config().admin().enabled()) {
            try {
                AdminClient proxy = AdminClient.of(config.config().admin());
                // Which server is the primary now, and what plugins know of a standby, the running proxy knows best.
                long share = Math.max(time.toNanos() / 3, Math.min(ADMIN_NANOS, time.toNanos() / 2));
                if (proxy.value("primary", Duration.ofNanos(share)) instanceof Map<?, ?> view) {
                    primary = Address.parse(String.valueOf(view.get("address")));
                }
                long until = begun + time.toNanos() / 2;
                List<OtherProxy> peers = OtherProxy.of(config.config());
                question = () -> ProxyFigures.of(new AdminFigures(proxy, peers, until), name, expected);
            } catch (IOException e) {
                // The file names the primary, and that the proxy tells nothing is a finding.
                question = () -> ProxyFigures.silent(AdminFigures.unknown(e));
            }
        }
        if (primary == null) {
            primary = ConfiguredPrimary.of(config.config().primary(), standby.address());
        }
        Duration left = time.minusNanos(System.nanoTime() - begun);
        return ReadinessGate.of(config, expected, name, primary, limits, left.isNegative() ? Duration.ZERO : left)
                .report(question)
                .view();
    }

    /**
     * What the plugins of a running proxy have published, for the readiness gate of this process.
     *
     * @param peers whose black boxes are asked, too
     * @param until time of {@link System#nanoTime} by which they have to respond
     */
    record AdminFigures(AdminClient proxy, List<OtherProxy> peers, long until) implements ProxyFigures.Source {
        @Override
        public @Nullable Object view(String name) throws IOException, InterruptedException {
            return proxy.value(name, left());
        }

        @Override
        public Known<Map<String, Object>> lost(String standby) throws InterruptedException {
            String look = "lost/look?on=" + URLEncoder.encode(standby, StandardCharsets.UTF_8);
            Map<String, Map<String, Object>> views = new LinkedHashMap<>();
            try {
                views.put("this proxy", proxy.within(left()).act(look));
            } catch (IOException | IllegalStateException | IllegalArgumentException e) {
                return unknown(e);
            }
            List<Object> notAsked = new ArrayList<>();
            int unasked = peers.size();
            for (OtherProxy each : peers) {
                try {
                    // A slow one has its share alone.
                    Duration share = left().dividedBy(unasked--);
                    views.put(each.name(), each.admin().within(share).act(look));
                } catch (IOException | IllegalStateException | IllegalArgumentException e) {
                    notAsked.add(Map.of("proxy", each.name(), "why", String.valueOf(e.getMessage())));
                }
            }
            Map<String, Object> united = LostUnion.of(views).all();
            united.put("notAsked", notAsked);
            return Known.of(united);
        }

        private Duration left() {
            return Duration.ofNanos(Math.max(1_000_000, until - System.nanoTime()));
        }

        /** Returns why a question to the admin endpoint came to nothing, by the client's error. */
        static Known<Map<String, Object>> unknown(Exception failure) {
            String message = String.valueOf(failure.getMessage());
            if (failure.getCause() instanceof HttpTimeoutException) {
                return Known.unknown(
                        "the proxy did not respond within its share of --timeout",
                        "repeat this with a longer --timeout (up to 60s); if it stays, see whether the proxy hangs");
            } else if (failure.getCause() instanceof IOException) {
                return Known.unknown(
                        "the proxy was not asked: " + message,
                        failure.getCause() instanceof SSLException
                                ? "mend that, and repeat this"
                                : "start the proxy with this file, and repeat this");
            } else if (message.contains(" responded 401") || message.contains(" responded 403")) {
                return Known.unknown(
                        "the proxy refused the question: " + message.replaceFirst(";.*", ""),
                        "give the running proxy's token as admin.token in the file, and repeat this");
            }
            return Known.unknown(
                    "the proxy did not tell: " + message, "mend that, see the proxy's log, and repeat this");
        }
    }
}
