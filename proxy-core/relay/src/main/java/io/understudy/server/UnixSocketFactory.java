package io.understudy.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.mariadb.jdbc.Configuration;

/**
 * Connects MariaDB Connector/J to socket files by means of the Java runtime; the driver's {@code localSocket} would
 * need a native library. The driver creates the factory by class name; the path is given by the property {@link #PATH}.
 * Reads have no timeout.
 */
public final class UnixSocketFactory extends OneTargetSocketFactory {
    static final String PATH = "understudySocketFile";

    private @Nullable String path;

    @Override
    public void setConfiguration(Configuration configuration, String host) {
        path = configuration.nonMappedOptions().getProperty(PATH);
    }

    @Override
    public Socket createSocket() throws IOException {
        if (path == null) {
            throw new SocketException("the property " + PATH + " does not name a socket file");
        }
        return new FileSocket(UnixDomainSocketAddress.of(Path.of(path)));
    }

    /** Implements the part of {@link Socket} that the driver uses. */
    private static final class FileSocket extends Socket {
        private final UnixDomainSocketAddress address;
        private final SocketChannel channel;

        FileSocket(UnixDomainSocketAddress address) throws IOException {
            this.address = address;
            channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        }

        @Override
        public void connect(SocketAddress ignored, int timeout) throws IOException {
            channel.connect(address);
        }

        @Override
        public void connect(SocketAddress ignored) throws IOException {
            channel.connect(address);
        }

        @Override
        public InputStream getInputStream() {
            return Channels.newInputStream(channel);
        }

        @Override
        public OutputStream getOutputStream() {
            return Channels.newOutputStream(channel);
        }

        @Override
        public boolean isConnected() {
            return channel.isConnected();
        }

        @Override
        public boolean isClosed() {
            return !channel.isOpen();
        }

        @Override
        public synchronized void close() throws IOException {
            channel.close();
        }

        // The driver sets TCP options unconditionally.

        @Override
        public void setTcpNoDelay(boolean on) {}

        @Override
        public void setKeepAlive(boolean on) {}

        @Override
        public void setSoTimeout(int timeout) {}

        @Override
        public int getSoTimeout() {
            return 0;
        }

        @Override
        public void setSoLinger(boolean on, int linger) {}
    }
}
