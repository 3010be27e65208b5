package io.understudy.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** The relay's meters. Thread-safe. */
public final class CoreMetrics {
    /** Outcomes of connections whose client was not served though it did nothing wrong. */
    public static final Set<String> NOT_SERVED = Set.of(
            "refused_max_connections",
            "refused_no_descriptors",
            "primary_unreachable",
            "primary_silent",
            "server_tls_failed",
            "refused_by_plugin");

    /** Outcome of a session that has moved. */
    public static final String MOVED = "moved";

    private static final String UNKNOWN = "unknown";

    private final MeterRegistry registry;
    private final LatencyHistograms histograms;
    private final ConcurrentMap<String, Counter> outcomes = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Counter> closings = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Counter> injected = new ConcurrentHashMap<>();
    private final LatencyHistogram overhead;
    private volatile LatencyHistogram[] kinds = {};
    private final Counter redirects;
    private final List<RelayCounts> relayCounts = new CopyOnWriteArrayList<>();
    private final ThreadLocal<RelayCounts> ofThread = ThreadLocal.withInitial(this::newRelayCounts);

    /** @param commandName returns the lower-case name of a command code, from a bounded set */
    public CoreMetrics(MeterRegistry registry, LatencyHistograms histograms, IntFunction<String> commandName) {
        this.registry = registry;
        this.histograms = histograms;
        overhead = histograms.series(
                "understudy_proxy_overhead_seconds", "Time a command and its response spent inside the proxy");
        redirects = Counter.builder("understudy.redirects.removed")
                .description("OK packets from which redirect_url was removed: it would lead the client past the proxy")
                .register(registry);
        movedTotal(MOVED);
        int[] unknown = IntStream.range(0, RelayCounts.CODES)
                .filter(code -> commandName.apply(code).equals(UNKNOWN))
                .toArray();
        for (int code = 0; code < RelayCounts.CODES; code++) {
            if (!commandName.apply(code).equals(UNKNOWN)) {
                commandCounter(commandName.apply(code), code);
            }
        }
        commandCounter(UNKNOWN, unknown);
        // Prometheus sees the first of an increase only if the series was there before.
        NOT_SERVED.forEach(this::outcome);
        bytes("from_client", RelayCounts.FROM_CLIENT);
        bytes("from_server", RelayCounts.FROM_SERVER);
    }

    private void commandCounter(String name, int... codes) {
        FunctionCounter.builder("understudy.commands", this, core -> core.total(codes))
                .description("Commands forwarded")
                .tag("command", name)
                .register(registry);
    }

    private void bytes(String direction, int counter) {
        FunctionCounter.builder("understudy.bytes", this, core -> core.total(counter))
                .description("Bytes relayed")
                .tag("direction", direction)
                .register(registry);
    }

    private double total(int... counters) {
        long total = 0;
        for (RelayCounts counts : relayCounts) {
            for (int counter : counters) {
                total += counts.get(counter);
            }
        }
        return total;
    }

    /** Returns the counts of the calling thread, for a session that lives on it. */
    public RelayCounts relayCounts() {
        return ofThread.get();
    }

    private RelayCounts newRelayCounts() {
        RelayCounts counts = new RelayCounts(overhead.recorder(), kinds);
        relayCounts.add(counts);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        if (threads.isThreadCpuTimeSupported()) {
            long id = Thread.currentThread().getId();
            FunctionCounter.builder("understudy.relay.cpu.seconds", threads, all -> all.getThreadCpuTime(id) / 1e9)
                    .description("CPU time of a thread that relays sessions")
                    .tag("thread", Thread.currentThread().getName())
                    .register(registry);
        }
        return counts;
    }

    public MeterRegistry registry() {
        return registry;
    }

    public LatencyHistograms histograms() {
        return histograms;
    }

    /** Publishes the number of client connections. */
    public void sessions(Supplier<Number> count) {
        Gauge.builder("understudy.sessions", count)
                .description("Client connections now")
                .register(registry);
    }

    /** Publishes the memory that decompressors hold and the number of sessions that wait for some. */
    public void inflation(Supplier<Number> bytes, Supplier<Number> waiting) {
        Gauge.builder("understudy.inflation.bytes", bytes)
                .description("Memory held by decompressors, bytes; bounded by limits.inflationBytes")
                .register(registry);
        Gauge.builder("understudy.inflation.waiting", waiting)
                .description("Sessions whose compressed frame waits for limits.inflationBytes")
                .register(registry);
    }

    /** Counts an address that the primary directed a client to, and that the client was not shown. */
    public void redirectRemoved() {
        redirects.increment();
    }

    /** Counts a client connection by outcome: accepted, or why it was refused. */
    public void connection(String outcome) {
        outcome(outcome).increment();
    }

    private Counter outcome(String outcome) {
        return outcomes.computeIfAbsent(
                outcome,
                name -> Counter.builder("understudy.connections")
                        .description("Client connections by outcome")
                        .tag("outcome", name)
                        .register(registry));
    }

    /** Counts a session's end by reason. */
    public void closed(String reason) {
        closings.computeIfAbsent(
                        reason,
                        name -> Counter.builder("understudy.sessions.closed")
                                .description("Sessions ended, by reason")
                                .tag("reason", name)
                                .register(registry))
                .increment();
    }

    /** Counts a session that was to go on at a new primary: moved, or why it was closed instead. */
    public void moved(String outcome) {
        movedTotal(outcome).increment();
    }

    private Counter movedTotal(String outcome) {
        return Counter.builder("understudy.sessions.moved")
                .description("Sessions taken to a new primary, or the reason why one was closed instead")
                .tag("outcome", outcome)
                .register(registry);
    }

    /** Counts a session that is relayed unread from now on, by what did not fit. */
    public void unread(String reason) {
        Counter.builder("understudy.unread.sessions")
                .description("Sessions relayed unread because a packet did not fit the protocol, by what did not fit")
                .tag("reason", reason)
                .register(registry)
                .increment();
    }

    /** Sets the names of the kinds of commands; several may share one. Must be called before {@link #relayCounts}. */
    public void setKinds(List<String> names) {
        kinds = names.stream()
                .map(name -> histograms.series(
                        "understudy_command_seconds", "Command received to last byte of its response", "kind", name))
                .toArray(LatencyHistogram[]::new);
    }

    /** Counts an injected statement that the server executed. */
    public void injected(String plugin) {
        injected.computeIfAbsent(plugin, name -> injected(name, "ok")).increment();
    }

    /** Counts an injected statement that the server refused. */
    public void injectionRefused(String plugin, int errorCode) {
        injected(plugin, "error_" + errorCode).increment();
    }

    private Counter injected(String plugin, String outcome) {
        return Counter.builder("understudy.injected.statements")
                .description("Statements added by the proxy")
                .tag("plugin", plugin)
                .tag("outcome", outcome)
                .register(registry);
    }

    /** Counts a login that a plugin has refused, or a session that it has ended. */
    public void refusedByPlugin(String plugin, String reason) {
        Counter.builder("understudy.plugin.refusals")
                .description("Logins that a plugin refused and sessions that it ended, by its reason")
                .tag("plugin", plugin)
                .tag("reason", reason)
                .register(registry)
                .increment();
    }

    /** Counts an observer that threw. */
    public void observerFault(String plugin) {
        Counter.builder("understudy.observer.faults")
                .description("Observers retired from their session because they threw")
                .tag("plugin", plugin)
                .register(registry)
                .increment();
    }
}
