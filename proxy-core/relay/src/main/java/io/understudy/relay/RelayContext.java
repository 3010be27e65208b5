package io.understudy.relay;

import io.understudy.connection.DescriptorShortage;
import io.understudy.metrics.CoreMetrics;
import io.understudy.server.PrimaryConnector;
import io.understudy.session.AbsentPrimary;
import io.understudy.session.ClientSession;
import io.understudy.session.Hold;
import io.understudy.session.SessionEnvironment;
import io.understudy.session.SessionRegistry;

/** Shared objects that every accepted connection needs. Thread-safe. */
public final class RelayContext {
    private final SessionRegistry registry;
    private final SessionEnvironment environment;
    private final PrimaryConnector connector;
    private final DescriptorShortage shortage;
    private final Admission admission;
    private final MoveTools move;
    private volatile long handshakeTimeoutMillis;

    /** Collects the objects. The timeout is in milliseconds, from accept to the end of the login. */
    public RelayContext(
            SessionRegistry registry,
            SessionEnvironment environment,
            PrimaryConnector connector,
            DescriptorShortage shortage,
            MoveTools move,
            long handshakeTimeoutMillis) {
        this.registry = registry;
        this.environment = environment;
        this.connector = connector;
        this.shortage = shortage;
        this.move = move;
        this.handshakeTimeoutMillis = handshakeTimeoutMillis;
        this.admission = new Admission(registry, environment.metrics());
    }

    Admission admission() {
        return admission;
    }

    PrimaryConnector connector() {
        return connector;
    }

    DescriptorShortage shortage() {
        return shortage;
    }

    MoveTools move() {
        return move;
    }

    Hold hold() {
        return environment.hold();
    }

    AbsentPrimary absentPrimary() {
        return environment.absentPrimary();
    }

    CoreMetrics metrics() {
        return environment.metrics();
    }

    long handshakeTimeoutMillis() {
        return handshakeTimeoutMillis;
    }

    /** Sets the limit for connections accepted from now on. */
    public void setHandshakeTimeoutMillis(long millis) {
        handshakeTimeoutMillis = millis;
    }

    ClientSession open(ChannelLeg client) {
        ClientSession session = new ClientSession(registry.nextId(), client, environment, registry::leave);
        registry.enter(session);
        return session;
    }
}
