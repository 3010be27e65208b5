package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.understudy.handshake.Handshake;

/** The login, from HandshakeV10 to OK_Packet. */
final class LoggingIn implements SessionPhase {
    private final Handshake handshake;
    private boolean clientSpoke;
    private boolean serverSpoke;

    LoggingIn(Handshake handshake) {
        this.handshake = handshake;
    }

    Handshake handshake() {
        return handshake;
    }

    @Override
    public void fromClient(ByteBuf bytes) {
        clientSpoke |= bytes.isReadable();
        handshake.fromClient(bytes);
    }

    @Override
    public void fromServer(ByteBuf bytes) {
        serverSpoke = true;
        handshake.fromServer(bytes);
    }

    @Override
    public long serverThreadId() {
        return handshake.serverThreadId();
    }

    /** Returns whether neither end has sent anything, so that another server can take this one's place. */
    boolean untouched() {
        return !clientSpoke && !serverSpoke;
    }

    /** Returns whether the next packet is the server's to send. */
    boolean serverDue() {
        return handshake.serverDue();
    }

    @Override
    public int errorSequence() {
        return handshake.clientSequence();
    }

    /**
     * The server responds to a login also where its client has shut down its output, and executes what came with it.
     */
    @Override
    public boolean responsesDue() {
        return clientSpoke && handshake.serverDue();
    }

    @Override
    public boolean pipelined() {
        return responsesDue();
    }

    @Override
    public String departure() {
        return departure(clientSpoke);
    }

    /** Servers count both as errors of the host that connected, which is the proxy's. */
    static String departure(boolean clientSpoke) {
        return clientSpoke ? "closed_by_client_in_handshake" : "closed_by_client_before_login";
    }

    @Override
    public String name() {
        return "logging in";
    }

    @Override
    public void close(CloseReason reason) {
        handshake.close();
    }
}
