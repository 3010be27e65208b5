package io.understudy.plugins.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.github.luben.zstd.ZstdOutputStream;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.base.ByteSize;
import io.understudy.config.ConfigException;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.plugin.HashedResult;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PreparedStatement;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.Literals;
import io.understudy.testkit.Fakes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class CaptureTest {
    private static final CapturedSession SESSION = new CapturedSession(
            1, 2, "app", "10.0.0.9", "shop", 45, null, null, null, null, true, null, null, List.of());

    @TempDir
    private Path folder;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private CaptureConfig config(@Nullable CaptureSecret secret) {
        return new CaptureConfig(
                folder.resolve("captures").toString(),
                Literals.KEEP,
                Results.NONE,
                new ByteSize(64 * 1024),
                new ByteSize(512 * 1024),
                new ByteSize(1),
                new ByteSize(1 << 20),
                secret);
    }

    private Capture capture(CaptureConfig config, CaptureFiles files) throws IOException {
        return new Capture(config, new CaptureMeters(registry), Clock.systemUTC(), null, files);
    }

    private static CapturedCommand command(String text) {
        return new CapturedCommand(
                SESSION,
                CommandCode.QUERY,
                text.getBytes(StandardCharsets.UTF_8),
                null,
                null,
                System.nanoTime(),
                5,
                1,
                0,
                0,
                null,
                false);
    }

    private double count(String outcome) {
        return registry.get("understudy.capture.events")
                .tag("outcome", outcome)
                .counter()
                .count();
    }

    private String text(@Nullable CaptureSecret secret) throws IOException {
        try (InputStream in = CaptureInput.open(folder.resolve("captures"), secret, note -> {})) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Sessions go on, memory is bounded, and the reason is told. */
    @Test
    void aSlowDiskEndsTheCapture() throws Exception {
        CountDownLatch disk = new CountDownLatch(1);
        CaptureConfig config = config(null);
        Capture capture =
                capture(config, new CaptureFiles(config, Clock.systemUTC().instant()) {
                    @Override
                    void write(byte[] plain, int length) throws IOException {
                        try {
                            disk.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        super.write(plain, length);
                    }
                });
        String text = "SELECT '" + "x".repeat(10_000) + "'";
        long offered = 0;
        while (capture.isActive() && offered < 100_000) {
            capture.offer(command(text));
            offered++;
        }
        // The queue's megabyte and the frame that the disk does not take.
        assertThat(offered).isLessThan(200);
        assertThat(capture.view()).containsEntry("active", false);
        assertThat(String.valueOf(capture.view().get("stopped"))).contains("the disk is slower than the traffic");
        disk.countDown();
        capture.await(30_000);
        assertThat(count("captured")).isEqualTo(offered - 1.0);
    }

    @Test
    void aFullDiskEndsTheCapture() throws Exception {
        CaptureConfig config = config(null);
        Capture capture =
                capture(config, new CaptureFiles(config, Clock.systemUTC().instant()) {
                    @Override
                    void write(byte[] plain, int length) throws IOException {
                        throw new IOException("No space left on device");
                    }
                });
        capture.offer(command("SELECT 1"));
        capture.await(30_000);
        assertThat(capture.view().get("stopped")).isEqualTo("writing failed: No space left on device");
        assertThat(count("captured")).isZero();
        assertThat(count("dropped")).isEqualTo(1);
        CaptureConfig greedy = new CaptureConfig(
                folder.toString(),
                Literals.DROP,
                Results.NONE,
                new ByteSize(1 << 20),
                new ByteSize(1 << 22),
                new ByteSize(Long.MAX_VALUE),
                new ByteSize(1 << 20),
                null);
        assertThatThrownBy(() -> new Capture(greedy, new CaptureMeters(registry), Clock.systemUTC(), null))
                .hasMessageContaining("less than minFree");
    }

    /** Other tasks fill the plugin's executor, or those of captures that were stopped before their time. */
    @Test
    void aCaptureEndsAtItsTimeWithoutTheExecutor() throws Exception {
        Map<String, PluginContext.Action> actions = new TreeMap<>();
        PluginContext context = Fakes.of(PluginContext.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "meters" -> registry;
            case "clock" -> Clock.systemUTC();
            case "publish" -> null;
            case "publishAction" ->
                actions.put((String) arguments[0], (PluginContext.Action) arguments[arguments.length - 1]);
            default -> throw new RejectedExecutionException(method.getName());
        });
        CapturePlugin plugin = new CapturePlugin();
        plugin.start(context, config(null));
        Objects.requireNonNull(actions.get("capture/start")).run(Map.of("for", "200ms"));
        Capture capture = Objects.requireNonNull(plugin.active());
        capture.await(30_000);
        assertThat(capture.view()).containsEntry("stopped", Capture.REQUESTED);
        plugin.stop();
    }

    @Test
    void hashesNeedStatementsWithTheirValues() {
        assertThatThrownBy(() -> new CaptureConfig(
                        folder.toString(),
                        Literals.DROP,
                        Results.HASH,
                        new ByteSize(1 << 20),
                        new ByteSize(1 << 22),
                        new ByteSize(1),
                        new ByteSize(1 << 20),
                        null))
                .hasMessageStartingWith("results: hash needs literals: keep");
    }

    @Test
    void hashesAreReadAsTheyWereWritten() {
        HashedResult result = new HashedResult(3, -1, 5, true);
        assertThat(HashedResult.parse(3, result.hashes())).isEqualTo(result);
        HashedResult whole = new HashedResult(0, 0, 0, false);
        assertThat(HashedResult.parse(0, whole.hashes())).isEqualTo(whole);
        for (String wrong : List.of("", "0", "part", "0000000000000000", whole.hashes() + "0", "z" + whole.hashes())) {
            assertThatThrownBy(() -> HashedResult.parse(0, wrong)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static LoadedConfig load(String section) throws ConfigException {
        String text = "{ primary: { address: \"p:1\" }, plugins: { capture: { directory: d, " + section + " } } }";
        return ConfigLoader.load(text, "test.yaml", Map.of("capture", CaptureConfig.class), name -> null);
    }

    /** Problems are logged, with an excerpt of the file. */
    @Test
    void theSecretIsNotShownWhereItsKeyIsMisspelled() {
        assertThatThrownBy(() -> load("secrets: a-secret-of-fair-length"))
                .isInstanceOfSatisfying(
                        ConfigException.class,
                        e -> assertThat(e.problems().toString())
                                .contains("did you mean")
                                .doesNotContain("fair-length"));
        assertThatThrownBy(() -> load("secret: short"))
                .hasMessageContaining("secret: must have at least 16 characters");
    }

    /** Both have the same second in their names. */
    @Test
    void aCaptureThatFollowsAtOnceKeepsItsStatements() throws Exception {
        CaptureConfig config = config(null);
        for (int i = 0; i < 3; i++) {
            Capture capture = capture(config, new CaptureFiles(config, Instant.EPOCH));
            capture.offer(command("SELECT " + i + " AS kept"));
            capture.stop(Capture.REQUESTED);
            capture.await(30_000);
            assertThat(capture.view())
                    .containsEntry("stopped", Capture.REQUESTED)
                    .containsEntry("statements", 1L)
                    .containsEntry("files", 1);
        }
        assertThat(text(null)).containsSubsequence("SELECT 0 AS kept", "SELECT 1 AS kept", "SELECT 2 AS kept");
    }

    /** Files are in the order of their numbers, also beyond the four digits that a number usually has. */
    @Test
    void theTenThousandthFileIsTheNewest() throws Exception {
        Path captures = Files.createDirectories(folder.resolve("captures"));
        for (String name : List.of("10000", "9999", "0001")) {
            Files.writeString(captures.resolve("capture-20260115T090501Z-" + name + ".zst"), "");
        }
        Files.writeString(captures.resolve("capture-20260114T090501Z-0002.zst.aes"), "");
        Files.writeString(captures.resolve("capture-x.zst"), "");
        assertThat(CaptureFiles.list(captures))
                .extracting(file -> file.getFileName().toString())
                .startsWith(
                        "capture-20260114T090501Z-0002.zst.aes",
                        "capture-20260115T090501Z-0001.zst",
                        "capture-20260115T090501Z-9999.zst",
                        "capture-20260115T090501Z-10000.zst");
    }

    /** A thread that ends with an Error does not leave a capture that seems to run. */
    @Test
    void anErrorEndsTheCapture() throws Exception {
        CaptureConfig config = config(null);
        Capture capture = capture(config, new CaptureFiles(config, Instant.EPOCH) {
            @Override
            void write(byte[] plain, int length) {
                throw new UnsatisfiedLinkError("no zstd here");
            }
        });
        capture.offer(command("SELECT 1"));
        capture.await(30_000);
        assertThat(capture.view()).containsEntry("active", false);
        assertThat(String.valueOf(capture.view().get("stopped"))).contains("no zstd here");
    }

    /** The end that was asked for does not hide that nothing was written. */
    @Test
    void anEndThatCannotBeWrittenIsTold() throws Exception {
        CaptureConfig config = config(null);
        Capture capture = capture(config, new CaptureFiles(config, Instant.EPOCH) {
            @Override
            void write(byte[] plain, int length) throws IOException {
                throw new IOException("No space left on device");
            }
        });
        capture.offer(command("SELECT 1"));
        capture.stop(Capture.REQUESTED);
        capture.await(30_000);
        assertThat(capture.view().get("stopped")).isEqualTo("writing failed: No space left on device");
        assertThat(count("dropped")).isEqualTo(1);
    }

    /** A capture is played on servers: a bit that changed on the disk must not become another statement. */
    @Test
    void aChangedBitIsTold() throws Exception {
        CaptureConfig config = config(null);
        Capture capture = capture(config, new CaptureFiles(config, Instant.EPOCH));
        for (int i = 0; i < 200; i++) {
            capture.offer(command("UPDATE account SET balance = " + i * 7919 + " WHERE id = " + i * 31));
        }
        capture.stop(Capture.REQUESTED);
        capture.await(30_000);
        String whole = text(null);
        Path file = CaptureFiles.list(folder.resolve("captures")).get(0);
        byte[] good = Files.readAllBytes(file);
        for (int at = 200; at < good.length - 100; at += 53) {
            byte[] bad = good.clone();
            bad[at] ^= 1;
            Files.write(file, bad);
            String read;
            try {
                read = text(null);
            } catch (IOException e) {
                continue;
            }
            assertThat(whole).as("bit 0 of byte " + at).startsWith(read);
        }
    }

    /** Offered statements are on disk soon, without a stop; a file that was cut off is read to its last frame. */
    @Test
    void aKillLosesAtMostASecond() throws Exception {
        CaptureConfig config = config(null);
        Capture capture =
                capture(config, new CaptureFiles(config, Clock.systemUTC().instant()));
        for (int i = 0; i < 3; i++) {
            String text = "SELECT " + i + " AS flushed";
            capture.offer(command(text));
            await().ignoreExceptions()
                    .atMost(java.time.Duration.ofMillis(1500))
                    .until(() -> text(null).contains(text));
        }
        byte[] whole =
                Files.readAllBytes(CaptureFiles.list(folder.resolve("captures")).get(0));
        String all = text(null);
        for (int cut = whole.length; cut > 0; cut--) {
            Path file = Files.write(folder.resolve("cut.zst"), java.util.Arrays.copyOf(whole, cut));
            try (InputStream in = CaptureInput.open(file, null, note -> {})) {
                String read = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                assertThat(all).as("cut at %d", cut).startsWith(cut < 4 ? "" : read);
            }
        }
        capture.stop(Capture.REQUESTED);
        capture.await(30_000);
    }

    @Test
    void filesRotateAndTheOldestGo() throws Exception {
        CaptureConfig config = config(null);
        Capture capture =
                capture(config, new CaptureFiles(config, Clock.systemUTC().instant()));
        java.util.Random random = new java.util.Random(5);
        for (int i = 0; i < 3000 && capture.isActive(); i++) {
            byte[] noise = new byte[500];
            random.nextBytes(noise);
            capture.offer(command(
                    "SELECT /* " + i + " */ x'" + java.util.HexFormat.of().formatHex(noise) + "'"));
            if (i % 500 == 499) {
                long written = i;
                await().until(() -> count("captured") >= written - 1);
            }
        }
        capture.stop(Capture.REQUESTED);
        capture.await(30_000);
        List<Path> files = CaptureFiles.list(folder.resolve("captures"));
        long total = 0;
        for (Path file : files) {
            total += Files.size(file);
        }
        assertThat(files).hasSizeGreaterThan(1);
        assertThat(total).isLessThan(512 * 1024 + 400 * 1024);
        assertThat((Integer) capture.view().get("files")).isGreaterThan(files.size());
        assertThat(text(null)).contains("/* 2999 */").doesNotContain("/* 0 */");
        // Every file can be read alone, and its end has the table of frames.
        for (Path file : files) {
            byte[] bytes = Files.readAllBytes(file);
            assertThat(java.util.Arrays.copyOfRange(bytes, bytes.length - 4, bytes.length))
                    .containsExactly(0xB1, 0xEA, 0x92, 0x8F);
            try (InputStream in = CaptureInput.open(file, null, note -> {})) {
                assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                        .contains("# Settings: \"NAMES utf8mb4\"", "# User: \"app\"");
            }
        }
    }

    @Test
    void encryptedFilesShowNothing() throws Exception {
        CaptureSecret secret = CaptureSecret.parse("a secret of fair length");
        CaptureConfig config = config(secret);
        Capture capture =
                capture(config, new CaptureFiles(config, Clock.systemUTC().instant()));
        capture.offer(command("SELECT 'visible'"));
        capture.stop(Capture.REQUESTED);
        capture.await(30_000);
        Path file = CaptureFiles.list(folder.resolve("captures")).get(0);
        byte[] bytes = Files.readAllBytes(file);
        assertThat(new String(bytes, StandardCharsets.ISO_8859_1))
                .doesNotContain("visible")
                .doesNotContain("Conn_ID");
        assertThat(text(secret)).contains("SELECT 'visible'");
        assertThatThrownBy(() -> text(null)).hasMessageContaining("--secret-file");
        assertThatThrownBy(() -> text(CaptureSecret.parse("another secret of some length")))
                .hasMessageContaining("another secret");
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
        assertThatThrownBy(() -> text(secret)).hasMessageContaining("was changed");
        assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
        assertThat(secret.toString()).doesNotContain("fair");
    }

    /** The failed frame has used its number, and no other bytes may be encrypted with that. */
    @Test
    void anEncryptedCaptureThatAFullDiskEndsIsReadToThere() throws Exception {
        CaptureSecret secret = CaptureSecret.parse("a secret of fair length");
        CaptureFiles files = new CaptureFiles(config(secret), Instant.EPOCH) {
            private int frames;

            @Override
            void put(FileChannel open, byte[] content, int length) throws IOException {
                if (length > CaptureFrames.HEADER + FileCipher.SALT + 8 && ++frames == 3) {
                    super.put(open, content, length / 2);
                    throw new IOException("No space left on device");
                }
                super.put(open, content, length);
            }
        };
        byte[] first = "the first frame".getBytes(StandardCharsets.UTF_8);
        files.write(first, first.length);
        files.write(first, first.length);
        assertThatThrownBy(() -> files.write(first, first.length)).hasMessageContaining("No space");
        files.close();
        assertThat(text(secret)).isEqualTo("the first framethe first frame");
    }

    /** The longest record is of a statement of 16 MiB; a file that was made to fill the memory has more. */
    @Test
    void aFrameHasNoMoreThanALongRecord() throws Exception {
        byte[] plain = new byte[33 << 20];
        for (int size : new int[] {24 << 20, plain.length}) {
            Path folder = Files.createDirectories(this.folder.resolve("captures"));
            for (Path file : CaptureFiles.list(folder)) {
                Files.delete(file);
            }
            try (CaptureFiles files = new CaptureFiles(config(null), Instant.EPOCH)) {
                files.write(plain, size);
            }
            if (size < plain.length) {
                assertThat(text(null)).hasSize(size);
            } else {
                assertThatThrownBy(() -> text(null)).hasMessageContaining("cannot be decompressed");
            }
        }
    }

    /** Readers know as many statements of a session; what they have forgotten is said again. */
    @Test
    void aFrameSaysAStatementAgainThatItsReadersHaveForgotten() {
        RecordWriter writer = new RecordWriter(Instant.EPOCH, 0);
        List<PreparedStatement> statements = IntStream.rangeClosed(0, CaptureStream.STATEMENTS)
                .mapToObj(CaptureTest::prepared)
                .toList();
        for (int i = 0; i <= statements.size(); i++) {
            PreparedStatement prepared = statements.get(i % statements.size());
            writer.write(new CapturedCommand(
                    SESSION, CommandCode.STMT_EXECUTE, new byte[9], prepared, null, 0, 5, 1, 0, 0, null, false));
        }
        String records = new String(writer.bytes(), 0, writer.length(), StandardCharsets.UTF_8);
        assertThat(records.split("# Prepared_stmt: \"SELECT 0\"", -1)).hasSize(3);
        assertThat(records.split("# Prepared_stmt: \"SELECT 1\"", -1)).hasSize(2);
    }

    private static PreparedStatement prepared(int id) {
        return Fakes.of(
                PreparedStatement.class,
                Map.of("id", id, "text", ("SELECT " + id).getBytes(StandardCharsets.UTF_8), "parameters", 0));
    }

    /** A live stream may have no more for hours than its first statement. */
    @Test
    void aLiveStreamIsReadAsFarAsItHasCome() throws Exception {
        String text = "# Time: 2026-01-01T00:00:00Z\n# User@Host: app[app] @ [10.0.0.9]\nSELECT 1;\n";
        ByteArrayOutputStream begun = new ByteArrayOutputStream();
        ZstdOutputStream zstd = new ZstdOutputStream(begun);
        zstd.write(text.getBytes(StandardCharsets.UTF_8));
        zstd.flush(); // the frame goes on
        InputStream live = new ByteArrayInputStream(begun.toByteArray()) {
            @Override
            public synchronized int read(byte[] bytes, int offset, int length) {
                assertThat(available())
                        .as("bytes; a read without any would wait")
                        .isPositive();
                return super.read(bytes, offset, length);
            }
        };
        try (InputStream in = CaptureInput.lazy(live, "-", null, note -> {})) {
            byte[] read = new byte[text.length()];
            assertThat(in.read(read)).isEqualTo(text.length());
            assertThat(read).asString(StandardCharsets.UTF_8).isEqualTo(text);
        }
    }
}
