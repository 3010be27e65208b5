package io.understudy.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Properties;
import org.mariadb.jdbc.Configuration;
import org.mariadb.jdbc.util.ConfigurableSocketFactory;

/**
 * Connects MariaDB Connector/J to an address that the proxy has looked up, because the driver would use the Java
 * runtime's cache of names, or to a socket file, for which the driver would need a native library. The driver creates
 * the factory by class name; the properties name the target, whichever host and port the caller names. TLS still
 * verifies the host name of the URL.
 */
public final class TargetSocketFactory extends ConfigurableSocketFactory {
    /** The path of a socket file. Reads from it have no timeout. */
    static final String PATH = "understudySocketFile";
    /** Without a path, an IP literal, with {@link #PORT}. */
    static final String ADDRESS = "understudyAddress";

    static final String PORT = "understudyPort";

    private Properties options = new Properties();
    private int timeoutMillis;

    @Override
    public void setConfiguration(Configuration configuration, String host) {
        options = configuration.nonMappedOptions();
        timeoutMillis = configuration.connectTimeout();
    }

    /** Returns a connected socket, which the driver does not connect again. */
    @Override
    public Socket createSocket() throws IOException {
        String path = options.getProperty(PATH);
        if (path != null) {
            return new FileSocket(SocketChannel.open(UnixDomainSocketAddress.of(Path.of(path))));
        }
        InetAddress address = InetAddress.getByName(options.getProperty(ADDRESS));
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(address, Integer.parseInt(options.getProperty(PORT))), timeoutMillis);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return createSocket();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return createSocket();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket();
    }

    /** Implements the part of {@link Socket} that the driver uses. */
    private static final class FileSocket extends Socket {
        private final SocketChannel channel;

        FileSocket(SocketChannel channel) {
            this.channel = channel;
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
