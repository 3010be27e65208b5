package io.understudy.relay;

import io.understudy.config.Address;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** The file of a listener on a Unix socket. Transports differ in what they do with one that is there already. */
final class SocketFile {
    /** The bits of a file's mode that say its type: see {@code inode(7)}. */
    private static final int TYPE = 0170000;

    private static final int SOCKET = 0140000;

    private SocketFile() {}

    /**
     * Deletes the file that a killed process has left at the address.
     *
     * @throws IOException if a process listens there, or it is no socket; the message says so
     */
    static void clear(Address address) throws IOException {
        Path path = Path.of(address.path());
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (((int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & TYPE) != SOCKET) {
            throw new IOException("cannot listen on " + address + ": it exists and is no socket; choose another"
                    + " listen.address or remove it");
        }
        if (isListenedOn(path)) {
            throw new IOException("cannot listen on " + address + ": another process does; choose another"
                    + " listen.address or stop what holds it");
        }
        Files.deleteIfExists(path);
    }

    private static boolean isListenedOn(Path path) {
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.configureBlocking(false); // a process that is stopped, with a full queue, would never accept
            return probe.connect(UnixDomainSocketAddress.of(path));
        } catch (ConnectException refused) {
            return false;
        } catch (IOException unclear) {
            return true;
        }
    }

    /** Lets every user connect, whatever the umask, as servers do: the login decides. */
    static void open(Address address) throws IOException {
        Files.setPosixFilePermissions(Path.of(address.path()), PosixFilePermissions.fromString("rwxrwxrwx"));
    }
}
