package io.understudy.plugins.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.base.ByteSize;
import io.understudy.protocol.CommandCode;
import io.understudy.replay.log.LogEvent;
import io.understudy.replay.log.StatementLog;
import io.understudy.sql.Literals;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Captures with any byte changed, and cut anywhere: what is read is what was captured, or its first part with a word
 * about the rest. Nothing else is read, and nothing is missing in silence.
 */
@Timeout(120)
@Tag("long")
class DamagedCaptureTest {
    private static final CapturedSession SESSION = new CapturedSession(
            1, 2, "app", "10.0.0.9", "shop", 45, null, null, null, null, true, null, null, List.of());

    @TempDir
    private Path folder;

    /** What a reader got, and was told. */
    private record Outcome(
            List<String> read, List<String> notes, @Nullable String error) {}

    private CaptureConfig config(@Nullable CaptureSecret secret, Path directory) {
        return new CaptureConfig(
                directory.toString(),
                Literals.KEEP,
                Results.NONE,
                new ByteSize(64 * 1024),
                new ByteSize(512 * 1024),
                new ByteSize(1),
                new ByteSize(1 << 20),
                secret);
    }

    private static CapturedCommand command(String text, int code) {
        return new CapturedCommand(
                SESSION, code, text.getBytes(StandardCharsets.UTF_8), null, null, 0, 5, 1, 0, 0, null, false);
    }

    /** Writes a file of a capture with a frame for each of the texts, the longer ones of several blocks. */
    private static void write(CaptureFiles files, List<List<String>> frames) throws IOException {
        RecordWriter records = new RecordWriter(Instant.EPOCH, 0);
        for (List<String> frame : frames) {
            for (String text : frame) {
                records.write(command(text, CommandCode.QUERY));
            }
            files.write(records.bytes(), records.length());
            records.clear();
        }
        files.close();
    }

    private static List<List<String>> frames(int first) {
        List<List<String>> frames = new ArrayList<>();
        for (int i = first; i < first + 3; i++) {
            frames.add(List.of("UPDATE account SET balance = " + i * 7919 + " WHERE id = " + i, "SELECT " + i));
        }
        return frames;
    }

    /** Writes a capture of two files of three frames each, and returns them. */
    private List<Path> capture(@Nullable CaptureSecret secret, String directory) throws IOException {
        Path captures = folder.resolve(directory);
        try (CaptureFiles files = new CaptureFiles(config(secret, captures), Instant.EPOCH)) {
            write(files, frames(100));
            write(files, frames(200));
        }
        List<Path> written = CaptureFiles.list(captures);
        assertThat(written).hasSize(2);
        return written;
    }

    private static Outcome read(Path path, @Nullable CaptureSecret secret) {
        List<String> read = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        try (StatementLog log = StatementLog.open(CaptureInput.open(path, secret, notes::add), ZoneOffset.UTC)) {
            for (LogEvent event = log.next(); event != null; event = log.next()) {
                read.add(event.threadId() + event.user() + event.schema() + event.startMicros() + event.sql());
            }
            assertThat(log.counts().refused()).isEmpty();
        } catch (IOException e) {
            return new Outcome(read, notes, e.getMessage());
        }
        return new Outcome(read, notes, null);
    }

    private static void isTrue(Outcome outcome, List<String> whole, Path file, boolean last, String how) {
        int shown = Math.min(outcome.read().size(), whole.size());
        assertThat(outcome.read()).as(how).isEqualTo(whole.subList(0, shown));
        String error = outcome.error();
        if (error != null) {
            assertThat(error)
                    .as(how)
                    .contains(file.toString())
                    .contains("byte ")
                    .containsAnyOf("copy", "secret");
        } else if (last) {
            assertThat(outcome.notes().size() + (outcome.read().equals(whole) ? 1 : 0))
                    .as(how)
                    .isPositive();
            assertThat(outcome.notes()).as(how).allMatch(note -> note.startsWith(file.toString()));
        } else {
            assertThat(outcome.notes()).as(how).isEmpty();
            assertThat(outcome.read()).as(how).isEqualTo(whole);
        }
    }

    private static void anyChangeIsTold(List<Path> files, @Nullable CaptureSecret secret, int step) throws Exception {
        Path captures = Objects.requireNonNull(files.get(0).getParent());
        Outcome good = read(captures, secret);
        assertThat(good.error()).isNull();
        assertThat(good.notes()).isEmpty();
        assertThat(good.read()).hasSize(12);
        Random random = new Random(7);
        for (Path file : files) {
            boolean last = file.equals(files.get(files.size() - 1));
            byte[] bytes = Files.readAllBytes(file);
            for (int at = 0; at < bytes.length; at += step) {
                int change = List.of(1, 0x80, 1 + random.nextInt(255)).get(at % 3);
                byte[] bad = bytes.clone();
                bad[at] ^= (byte) change;
                Files.write(file, bad);
                isTrue(read(captures, secret), good.read(), file, last, file + ": byte " + at + " ^ " + change);
            }
            for (int cut = 0; cut < bytes.length; cut += step == 1 ? 2 : step) {
                Files.write(file, Arrays.copyOf(bytes, cut));
                Outcome outcome = read(captures, secret);
                String how = file + " cut at " + cut;
                isTrue(outcome, good.read(), file, last, how);
                assertThat(outcome.error() == null).as(how).isEqualTo(last);
                assertThat(outcome.notes()).as(how).hasSize(last ? 1 : 0);
            }
            Files.write(file, bytes);
        }
    }

    @Test
    void anyChangeIsTold() throws Exception {
        anyChangeIsTold(capture(null, "plain"), null, 1);
    }

    @Test
    void anyChangeOfAnEncryptedCaptureIsTold() throws Exception {
        CaptureSecret secret = CaptureSecret.parse("a secret of fair length");
        // A changed salt costs the derivation of a key.
        anyChangeIsTold(capture(secret, "encrypted"), secret, 7);
    }

    /** Each value of each byte of a frame's header: what says how the rest is to be read. */
    @Test
    void anyHeaderIsTold() throws Exception {
        List<Path> files = capture(null, "headers");
        Path file = files.get(0);
        Outcome good = read(file, null);
        byte[] bytes = Files.readAllBytes(file);
        for (int at = 4; at < 12; at++) {
            for (int value = 0; value < 256; value++) {
                byte[] bad = bytes.clone();
                bad[at] = (byte) value;
                Files.write(file, bad);
                isTrue(read(file, null), good.read(), file, true, "byte " + at + " is " + value);
            }
        }
    }

    /** A size that is damaged, so that the frame seems to go on to the file's end, is not a file that was cut off. */
    @Test
    void aDamagedSizeIsNoCut() throws Exception {
        Path file = capture(null, "captures").get(1);
        byte[] bytes = Files.readAllBytes(file);
        int firstBlock = 4 + 1 + ((bytes[4] & 0xC0) == 0 ? 1 : 2); // behind magic, descriptor, size of the content
        byte[] bad = bytes.clone();
        bad[firstBlock + 1] |= 0x40;
        Files.write(file, bad);
        Outcome outcome = read(file, null);
        assertThat(outcome.read()).isEmpty();
        assertThat(outcome.error())
                .startsWith(file + " is damaged in the frame at byte 0: ")
                .contains("take the file from another copy");
    }

    private static int blockSize(byte[] bytes, int at) {
        return (bytes[at] & 0xFF | (bytes[at + 1] & 0xFF) << 8 | (bytes[at + 2] & 0xFF) << 16) >>> 3;
    }

    /** The last frame's size, so that the frame seems to go on over the table to the file's end. */
    @Test
    void aSizeThatTakesInTheTableIsNoCut() throws Exception {
        byte[] noise = new byte[128 << 10];
        new Random(11).nextBytes(noise);
        byte[] text = Arrays.copyOf(noise, noise.length + 2000); // so that the last block is compressed
        CapturedCommand command =
                new CapturedCommand(SESSION, CommandCode.QUERY, text, null, null, 0, 5, 1, 0, 0, null, false);
        Path captures = folder.resolve("captures");
        try (CaptureFiles files = new CaptureFiles(config(null, captures), Instant.EPOCH)) {
            RecordWriter records = new RecordWriter(Instant.EPOCH, 0);
            records.write(command);
            files.write(records.bytes(), records.length());
        }
        Path file = CaptureFiles.list(captures).get(0);
        byte[] bytes = Files.readAllBytes(file);
        int block = 9; // behind magic, descriptor, size of the content
        while ((bytes[block] & 1) == 0) {
            block += 3 + blockSize(bytes, block);
        }
        assertThat(block + 3 + blockSize(bytes, block) + 4 + 8 + SeekTable.ENTRY + SeekTable.FOOTER)
                .isEqualTo(bytes.length);
        bytes[block + 1] |= 0x40;
        Files.write(file, bytes);
        assertThat(read(captures, null).error()).startsWith(file + " is damaged in the frame at byte 0: a size in it");
    }

    /** The head of a file with frames behind it: it used to look like an empty log. */
    @Test
    void aDamagedHeadIsNoEmptyCapture() throws Exception {
        Path file = capture(null, "captures").get(0);
        byte[] bytes = Files.readAllBytes(file);
        bytes[0] = 0;
        Path renamed = Files.write(folder.resolve("renamed"), bytes);
        Files.write(file, bytes);
        assertThat(read(file, null).error())
                .startsWith(file + " is damaged in the frame at byte 0: it does not begin like a file of a capture");
        assertThat(read(renamed, null).error())
                .startsWith(renamed + " is no slow log, general log or capture, or its begin is damaged");
        assertThat(read(Files.write(renamed, new byte[0]), null).error()).isNull();
    }

    /** A client may send whole frames, or parts of them, in its statements. */
    @Test
    void framesInStatementsAreContent() throws Exception {
        byte[] frame = Files.readAllBytes(capture(null, "captures").get(0));
        byte[] text = new byte[300_000];
        Random random = new Random(3);
        random.nextBytes(text);
        for (int at = 0; at + frame.length < text.length; at += 50_000) {
            System.arraycopy(frame, 0, text, at, frame.length);
        }
        String sql = "SELECT '" + new String(text, StandardCharsets.ISO_8859_1) + "'";
        Path captures = folder.resolve("hostile");
        try (CaptureFiles files = new CaptureFiles(config(null, captures), Instant.EPOCH)) {
            write(files, List.of(List.of("SELECT 1"), List.of(sql), List.of("SELECT 2")));
        }
        Outcome outcome = read(captures, null);
        assertThat(outcome.error()).isNull();
        assertThat(outcome.notes()).isEmpty();
        assertThat(outcome.read()).hasSize(3);
    }

    @Test
    void aMissingFileInTheMiddleIsTold() throws Exception {
        Path captures = folder.resolve("captures");
        try (CaptureFiles files = new CaptureFiles(config(null, captures), Instant.EPOCH)) {
            write(files, frames(100));
            write(files, frames(200));
            write(files, frames(300));
        }
        List<Path> files = CaptureFiles.list(captures);
        Files.delete(files.get(1));
        Outcome outcome = read(captures, null);
        assertThat(outcome.read()).hasSize(12);
        assertThat(outcome.notes())
                .containsExactly("between " + files.get(0) + " and " + files.get(2)
                        + " files of the capture are missing: the statements in them are not read");
    }

    /** What zstd and other programs write is read while it comes, also if nothing says how much it is. */
    @Test
    void framesOfOtherProgramsAreRead() throws Exception {
        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        StringBuilder text = new StringBuilder();
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            text.append("line ").append(random.nextLong()).append('\n');
        }
        byte[] plain = text.toString().getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < 2; i++) {
            try (var zstd = new com.github.luben.zstd.ZstdOutputStreamNoFinalizer(out)) {
                zstd.setChecksum(i == 0);
                zstd.write(plain);
            }
        }
        byte[] bytes = out.toByteArray();
        List<String> notes = new ArrayList<>();
        try (var in = CaptureInput.lazy(new ByteArrayInputStream(bytes), "standard input", null, notes::add)) {
            byte[] read = in.readAllBytes();
            assertThat(read).hasSize(2 * plain.length);
            assertThat(Arrays.copyOfRange(read, plain.length, read.length)).isEqualTo(plain);
        }
        assertThat(notes).isEmpty();
        byte[] cut = Arrays.copyOf(bytes, bytes.length - 1000);
        try (var in = CaptureInput.lazy(new ByteArrayInputStream(cut), "standard input", null, notes::add)) {
            byte[] read = in.readAllBytes();
            assertThat(read.length).isBetween(plain.length, 2 * plain.length - 1);
        }
        assertThat(notes).hasSize(1).first().asString().startsWith("standard input is cut off: its last ");
        byte[] bad = bytes.clone();
        bad[bad.length / 4] ^= 4;
        try (var in = CaptureInput.lazy(new ByteArrayInputStream(bad), "standard input", null, notes::add)) {
            assertThatThrownBy(in::readAllBytes).hasMessageStartingWith("standard input is damaged before byte ");
        }
    }

    /** Also where a part of the content ends just where a buffer does; from a pipe that gives a few bytes at a time. */
    @Test
    void framesOfAnyLengthAreRead() throws Exception {
        java.io.ByteArrayOutputStream plain = new java.io.ByteArrayOutputStream();
        java.io.ByteArrayOutputStream frames = new java.io.ByteArrayOutputStream();
        Random random = new Random(9);
        for (int length : List.of(0, 1, 131_071, 131_072, 131_073, 262_144, 500_000)) {
            byte[] content = new byte[length];
            for (boolean noise : List.of(false, true)) {
                if (noise) {
                    random.nextBytes(content);
                }
                plain.write(content);
                frames.write(com.github.luben.zstd.Zstd.compress(content));
                try (var zstd = new com.github.luben.zstd.ZstdOutputStreamNoFinalizer(frames)) {
                    zstd.setCloseFrameOnFlush(true);
                    zstd.write(content);
                    plain.write(content);
                    zstd.flush();
                }
            }
        }
        var pipe = new ByteArrayInputStream(frames.toByteArray()) {
            @Override
            public synchronized int read(byte[] bytes, int offset, int length) {
                return super.read(bytes, offset, Math.min(length, 1 + random.nextInt(5000)));
            }
        };
        List<String> notes = new ArrayList<>();
        try (var in = CaptureInput.lazy(pipe, "standard input", null, notes::add)) {
            assertThat(in.readAllBytes()).isEqualTo(plain.toByteArray());
        }
        assertThat(notes).isEmpty();
    }

    /** The figures of a capture count statements, as its reader does, not the ends of sessions. */
    @Test
    void theCountIsThatOfItsReader() throws Exception {
        Path captures = folder.resolve("counted");
        CaptureConfig config = config(null, captures);
        Capture capture = new Capture(
                config,
                new CaptureMeters(new SimpleMeterRegistry()),
                java.time.Clock.systemUTC(),
                null,
                new CaptureFiles(config, Instant.EPOCH));
        for (int i = 0; i < 20; i++) {
            capture.offer(command("SELECT " + i, i % 4 == 3 ? CommandCode.QUIT : CommandCode.QUERY));
        }
        capture.stop(Capture.REQUESTED);
        capture.await(30_000);
        assertThat(capture.view()).containsEntry("statements", 15L);
        try (StatementLog log = StatementLog.open(CaptureInput.open(captures, null, note -> {}), ZoneOffset.UTC)) {
            long statements = 0;
            for (LogEvent event = log.next(); event != null; event = log.next()) {
                statements += event.kind() == LogEvent.Kind.STATEMENT ? 1 : 0;
            }
            assertThat(statements).isEqualTo(15);
        }
    }
}
