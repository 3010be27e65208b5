package io.understudy.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import org.mariadb.jdbc.util.ConfigurableSocketFactory;

/** Connects to the target that the configuration names, whichever host and port the caller names. */
abstract class OneTargetSocketFactory extends ConfigurableSocketFactory {
    @Override
    public final Socket createSocket(String host, int port) throws IOException {
        return createSocket();
    }

    @Override
    public final Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket();
    }

    @Override
    public final Socket createSocket(InetAddress host, int port) throws IOException {
        return createSocket();
    }

    @Override
    public final Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort)
            throws IOException {
        return createSocket();
    }

    @Override
    public abstract Socket createSocket() throws IOException;
}
