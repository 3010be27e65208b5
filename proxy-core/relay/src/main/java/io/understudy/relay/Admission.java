package io.understudy.relay;

import io.understudy.metrics.CoreMetrics;
import io.understudy.session.SessionRegistry;
import io.understudy.wire.packet.ErrPacket;

/** Admits a connection, or rejects it with an ERR packet that says why. */
final class Admission {
    private static final int ER_CON_COUNT = 1040;
    private static final int ER_SERVER_SHUTDOWN = 1053;

    private final SessionRegistry registry;
    private final CoreMetrics metrics;

    Admission(SessionRegistry registry, CoreMetrics metrics) {
        this.registry = registry;
        this.metrics = metrics;
    }

    boolean admit(ChannelLeg client) {
        return switch (registry.admit()) {
            case ADMITTED -> true;
            case TOO_MANY ->
                refuse(
                        client,
                        "refused_max_connections",
                        new ErrPacket(
                                ER_CON_COUNT, "08004", "Too many connections (Understudy: listen.maxConnections)"));
            case DRAINING ->
                refuse(
                        client,
                        "refused_draining",
                        new ErrPacket(
                                ER_SERVER_SHUTDOWN, "08S01", "Server shutdown in progress (Understudy is draining)"));
        };
    }

    /** The descriptor of this connection is the last one. */
    void refuseForWantOfDescriptors(ChannelLeg client) {
        refuse(
                client,
                "refused_no_descriptors",
                new ErrPacket(
                        ER_CON_COUNT,
                        "08004",
                        "Too many connections (Understudy: out of file descriptors; raise its ulimit -n)"));
    }

    private boolean refuse(ChannelLeg client, String outcome, ErrPacket err) {
        metrics.connection(outcome);
        client.write(err.encode(client.alloc(), 0, true));
        client.closeAfterFlush();
        return false;
    }
}
