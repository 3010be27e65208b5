package io.understudy.cli.run;

import io.understudy.config.Address;
import io.understudy.config.ListenConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
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
        ensureListens(pid, listen);
        return new Predecessor(process);
    }

    /** Another proxy of the host would drain, and nobody would take over from it. */
    private static void ensureListens(long pid, ListenConfig listen) {
        Set<InetSocketAddress> theirs;
        try {
            theirs = ListeningPorts.of(pid);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "--replace: where process " + pid + " listens cannot be found out (" + e
                            + "); run this as its user",
                    e);
        }
        for (Address address : listen.address()) {
            if (!ListeningPorts.include(theirs, address)) {
                throw new IllegalArgumentException("--replace: process " + pid + " is another proxy: it listens on "
                        + theirs + ", and not on listen.address " + address + " of this file. "
                        + remedy(listen));
            }
        }
    }

    private static String remedy(ListenConfig listen) {
        List<Long> fit = ProcessHandle.allProcesses()
                .map(ProcessHandle::pid)
                .filter(Predecessor::isProxy)
                .filter(pid -> listensLike(pid, listen))
                .toList();
        return fit.isEmpty()
                ? "No process to replace does; leave out --replace"
                : "To replace: --replace " + fit.get(0);
    }

    private static boolean listensLike(long pid, ListenConfig listen) {
        try {
            Set<InetSocketAddress> theirs = ListeningPorts.of(pid);
            return listen.address().stream().allMatch(address -> ListeningPorts.include(theirs, address));
        } catch (IOException e) {
            return false;
        }
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
