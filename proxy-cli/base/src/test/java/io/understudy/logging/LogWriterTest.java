package io.understudy.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whoever logs never waits for the reader of standard error, and no line that could be written is missing. */
@Timeout(60)
class LogWriterTest {
    private final PrintStream before = System.err;

    @AfterEach
    void restore() {
        System.setErr(before);
    }

    /** A stream whose reader has stopped until {@link #goOn}. */
    private static final class Pipe extends OutputStream {
        private final CountDownLatch stopped = new CountDownLatch(1);
        private final CountDownLatch full = new CountDownLatch(1);
        private final ByteArrayOutputStream read = new ByteArrayOutputStream();

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            full.countDown();
            try {
                stopped.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            synchronized (read) {
                read.write(bytes, from, length);
            }
        }

        void goOn() {
            stopped.countDown();
        }

        List<String> lines() {
            synchronized (read) {
                return read.toString(StandardCharsets.UTF_8).lines().toList();
            }
        }
    }

    @Test
    void linesWaitInOrderThenAreCountedAndTheCountStandsInTheirPlace() throws Exception {
        Pipe pipe = new Pipe();
        System.setErr(new PrintStream(pipe, true, StandardCharsets.UTF_8));
        String long100 = "x".repeat(100);
        int fitting = LogWriter.MOST_CHARS / 105;
        LogWriter writer = new LogWriter(count -> "lost " + count + "\n");
        writer.start();
        try {
            writer.add("first\n", 1);
            pipe.full.await();
            for (int i = 0; i < fitting + 500; i++) {
                writer.add(i + 10_000 + long100.substring(6) + "\n", 1);
            }
            // Shorter lines would fit in, but not in order.
            writer.add("short\n", 1);
            long lost = writer.lost();
            assertThat(lost).isPositive();
            pipe.goOn();
            while (!writer.isIdle()) {
                Thread.onSpinWait();
            }
            writer.add("later\n", 1);
            writer.close();
            List<String> lines = pipe.lines();
            assertThat(lines.get(0)).isEqualTo("first");
            int written = lines.size() - 3;
            assertThat(written + lost).isEqualTo(fitting + 501);
            assertThat(lines.subList(1, 1 + written))
                    .isEqualTo(IntStream.range(0, written)
                            .mapToObj(i -> i + 10_000 + long100.substring(6))
                            .toList());
            assertThat(lines.subList(1 + written, lines.size())).containsExactly("lost " + lost, "later");
            assertThat(writer.lost()).isEqualTo(lost);
        } finally {
            pipe.goOn();
            writer.close();
        }
    }

    @Test
    void anEndWaitsTwoSecondsForAReaderAtMostAndLosesNothingThatItReadsLater() throws Exception {
        Pipe pipe = new Pipe();
        System.setErr(new PrintStream(pipe, true, StandardCharsets.UTF_8));
        Logger log = LoggerFactory.getLogger(LogWriterTest.class);
        LogWriter writer = EventLog.background();
        try {
            log.warn("one");
            pipe.full.await();
            writer.close();
            // The reader has not come: this line would wait for it for ever if it were written directly.
            log.warn("two");
            pipe.goOn();
            writer.close();
            log.warn("three");
            assertThat(pipe.lines())
                    .extracting(line -> line.replaceFirst(".* - ", ""))
                    .as("besides what the log still had to say of another test")
                    .filteredOn(line -> !line.contains("were not logged"))
                    .containsExactly("one", "two", "three");
        } finally {
            pipe.goOn();
            writer.close();
        }
    }

    /** A stream that somebody has put in its place, or a heap that is full for a moment. */
    @Test
    void anErrorLosesLinesAndNotTheLog() throws Exception {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        System.setErr(new PrintStream(
                new OutputStream() {
                    @Override
                    public void write(int one) {
                        System.setErr(new PrintStream(read, true, StandardCharsets.UTF_8));
                        throw new OutOfMemoryError("planted");
                    }
                },
                true,
                StandardCharsets.UTF_8));
        LogWriter writer = new LogWriter(count -> "lost " + count + "\n");
        writer.start();
        try {
            writer.add("one\ntwo\n", 2);
            await().until(writer::isIdle);
            writer.add("three\n", 1);
            writer.close();
            assertThat(writer.lost()).isEqualTo(2);
            assertThat(read.toString(StandardCharsets.UTF_8)).isEqualTo("lost 2\nthree\n");
        } finally {
            writer.close();
        }
    }

    /** The heap is full for longer than one line. */
    @Test
    void anErrorOfTheCountDoesNotLoseTheLog() throws Exception {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        System.setErr(new PrintStream(
                new OutputStream() {
                    @Override
                    public void write(int one) {
                        System.setErr(new PrintStream(read, true, StandardCharsets.UTF_8));
                        throw new OutOfMemoryError("planted");
                    }
                },
                true,
                StandardCharsets.UTF_8));
        CountDownLatch thrown = new CountDownLatch(1);
        LogWriter writer = new LogWriter(count -> {
            if (thrown.getCount() > 0) {
                thrown.countDown();
                throw new OutOfMemoryError("planted");
            }
            return "lost " + count + "\n";
        });
        writer.start();
        try {
            writer.add("one\n", 1);
            thrown.await();
            writer.add("two\n", 1);
            await().atMost(Duration.ofSeconds(10)).until(writer::isIdle);
            assertThat(read.toString(StandardCharsets.UTF_8)).isEqualTo("lost 1\ntwo\n");
        } finally {
            writer.close();
        }
    }

    /** Logs, then ends in the way that the argument names. */
    public static final class Program {
        private static final int LINES = 300;

        public static void main(String[] arguments) {
            LogWriter writer = EventLog.background();
            Logger log = LoggerFactory.getLogger(Program.class);
            for (int i = 0; i < LINES; i++) {
                log.info("line {} of the program", i % 2 == 0 ? "even" : "odd", new IOException("number " + i));
                log.debug("not shown");
                if (i % 15 == 14) {
                    log.info("another kind " + i / 15 + " of line");
                }
            }
            log.error("the last line");
            if (arguments[0].equals("exit")) {
                System.exit(3);
            }
            // The JVM ends at once when its heap is full, and waits for no thread.
            while (!writer.isIdle()) {
                Thread.onSpinWait();
            }
            List<byte[]> all = new ArrayList<>();
            while (true) {
                all.add(new byte[1 << 20]);
            }
        }
    }

    private static List<String> linesOf(String end) throws IOException, InterruptedException {
        Process program = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-Xmx16m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Program.class.getName(),
                        end)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        List<String> lines = new String(program.getErrorStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(program.waitFor()).isEqualTo(3);
        return lines;
    }

    @Test
    void theLastLinesBeforeAnExitAppear() throws Exception {
        List<String> lines = linesOf("exit");
        assertThat(lines).hasSize(20 + 20 + 1);
        assertThat(lines.get(lines.size() - 1)).endsWith("the last line");
    }

    @Test
    void theLastLinesBeforeTheHeapIsFullAppear() throws Exception {
        assertThat(linesOf("heap")).anyMatch(line -> line.endsWith("the last line"));
    }
}
