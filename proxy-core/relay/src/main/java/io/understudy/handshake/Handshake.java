package io.understudy.handshake;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.Leg;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Marker;
import io.understudy.wire.Packets;
import io.understudy.wire.TlsHandlerSource;
import io.understudy.wire.packet.ErrPacket;
import org.jspecify.annotations.Nullable;

/**
 * Drives the phases of one login: collects packets of both legs and passes them to the current phase. Must be used on
 * the session's event loop.
 */
public final class Handshake implements AuthBridge.Ends {
    /** Content of caching_sha2_password's AuthMoreData ahead of OK_Packet. */
    private static final int FAST_AUTH_SUCCESS = 3;

    /** Receives the result of a login. */
    public interface Outcome {
        /**
         * Called before the OK_Packet is forwarded.
         *
         * @throws RuntimeException to end the session; the client then gets an error in place of the OK_Packet
         */
        default void admit(LoginResult result) {}

        /** Called when the OK_Packet has been forwarded. */
        void loggedIn(LoginResult result);

        /** Called when the server's ERR packet has been forwarded. */
        void refusedByServer(ErrPacket err);

        /**
         * Called when the client's SSLRequest has been forwarded: the following bytes are TLS between client and
         * server.
         */
        default void passthrough() {
            throw new IllegalStateException("TLS is relayed, which this outcome does not support");
        }

        /** Called when TLS with one side has failed; its connection is about to close. */
        default void tlsFailed(boolean withServer, Throwable cause) {}
    }

    private final SequencedLeg client;
    private final SequencedLeg server;
    private final Outcome outcome;
    private final LoginPolicy policy;
    private final boolean trackSession;
    private final PacketAssembler fromClient = new PacketAssembler();
    private final PacketAssembler fromServer = new PacketAssembler();
    private HandshakePhase phase = new AwaitHandshakeV10(this);
    private boolean over;
    private boolean waiting;
    private boolean serverDue = true;
    private long serverThreadId;
    private @Nullable ProofRecorder recorder;

    public Handshake(Leg client, Leg server, LoginPolicy policy, boolean trackSession, Outcome outcome) {
        this.trackSession = trackSession;
        this.policy = policy;
        this.client = new SequencedLeg(client, "client");
        this.server = new SequencedLeg(server, "server");
        this.outcome = outcome;
    }

    /** Returns whether the server goes on by itself: OK_Packet follows caching_sha2_password's fast_auth_success. */
    private static boolean goesOn(ByteBuf packet) {
        int payload = packet.readerIndex() + Packets.HEADER;
        return packet.readableBytes() == Packets.HEADER + 2
                && packet.getByte(payload) == Marker.AUTH_MORE_DATA
                && packet.getByte(payload + 1) == FAST_AUTH_SUCCESS;
    }

    /** Takes ownership of the bytes. */
    public void fromServer(ByteBuf bytes) {
        fromServer.add(bytes);
        ByteBuf packet;
        while (!over && (packet = next(fromServer, server)) != null) {
            serverDue = goesOn(packet);
            ByteBuf payload = SequencedLeg.payload(packet);
            boolean err = payload.isReadable() && payload.getUnsignedByte(0) == Marker.ERR;
            if (err && !(phase instanceof Authenticating)) {
                refuse(packet, payload); // the connection, or after connect_timeout
            } else {
                phase = phase.fromServer(packet);
            }
        }
    }

    /**
     * Returns whether packets that the client sent early are due now; the next {@link #fromClient} processes them, even
     * with an empty buffer.
     */
    public boolean clientMayGoOn() {
        return waiting && !over && !phase.isEarly(fromClient.sequence());
    }

    /** Takes ownership of the bytes. */
    public void fromClient(ByteBuf bytes) {
        fromClient.add(bytes);
        if (clientMayGoOn()) {
            waiting = false;
            client.leg().setReading(true);
        }
        ByteBuf packet;
        while (!over) {
            int sequence = fromClient.sequence();
            if (sequence >= 0 && phase.isEarly(sequence)) {
                // The packet waits here, and reading stops: otherwise a client could fill the memory.
                waiting = true;
                client.leg().setReading(false);
                return;
            }
            packet = next(fromClient, client);
            if (packet == null) {
                return;
            }
            serverDue = true;
            phase = phase.fromClient(packet);
        }
    }

    private static @Nullable ByteBuf next(PacketAssembler assembler, SequencedLeg leg) {
        ByteBuf packet = assembler.next();
        if (packet != null) {
            try {
                leg.received(packet);
            } catch (RuntimeException e) {
                packet.release();
                throw e;
            }
        }
        return packet;
    }

    /** Returns the bytes that the client sent early. The caller owns them. */
    public ByteBuf drainClient() {
        return fromClient.drain();
    }

    public ByteBuf drainServer() {
        return fromServer.drain();
    }

    /** Returns the sequence number for an ERR packet of the proxy to the client. */
    public int clientSequence() {
        return client.nextSequence();
    }

    void serverThreadId(long id) {
        serverThreadId = id;
    }

    /** Returns the thread id in HandshakeV10, or 0 before it has come. */
    public long serverThreadId() {
        return serverThreadId;
    }

    /**
     * Returns whether the last whole packet was the client's, or none has come, so that the next is the server's to
     * send. A client that sends its packet byte by byte does not make the server due, nor does one that has asked the
     * proxy for TLS and owes its ClientHello.
     */
    public boolean serverDue() {
        return serverDue;
    }

    public void close() {
        over = true;
        phase.close();
        fromClient.close();
        fromServer.close();
    }

    /** Returns whether the server is asked for session tracking even for a client that does not request it. */
    boolean trackSession() {
        return trackSession;
    }

    LoginPolicy policy() {
        return policy;
    }

    boolean clientIsLocal() {
        return client.leg().isLocal();
    }

    boolean serverIsLocal() {
        return server.leg().isLocal();
    }

    /** Starts TLS with the client; bytes after its SSLRequest are TLS already. */
    void startClientTls(TlsHandlerSource end) {
        serverDue = false; // the client's ClientHello comes next
        client.leg().startTls(end, fromClient.drain(), cause -> tlsDone(false, cause));
    }

    /**
     * Starts TLS with the server, to which an SSLRequest has been sent.
     *
     * @throws MalformedPacketException when the server has sent more bytes in clear, which an attacker may have
     *     inserted
     */
    void startServerTls(TlsHandlerSource end) {
        ByteBuf early = fromServer.drain();
        if (early.isReadable()) {
            early.release();
            throw new MalformedPacketException(
                    "the server sent bytes in clear behind its handshake packet, ahead of TLS");
        }
        server.leg().startTls(end, early, cause -> tlsDone(true, cause));
    }

    private void tlsDone(boolean withServer, @Nullable Throwable cause) {
        if (cause != null && !over) {
            over = true;
            outcome.tlsFailed(withServer, cause);
        }
    }

    /** Returns a packet of the proxy; its number is set when it is sent. */
    private ByteBuf packet(byte[] payload) {
        return Packets.of(client.leg().alloc(), 0, payload);
    }

    @Override
    public void toClient(byte[] payload) {
        serverDue = false; // the server does not know of this packet: the next one is the client's
        toClient(packet(payload));
    }

    @Override
    public void toServer(byte[] payload) {
        serverDue = true; // also where it responds to a packet of the server, in place of the client
        toServer(packet(payload));
    }

    /** Records what the login shows of the client's secret, from now on. */
    void record(ProofRecorder proofs) {
        recorder = proofs;
    }

    /** Returns null where nothing is recorded. */
    @Nullable
    ProofRecorder recorder() {
        return recorder;
    }

    @Override
    public void decrypted(byte[] password) {
        if (recorder != null) {
            recorder.password(password.clone());
        }
    }

    void passthrough() {
        over = true;
        outcome.passthrough();
    }

    void toClient(ByteBuf packet) {
        client.send(packet);
    }

    void toServer(ByteBuf packet) {
        server.send(packet);
    }

    /** Forwards the OK_Packet, which ends the login, unless it is refused. Takes ownership of the packet. */
    void loggedIn(ByteBuf packet, LoginResult result) {
        try {
            outcome.admit(result);
        } catch (RuntimeException e) {
            packet.release();
            throw e;
        }
        toClient(packet);
        over = true;
        if (waiting) {
            client.leg().setReading(true);
        }
        outcome.loggedIn(result);
    }

    /** Forwards the server's ERR packet, which ends the login. Takes ownership of the packet. */
    void refuse(ByteBuf packet, ByteBuf payload) {
        ErrPacket err = ErrPacket.parse(payload, 0, payload.readableBytes());
        toClient(packet);
        over = true;
        outcome.refusedByServer(err);
    }
}
