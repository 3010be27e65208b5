package io.understudy.server;

import io.netty.util.concurrent.GlobalEventExecutor;
import io.understudy.base.NoTask;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.mariadb.jdbc.Configuration;
import org.mariadb.jdbc.util.ConfigurableSocketFactory;

/**
 * Connects MariaDB Connector/J to an address that the proxy has looked up, because the driver would use the Java
 * runtime's cache of names, or to a socket file, for which the driver would need a native library. The driver creates
 * the factory by class name; the properties name the target, whichever host and port the caller names. TLS still
 * verifies the host name of the URL.
 */
public final class TargetSocketFactory extends ConfigurableSocketFactory {
    /** The path of a socket file. */
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
        private volatile int timeoutMillis;

        FileSocket(SocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public InputStream getInputStream() {
            return new InputStream() {
                @Override
                public int read() throws IOException {
                    byte[] one = new byte[1];
                    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
                }

                @Override
                public int read(byte[] into, int from, int length) throws IOException {
                    return receive(ByteBuffer.wrap(into, from, length));
                }
            };
        }

        /** Channels of socket files have no timeout: a frozen server's is closed, which ends the read. */
        private int receive(ByteBuffer into) throws IOException {
            int millis = timeoutMillis;
            long begun = System.nanoTime();
            Future<?> limit = millis == 0
                    ? NoTask.NONE
                    : GlobalEventExecutor.INSTANCE.schedule(
                            () -> {
                                channel.close();
                                return null;
                            },
                            millis,
                            TimeUnit.MILLISECONDS);
            try {
                return channel.read(into);
            } catch (AsynchronousCloseException e) {
                if (millis > 0 && System.nanoTime() - begun >= TimeUnit.MILLISECONDS.toNanos(millis)) {
                    throw new SocketTimeoutException("no response within " + millis + " ms");
                }
                throw e;
            } finally {
                limit.cancel(false);
            }
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
        public synchronized void setSoTimeout(int timeout) {
            timeoutMillis = timeout;
        }

        @Override
        public synchronized int getSoTimeout() {
            return timeoutMillis;
        }

        @Override
        public void setSoLinger(boolean on, int linger) {}
    }
}
