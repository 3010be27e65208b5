package io.understudy.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs sysbench's point selects continuously on persistent connections. Signals pause and resume them, so that a window
 * may be short.
 */
final class PointSelects implements AutoCloseable {
    static final int THREADS = 8;
    private static final int ROWS = 20_000;

    private final Process process;
    private final Path said;

    /**
     * Starts paused.
     *
     * @param mode sysbench's option for text or prepared statements
     */
    PointSelects(int port, String mode) throws IOException, InterruptedException {
        said = Files.createTempFile("understudy-bench-", ".sysbench");
        process = command(port, "run", mode).redirectOutput(said.toFile()).start();
        ProxyProgram.pause(
                Duration.ofMillis(1000)); // connected by then; resumed again before the measurement
        signal("STOP");
    }

    /** Creates the table. */
    static void prepare(int port) throws IOException, InterruptedException {
        Process making = command(port, "prepare", Mode.TEXT.option).start();
        String words = new String(making.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (making.waitFor() != 0) {
            throw new IOException("sysbench prepare failed:\n" + words);
        }
    }

    /** The form in which statements are sent. */
    enum Mode {
        TEXT("--db-ps-mode=disable"),
        PREPARED("--db-ps-mode=auto");

        final String option;

        Mode(String option) {
            this.option = option;
        }
    }

    private static ProcessBuilder command(int port, String command, String mode) {
        List<String> words = new ArrayList<>(List.of(
                "sysbench",
                "oltp_point_select",
                "--mysql-host=127.0.0.1",
                "--mysql-port=" + port,
                "--mysql-user=" + ProxyProgram.USER,
                "--mysql-password=" + ProxyProgram.PASSWORD,
                "--mysql-db=shop",
                "--tables=1",
                "--table-size=" + ROWS,
                "--threads=" + (command.equals("run") ? THREADS : 1),
                "--time=0",
                "--rand-type=uniform",
                mode,
                command));
        return new ProcessBuilder(words).redirectErrorStream(true);
    }

    void letGo() throws IOException, InterruptedException {
        signal("CONT");
    }

    void hold() throws IOException, InterruptedException {
        signal("STOP");
    }

    private void signal(String name) throws IOException, InterruptedException {
        if (!process.isAlive()) {
            throw new IOException("sysbench has ended:\n" + Files.readString(said));
        }
        new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                .start()
                .waitFor();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.deleteIfExists(said);
    }
}
