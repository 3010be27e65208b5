package io.understudy.cli.run;

import io.understudy.config.ListenConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The process that {@code run --replace} takes over from. */
final class Predecessor {
    private static final Logger log = LoggerFactory.getLogger(Predecessor.class);

    private final ProcessHandle process;

    private Predecessor(ProcessHandle process) {
        this.process = process;
    }

    /**
     * Finds the process.
     *
     * @throws IllegalArgumentException if it is none to take over from, with the remedy
     */
    static Predecessor of(long pid, ListenConfig listen) {
        if (!listen.reusePort()) {
            throw new IllegalArgumentException(
                    "--replace needs listen.reusePort: true in the file, and in that of process " + pid);
        }
        ProcessHandle process = ProcessHandle.of(pid)
                .orElseThrow(
                        () -> new IllegalArgumentException("--replace: there is no process " + pid + "; leave it out"));
        if (pid == ProcessHandle.current().pid() || !isProxy(pid)) {
            throw new IllegalArgumentException(
                    "--replace: process " + pid + " is no `understudy run`; it would get a SIGTERM");
        }
        return new Predecessor(process);
    }

    private static boolean isProxy(long pid) {
        try {
            List<String> words = List.of(
                    Files.readString(Path.of("/proc", String.valueOf(pid), "cmdline"), StandardCharsets.ISO_8859_1)
                            .split("\0"));
            return words.contains("run") && words.stream().anyMatch(word -> word.endsWith(".Understudy"));
        } catch (IOException e) {
            return false;
        }
    }

    /** Has it drain. Called when this process listens. */
    void drain() {
        if (process.destroy()) {
            log.info("process {} has got SIGTERM: it drains", process.pid());
        } else {
            log.warn("process {} has not got SIGTERM; `kill {}` has it drain", process.pid(), process.pid());
        }
    }
}
