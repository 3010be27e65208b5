package io.understudy.relay;

import io.understudy.connection.DescriptorShortage;
import io.understudy.server.PrimaryConnector;
import io.understudy.session.ClientSession;
import io.understudy.session.SessionEnvironment;
import io.understudy.session.SessionRegistry;

/** Shared objects that every accepted connection needs. Thread-safe. */
public record RelayContext(
        SessionRegistry registry,
        SessionEnvironment environment,
        PrimaryConnector connector,
        DescriptorShortage shortage,
        MoveTools move) {
    ClientSession open(ChannelLeg client) {
        ClientSession session = new ClientSession(registry.nextId(), client, environment, registry::leave);
        registry.enter(session);
        return session;
    }
}
