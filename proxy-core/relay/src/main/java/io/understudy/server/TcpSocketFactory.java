package io.understudy.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;
import org.mariadb.jdbc.Configuration;

/**
 * Connects MariaDB Connector/J to an address that the proxy has looked up: the driver itself would use the Java
 * runtime's cache of names. The driver creates the factory by class name; the address is given by the property
 * {@link #ADDRESS}. TLS still verifies the host name of the URL.
 */
public final class TcpSocketFactory extends OneTargetSocketFactory {
    /** An IP literal. */
    static final String ADDRESS = "understudyAddress";
    /** The port. */
    static final String PORT = "understudyPort";

    private @Nullable String address;
    private int port;
    private int timeoutMillis;

    @Override
    public void setConfiguration(Configuration configuration, String host) {
        address = configuration.nonMappedOptions().getProperty(ADDRESS);
        port = Integer.parseInt(configuration.nonMappedOptions().getProperty(PORT, "0"));
        timeoutMillis = configuration.connectTimeout();
    }

    /** Returns a connected socket, which the driver does not connect again. */
    @Override
    public Socket createSocket() throws IOException {
        if (address == null) {
            throw new SocketException("the property " + ADDRESS + " does not name an address");
        }
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(InetAddress.getByName(address), port), timeoutMillis);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }
}
