package io.understudy.relay;

import io.understudy.config.Address;
import io.understudy.server.PrimaryConnector;
import io.understudy.session.Destination;
import java.net.SocketAddress;

/**
 * The server that was the primary when a session was connected to it.
 *
 * @param host what the address stood for
 */
record ConnectedPrimary(PrimaryConnector connector, Address address, SocketAddress host) implements Destination {
    @Override
    public String name() {
        return "primary " + address;
    }

    @Override
    public boolean isPrimary() {
        return connector.isPrimary(address, host);
    }

    @Override
    public boolean isAbandoned() {
        return !isPrimary() && connector.isAbandoned(address);
    }

    @Override
    public void loggedIn() {
        connector.loggedIn(address);
    }

    @Override
    public void silent() {
        connector.silent(address);
    }
}
