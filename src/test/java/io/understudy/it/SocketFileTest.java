package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.uring.IoUring;
import io.understudy.config.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code listen.address: unix:…}: what is at the path before, and who may connect. */
class SocketFileTest {
    @TempDir
    private Path folder;

    private ProxyUnderTest start(Transport transport) throws Exception {
        assumeTrue(transport != Transport.EPOLL || Epoll.isAvailable());
        assumeTrue(transport != Transport.IO_URING || IoUring.isAvailable());
        return ProxyUnderTest.start("transport: " + transport + "\n"
                + ProxyUnderTest.config(
                        "unix:" + path(), new InetSocketAddress(InetAddress.getLoopbackAddress(), 1), "", ""));
    }

    private Path path() {
        return folder.resolve("s");
    }

    private void assertConnects() throws IOException {
        try (SocketChannel client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            assertThat(client.connect(UnixDomainSocketAddress.of(path()))).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Transport.class,
            names = {"NIO", "EPOLL", "IO_URING"})
    void theFileOfAKilledProcessIsReplacedAndEveryoneMayConnect(Transport transport) throws Exception {
        try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            killed.bind(UnixDomainSocketAddress.of(path()));
        }
        Files.setPosixFilePermissions(path(), PosixFilePermissions.fromString("rwx------"));
        try (ProxyUnderTest proxy = start(transport)) {
            assertThat(proxy.sessions()).isZero();
            assertConnects();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
                    .isEqualTo("rwxrwxrwx");
        }
        assertThat(path()).doesNotExist();
    }

    @ParameterizedTest
    @EnumSource(
            value = Transport.class,
            names = {"NIO", "EPOLL", "IO_URING"})
    void theFileOfARunningProcessStays(Transport transport) throws Exception {
        try (ServerSocketChannel running = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            running.bind(UnixDomainSocketAddress.of(path()));
            assertThatThrownBy(() -> start(transport)).hasMessageContaining("another process does");
            assertConnects();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Transport.class,
            names = {"NIO", "EPOLL", "IO_URING"})
    void aFileThatIsNoSocketStays(Transport transport) throws Exception {
        Files.writeString(path(), "precious");
        assertThatThrownBy(() -> start(transport)).hasMessageContaining("is no socket");
        assertThat(path()).hasContent("precious");
    }
}
