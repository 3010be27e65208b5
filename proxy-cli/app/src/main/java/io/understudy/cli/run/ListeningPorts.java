package io.understudy.cli.run;

import io.understudy.config.Address;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;

/** The TCP addresses on which another process listens, see proc_pid_fd(5) and proc_pid_net(5). */
final class ListeningPorts {
    private static final String LISTEN = "0A";
    private static final int LOCAL = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;

    private ListeningPorts() {}

    /**
     * Returns them.
     *
     * @throws IOException if this user may not see them, or there is no such process
     */
    static Set<InetSocketAddress> of(long pid) throws IOException {
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
    static boolean include(Set<InetSocketAddress> listening, Address configured) {
        InetSocketAddress wanted = new InetSocketAddress(configured.host(), configured.port());
        return listening.stream()
                .anyMatch(each -> each.getPort() == wanted.getPort()
                        && (each.getAddress().isAnyLocalAddress()
                                || wanted.isUnresolved()
                                || wanted.getAddress().isAnyLocalAddress()
                                || each.getAddress().equals(wanted.getAddress())));
    }
}
