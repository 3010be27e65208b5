package io.understudy.it;

import com.sun.management.UnixOperatingSystemMXBean;
import io.netty.util.internal.PlatformDependent;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.host.PluginTypes;
import io.understudy.logging.EventLog;
import io.understudy.runtime.RunningProxy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The whole program, with its admin endpoint, in a JVM of its own that says what it uses. */
final class SoakProxy implements AutoCloseable {
    private static final long END_SECONDS = 60;

    private final Process process;
    private final BufferedReader responses;
    private final PrintWriter requests;
    private final Path log;
    private final InetSocketAddress address;
    private final int adminPort;

    /** What the process uses. The heap's figure is taken behind a full collection. */
    record Figures(long heap, long direct, long resident, long descriptors, long threads, long sessions) {
        private static Figures parse(String line) {
            String[] parts = line.split(" ");
            return new Figures(
                    Long.parseLong(parts[0]),
                    Long.parseLong(parts[1]),
                    Long.parseLong(parts[2]),
                    Long.parseLong(parts[3]),
                    Long.parseLong(parts[4]),
                    Long.parseLong(parts[5]));
        }
    }

    private SoakProxy(Process process, Path log) throws IOException {
        this.process = process;
        this.log = log;
        responses = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        requests = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
        String[] ports = line().split(" ");
        address = new InetSocketAddress("127.0.0.1", Integer.parseInt(ports[0]));
        adminPort = Integer.parseInt(ports[1]);
    }

    /** @param log gets what the program logs */
    static SoakProxy start(Path config, Path log) throws IOException {
        return new SoakProxy(
                new ProcessBuilder(List.of(
                                System.getProperty("java.home") + "/bin/java",
                                "-Xmx256m",
                                "-XX:+ExitOnOutOfMemoryError",
                                "-cp",
                                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                                SoakProxy.class.getName(),
                                config.toString()))
                        .redirectError(log.toFile())
                        .start(),
                log);
    }

    private String line() throws IOException {
        String line = responses.readLine();
        if (line == null) {
            throw new IOException("the proxy has ended:\n" + Files.readString(log));
        }
        return line;
    }

    InetSocketAddress address() {
        return address;
    }

    int adminPort() {
        return adminPort;
    }

    synchronized Figures figures() throws IOException {
        requests.println("figures");
        return Figures.parse(line());
    }

    List<String> logLines() throws IOException {
        return Files.readAllLines(log);
    }

    /** Drains and waits for the end. Returns the exit code. */
    int stop() throws InterruptedException {
        requests.close();
        return process.waitFor(END_SECONDS, TimeUnit.SECONDS) ? process.exitValue() : -1;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** The process's own side: prints its two ports, then figures for each line, until its input ends. */
    public static void main(String[] arguments) throws Exception {
        Path file = Path.of(arguments[0]);
        PluginTypes plugins = PluginTypes.installed();
        LoadedConfig loaded = ConfigLoader.load(file, plugins.records());
        EventLog.apply(loaded.config().log(), plugins.packages());
        try (RunningProxy proxy =
                RunningProxy.start(loaded, plugins, () -> ConfigLoader.load(file, plugins.records()))) {
            PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
            out.println(((InetSocketAddress) proxy.proxy().addresses().get(0)).getPort() + " "
                    + Objects.requireNonNull(proxy.adminAddress()).getPort());
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            while (in.readLine() != null) {
                out.println(measure(proxy));
            }
            proxy.drain();
        }
        System.exit(0);
    }

    private static String measure(RunningProxy proxy) throws IOException {
        System.gc();
        UnixOperatingSystemMXBean system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        long resident = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                .sum();
        List<String> figures = new ArrayList<>();
        for (long figure : new long[] {
            ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
            direct + Math.max(0, PlatformDependent.usedDirectMemory()),
            resident,
            system.getOpenFileDescriptorCount(),
            ManagementFactory.getThreadMXBean().getThreadCount(),
            proxy.proxy().registry().count()
        }) {
            figures.add(String.valueOf(figure));
        }
        return String.join(" ", figures);
    }
}
