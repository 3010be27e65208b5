package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.uring.IoUring;
import io.netty.util.ResourceLeakDetector;
import io.understudy.protocol.CommandCode;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a query costs the session's event loop, in quantities that are counted: bytes allocated, and system calls. The
 * bounds are an object more, and one and a half times the system calls counted when they were written, so that only a
 * gross regression fails. {@code benchmarks/run} measures the time.
 */
class CountedCostTest {
    private static final int WARMUP = 300;
    private static final int ROUNDS = 3;
    /** Further rounds may follow until then: a plugin knows the primary's tables only some time after the start. */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final int QUERIES = 300;

    /** Counted: 0 to 3. The smallest object has 16 bytes. */
    private static final double BYTES = 8;

    private static final double BYTES_OF_A_COMMIT = 1.5 * 400;

    /** Counted: two for each of the two packets, a wait and a submission. */
    private static final double CALLS_OF_IO_URING = 1.5 * 4.1;
    /** Counted: three for each of the two packets, a wait, a receive and a send. */
    private static final double CALLS_OF_EPOLL = 1.5 * 6.2;

    private static final String PLUGINS = """
            transport: epoll
            listen: { address: "127.0.0.1:0" }
            primary:
              address: "127.0.0.1:%1$d"
              tls: { mode: disabled }
              monitor: { user: cost, password: cost }
            standbys:
              - { name: standby, address: "127.0.0.1:%1$d", tls: { mode: disabled }, user: cost, password: cost }
            admin: { enabled: false }
            plugins:
              mirror: { rules: [ { name: all, sample: 0%% } ] }
              commit-latency: {}
              gtid-domain: { mode: advise, rules: [ { name: ddl, match: { kind: ddl }, domain: 10 } ] }
              query-log: {}
              black-box: {}
            """;

    private static final Pattern TOTAL = Pattern.compile("(?m)^\\s*(\\d+)\\s+total$");
    private static final String TABLE = ServerUnderTest.SCHEMA + ".cost";

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static ServerUnderTest server;
    private static ResourceLeakDetector.Level leakDetection;

    @TempDir
    private static Path folder;

    @BeforeAll
    static void start() throws Exception {
        server = ServerUnderTest.shared();
        server.execute(
                "DROP TABLE IF EXISTS " + TABLE,
                "CREATE TABLE " + TABLE + " (id INT PRIMARY KEY, v VARCHAR(20))",
                "INSERT INTO " + TABLE + " VALUES (1, 'one'), (2, 'two')",
                "CREATE OR REPLACE USER cost@'%' IDENTIFIED BY 'cost'",
                "GRANT ALL ON *.* TO cost@'%'");
        // The tests' own detection of leaks allocates a stack trace for each use of a buffer.
        leakDetection = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }

    @AfterAll
    static void stop() {
        ResourceLeakDetector.setLevel(leakDetection);
    }

    private interface Query {
        void run(RawClient client) throws IOException;
    }

    private static void textSelect(RawClient client) throws IOException {
        client.query("SELECT v FROM " + TABLE + " WHERE id = 1");
        client.readResult();
    }

    @Test
    void aTextSelectAllocatesNothing() throws Exception {
        assertThat(allocated(CountedCostTest::textSelect)).isLessThan(BYTES);
    }

    @Test
    void anUpdateAllocatesNothing() throws Exception {
        assertThat(allocated(client -> client.execute("UPDATE " + TABLE + " SET v = 'one' WHERE id = 1")))
                .isLessThan(BYTES);
    }

    @Test
    void aPreparedSelectAllocatesNothing() throws Exception {
        assertThat(allocated(executionOf("SELECT v FROM " + TABLE + " WHERE id = 1")))
                .isLessThan(BYTES);
    }

    @Test
    void aPreparedTransactionAllocatesNothing() throws Exception {
        Query update = executionOf("UPDATE " + TABLE + " SET v = 'one' WHERE id = 1");
        Query select = executionOf("SELECT v FROM " + TABLE + " WHERE id = 1");
        assertThat(allocated(client -> {
                    client.execute("BEGIN");
                    select.run(client);
                    update.run(client);
                    client.execute("COMMIT");
                }))
                .isLessThan(BYTES);
    }

    @Test
    void aSessionThatMayMoveAllocatesNothing() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start("transport: epoll\n"
                + ProxyUnderTest.config("127.0.0.1:0", server.address(), "", "failover: { sessions: move }"))) {
            assertThat(allocated(proxy, CountedCostTest::textSelect, BYTES)).isLessThan(BYTES);
            Query execution = executionOf("SELECT v FROM " + TABLE + " WHERE id = ?", 0, 1, 3, 0, 1, 0, 0, 0);
            assertThat(allocated(proxy, execution, BYTES)).isLessThan(BYTES);
        }
    }

    @Test
    void readsAllocateNothingWithPluginsEither() throws Exception {
        assumeTrue(server.isMariaDb(), "the servers' grants differ");
        try (ProxyUnderTest proxy = withPlugins()) {
            assertThat(allocated(proxy, CountedCostTest::textSelect, BYTES)).isLessThan(BYTES);
            assertThat(allocated(proxy, executionOf("SELECT v FROM " + TABLE + " WHERE id = 1"), BYTES))
                    .isLessThan(BYTES);
            Query rows = client -> {
                client.query("SELECT seq FROM seq_1_to_400");
                client.readResult();
            };
            assertThat(allocated(proxy, rows, BYTES)).isLessThan(BYTES);
        }
    }

    @Test
    void aCommitAllocatesLittleWithPlugins() throws Exception {
        assumeTrue(server.isMariaDb(), "the servers' grants differ");
        try (ProxyUnderTest proxy = withPlugins()) {
            Query update = executionOf("UPDATE " + TABLE + " SET v = 'one' WHERE id = 1");
            assertThat(allocated(proxy, update, BYTES_OF_A_COMMIT)).isLessThan(BYTES_OF_A_COMMIT);
        }
    }

    private static ProxyUnderTest withPlugins() throws Exception {
        return ProxyUnderTest.start(PLUGINS.formatted(server.address().getPort()));
    }

    /**
     * Returns the execution of a statement, which is prepared by the first.
     *
     * @param parameters the bytes of their NULLs, types and values
     */
    private static Query executionOf(String sql, int... parameters) {
        ByteBuffer execution = ByteBuffer.allocate(9 + parameters.length).order(ByteOrder.LITTLE_ENDIAN);
        execution.putInt(5, 1); // one iteration
        for (int i = 0; i < parameters.length; i++) {
            execution.put(9 + i, (byte) parameters[i]);
        }
        return client -> {
            if (execution.getInt(0) == 0) {
                execution.putInt(0, prepare(client, sql));
            }
            client.command(CommandCode.STMT_EXECUTE, execution.array());
            client.readResult();
        };
    }

    @Test
    void aResultOfManyRowsAllocatesNothing() throws Exception {
        assumeTrue(server.isMariaDb(), "the sequence engine is MariaDB's");
        assertThat(allocated(client -> {
                    client.query("SELECT seq FROM seq_1_to_400");
                    client.readResult();
                }))
                .isLessThan(BYTES);
    }

    @Test
    void aTextSelectNeedsFewSystemCallsOnIoUring() throws Exception {
        assumeTrue(IoUring.isAvailable(), "io_uring is not available here");
        assertThat(systemCalls("io_uring", CountedCostTest::textSelect)).isLessThan(CALLS_OF_IO_URING);
    }

    @Test
    void aTextSelectNeedsFewSystemCallsOnEpoll() throws Exception {
        assumeTrue(Epoll.isAvailable(), "epoll is not available here");
        assertThat(systemCalls("epoll", CountedCostTest::textSelect)).isLessThan(CALLS_OF_EPOLL);
    }

    /** Returns the statement's id. */
    private static int prepare(RawClient client, String sql) throws IOException {
        client.command(CommandCode.STMT_PREPARE, sql);
        ByteBuffer ok = ByteBuffer.wrap(client.read().payload()).order(ByteOrder.LITTLE_ENDIAN);
        int definitions = ok.getShort(5);
        // An EOF packet follows them, but not where there are none, as of a write.
        for (int packet = 0; packet < definitions + Integer.signum(definitions); packet++) {
            client.read();
        }
        return ok.getInt(1);
    }

    private static ProxyUnderTest proxy(String transport) throws Exception {
        return ProxyUnderTest.start(
                "transport: " + transport + "\n" + ProxyUnderTest.config("127.0.0.1:0", server.address(), "", ""));
    }

    private static void repeat(int times, Query query, RawClient client) throws IOException {
        for (int i = 0; i < times; i++) {
            query.run(client);
        }
    }

    /**
     * Returns the bytes that the event loops allocate for one query, in the best of some rounds: another has what is
     * allocated once in a while, as a chunk of buffers. Netty itself allocates nothing on epoll, so that what is
     * counted there is the proxy's; on io_uring it allocates an object for each request.
     */
    private static double allocated(Query query) throws Exception {
        try (ProxyUnderTest proxy = proxy("epoll")) {
            return allocated(proxy, query, BYTES);
        }
    }

    /** @param few below which no further rounds are needed */
    private static double allocated(ProxyUnderTest proxy, Query query, double few) throws Exception {
        assumeTrue(Epoll.isAvailable(), "epoll is not available here");
        try (RawClient client = RawClient.login(proxy.address(), server)) {
            repeat(WARMUP, query, client);
            long[] loops = eventLoops();
            long began = System.nanoTime();
            double least = Double.MAX_VALUE;
            for (int round = 0; round < ROUNDS || least >= few && System.nanoTime() - began < LONGEST_NANOS; round++) {
                long before =
                        Arrays.stream(THREADS.getThreadAllocatedBytes(loops)).sum();
                repeat(QUERIES, query, client);
                long after =
                        Arrays.stream(THREADS.getThreadAllocatedBytes(loops)).sum();
                least = Math.min(least, (after - before) / (double) QUERIES);
            }
            return least;
        }
    }

    private static long[] eventLoops() {
        return Arrays.stream(THREADS.getThreadInfo(THREADS.getAllThreadIds()))
                .filter(thread -> thread != null && thread.getThreadName().startsWith("relay-"))
                .mapToLong(ThreadInfo::getThreadId)
                .toArray();
    }

    /** Returns the system calls of the event loops for one query, counted by strace. */
    private static double systemCalls(String transport, Query query) throws Exception {
        try (ProxyUnderTest proxy = proxy(transport);
                RawClient client = RawClient.login(proxy.address(), server)) {
            repeat(WARMUP, query, client);
            List<String> loops = nativeLoops();
            Path counts = folder.resolve(transport);
            Path said = folder.resolve(transport + "-said");
            List<String> command =
                    new ArrayList<>(List.of("strace", "-c", "-U", "calls,name", "-o", counts.toString()));
            loops.forEach(loop -> command.addAll(List.of("-p", loop)));
            Process started = started(command, said);
            assumeTrue(
                    started != null && attached(started, said, loops.size()), "strace is not here, or may not attach");
            Process strace = Objects.requireNonNull(started);
            try {
                repeat(QUERIES, query, client);
            } finally {
                new ProcessBuilder("kill", "-INT", String.valueOf(strace.pid()))
                        .start()
                        .waitFor();
                if (!strace.waitFor(20, TimeUnit.SECONDS)) {
                    strace.destroyForcibly();
                }
            }
            assumeTrue(Files.size(counts) > 0, "strace has not ended");
            Matcher total = TOTAL.matcher(Files.readString(counts));
            assertThat(total.find()).as(Files.readString(counts)).isTrue();
            return Integer.parseInt(total.group(1)) / (double) QUERIES;
        }
    }

    private static @Nullable Process started(List<String> command, Path said) {
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns whether strace has attached to all threads; false if it has ended instead. */
    private static boolean attached(Process strace, Path said, int threads) throws IOException, InterruptedException {
        while (strace.isAlive()) {
            if (Files.readString(said)
                            .lines()
                            .filter(line -> line.contains("attached"))
                            .count()
                    >= threads) {
                return true;
            }
            strace.waitFor(20, TimeUnit.MILLISECONDS);
        }
        return false;
    }

    /** Returns the kernel's ids of the event loops. */
    private static List<String> nativeLoops() throws IOException {
        List<String> found = new ArrayList<>();
        try (var tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                try {
                    String name = Files.readString(task.resolve("comm"), StandardCharsets.UTF_8);
                    if (name.startsWith("relay-")) {
                        found.add(String.valueOf(task.getFileName()));
                    }
                } catch (IOException e) {
                    // another thread, which has ended
                }
            }
        }
        return found;
    }
}
