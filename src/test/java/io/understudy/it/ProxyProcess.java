package io.understudy.it;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.util.internal.PlatformDependent;
import io.understudy.ProxyServer;
import io.understudy.config.ConfigLoader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A proxy in a JVM of its own, so that its memory can be limited and measured. */
final class ProxyProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader responses;
    private final PrintWriter requests;
    private final int port;

    /**
     * Memory and counters of the proxy's JVM.
     *
     * @param closed sessions that ended, by reason
     */
    record Figures(long heapPeak, long direct, long bytesRelayed, Map<String, Long> closed) {}

    private ProxyProcess(Process process) throws IOException {
        this.process = process;
        responses = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        requests = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
        String line = responses.readLine();
        if (line == null) {
            throw new IOException("the proxy's JVM ended at once, with " + process.exitValue());
        }
        port = Integer.parseInt(line);
    }

    /** @param options of the JVM */
    static ProxyProcess start(InetSocketAddress primary, String... options) throws IOException {
        return startWith(ProxyUnderTest.config("127.0.0.1:0", primary, "", ""), options);
    }

    /** @param yaml the configuration, whose first listener is {@link #address} */
    static ProxyProcess startWith(String yaml, String... options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(List.of(options));
        command.addAll(List.of(
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                ProxyProcess.class.getName(),
                yaml));
        return new ProxyProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    InetSocketAddress address() {
        return new InetSocketAddress("127.0.0.1", port);
    }

    synchronized Figures figures() throws IOException {
        requests.println();
        String line = responses.readLine();
        if (line == null) {
            throw new IOException("the proxy's JVM has ended");
        }
        String[] parts = line.split(" ");
        Map<String, Long> closed = new TreeMap<>();
        for (int i = 3; i + 1 < parts.length; i += 2) {
            closed.put(parts[i], Long.parseLong(parts[i + 1]));
        }
        return new Figures(Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]), closed);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** The process's own side: prints its port, then figures for each line that it is sent. */
    public static void main(String[] arguments) throws Exception {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        try (ProxyServer server = new ProxyServer(
                ConfigLoader.load(arguments[0], "test.yaml", Map.of(), name -> null), Map.of(), meters)) {
            server.prepare();
            server.listen();
            PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
            out.println(((InetSocketAddress) server.addresses().get(0)).getPort());
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            while (in.readLine() != null) {
                long heap = ManagementFactory.getMemoryPoolMXBeans().stream()
                        .filter(pool -> pool.getType() == java.lang.management.MemoryType.HEAP)
                        .mapToLong(pool -> pool.getPeakUsage().getUsed())
                        .sum();
                long relayed = (long) meters.find("understudy.bytes").functionCounters().stream()
                        .mapToDouble(FunctionCounter::count)
                        .sum();
                String closed = meters.find("understudy.sessions.closed").counters().stream()
                        .map(counter -> " " + counter.getId().getTag("reason") + " " + (long) counter.count())
                        .collect(Collectors.joining());
                out.println(heap + " " + PlatformDependent.usedDirectMemory() + " " + relayed + closed);
            }
        }
    }
}
