package io.understudy.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One running {@code mariadbd}: waits until it accepts connections, sends signals, ends it. */
final class ServerProcess {

    private static final long START_SECONDS = 120;
    private static final long STOP_SECONDS = 30;
    private static final long POLL_MILLIS = 10;
    private static final String READY = "ready for connections";

    private final Process process;
    private final Path log;
    private volatile boolean frozen;

    private ServerProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** Thrown if the port was taken between the check and the server's bind. */
    static final class PortTaken extends IOException {

        private static final long serialVersionUID = 1L;

        PortTaken(String message) {
            super(message);
        }
    }

    /** Starts the command with its output in {@code log}. Returns when it accepts connections. */
    static ServerProcess start(List<String> command, Path log) throws IOException {
        Files.deleteIfExists(log);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        ServerProcess server = new ServerProcess(process, log);
        try {
            server.awaitReady();
            return server;
        } catch (IOException | RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    private void awaitReady() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!read(log).contains(READY)) {
            if (ended(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                String said = tail(log);
                if (said.contains("Address already in use")) {
                    throw new PortTaken(said);
                }
                throw new IOException("mariadbd ended with " + process.exitValue() + " while starting: " + said);
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IOException("mariadbd was not ready after " + START_SECONDS + " s: " + tail(log));
            }
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Sends SIGSTOP: the process keeps its sockets without responding, like a machine that hangs. */
    void freeze() {
        signal("STOP");
        frozen = true;
    }

    void thaw() {
        signal("CONT");
        frozen = false;
    }

    /** Sends SIGKILL and waits for the end. */
    void kill() {
        process.destroyForcibly();
        if (!ended(STOP_SECONDS, TimeUnit.SECONDS)) {
            throw new EmbeddedException(
                    "mariadbd with process id " + pid() + " survived SIGKILL for " + STOP_SECONDS + " s");
        }
    }

    /** Sends SIGTERM and waits for the end; kills the process if it does not end. */
    void stop() {
        if (frozen && process.isAlive()) {
            thaw();
        }
        process.destroy();
        if (!ended(STOP_SECONDS, TimeUnit.SECONDS)) {
            kill();
        }
    }

    private boolean ended(long timeout, TimeUnit unit) {
        try {
            return process.waitFor(timeout, unit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
            throw new EmbeddedException("interrupted while waiting for mariadbd, which was killed", e);
        }
    }

    private void signal(String name) {
        if (!process.isAlive()) {
            throw new EmbeddedException("mariadbd with process id " + pid() + " does not run; start it again first");
        }
        try {
            // The shell's built-in kill: not every system has the program of that name.
            Process kill = new ProcessBuilder("/bin/sh", "-c", "kill -" + name + " " + pid()).start();
            if (kill.waitFor() != 0) {
                throw new EmbeddedException("cannot send SIG" + name + " to process " + pid());
            }
        } catch (IOException e) {
            throw new EmbeddedException("cannot send SIG" + name + " to process " + pid() + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedException("interrupted while sending SIG" + name, e);
        }
    }

    static boolean runsAsRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    /** Returns the last lines of a log, for error messages. */
    static String tail(Path log) throws IOException {
        List<String> lines = read(log).lines().filter(line -> !line.isBlank()).toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 12), lines.size()));
    }

    private static String read(Path log) throws IOException {
        return new String(Files.readAllBytes(log), StandardCharsets.ISO_8859_1);
    }
}
