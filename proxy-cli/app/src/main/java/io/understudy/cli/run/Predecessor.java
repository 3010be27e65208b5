package io.understudy.cli.run;

import io.understudy.config.Address;
import io.understudy.config.ListenConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The process that {@code run --replace} takes over from. */
final class Predecessor {
    private static final String LISTEN = "0A";
    private static final int LOCAL = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;
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
            theirs = listening(pid);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "--replace: where process " + pid + " listens cannot be found out (" + e
                            + "); run this as its user",
                    e);
        }
        for (Address address : listen.address()) {
            if (!include(theirs, address)) {
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
            Set<InetSocketAddress> theirs = listening(pid);
            return listen.address().stream().allMatch(address -> include(theirs, address));
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

    /**
     * Returns the TCP addresses on which another process listens, see proc_pid_fd(5) and proc_pid_net(5).
     *
     * @throws IOException if this user may not see them, or there is no such process
     */
    private static Set<InetSocketAddress> listening(long pid) throws IOException {
        Path process = Path.of("/proc", String.valueOf(pid));
        Set<String> sockets = new HashSet<>();
        try (DirectoryStream<Path> open = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path descriptor : open) {
                if (Files.isSymbolicLink(descriptor)) {
                    sockets.add(Files.readSymbolicLink(descriptor).toString());
                }
            }
        }
        Set<InetSocketAddress> listening = new HashSet<>();
        for (String table : new String[] {"net/tcp", "net/tcp6"}) {
            Path file = process.resolve(table);
            if (!Files.exists(file)) {
                continue; // IPv6 is off
            }
            for (String line : Files.readAllLines(file, StandardCharsets.US_ASCII)) {
                String[] columns = line.trim().split("\\s+");
                if (columns.length > INODE
                        && columns[STATE].equals(LISTEN)
                        && sockets.contains("socket:[" + columns[INODE] + "]")) {
                    listening.add(address(columns[LOCAL]));
                }
            }
        }
        return listening;
    }

    /** Reads an address of the kernel's tables: words of four bytes in the byte order of the machine, and the port. */
    private static InetSocketAddress address(String text) throws IOException {
        int colon = text.indexOf(':');
        byte[] bytes = HexFormat.of().parseHex(text.substring(0, colon));
        byte[] address = bytes.clone();
        if (java.nio.ByteOrder.nativeOrder() == java.nio.ByteOrder.LITTLE_ENDIAN) {
            for (int i = 0; i < bytes.length; i++) {
                address[i] = bytes[i / 4 * 4 + 3 - i % 4];
            }
        }
        return new InetSocketAddress(
                InetAddress.getByAddress(address), Integer.parseInt(text.substring(colon + 1), 16));
    }

    /** Returns whether one of them is the configured address, or either of both is every address of its port. */
    private static boolean include(Set<InetSocketAddress> listening, Address configured) {
        InetSocketAddress wanted = new InetSocketAddress(configured.host(), configured.port());
        return listening.stream()
                .anyMatch(each -> each.getPort() == wanted.getPort()
                        && (each.getAddress().isAnyLocalAddress()
                                || wanted.isUnresolved()
                                || wanted.getAddress().isAnyLocalAddress()
                                || each.getAddress().equals(wanted.getAddress())));
    }
}
