package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.understudy.command.SessionModel;
import io.understudy.metrics.RelayCounts;
import io.understudy.wire.Leg;
import io.understudy.wire.PacketScanner;

/**
 * A logged-in session in which a packet did not fit the protocol: bytes are relayed unchanged until one side closes.
 * TLS and compression of the legs stay in place below.
 *
 * <p>Packet headers are followed only where necessary: towards the client until the responses to injected statements
 * have been dropped, and towards the server where a COM_CHANGE_USER cannot be relayed unread.
 */
final class Unread implements SessionPhase {
    /** The reason that observers are told, in place of one why the session ended. */
    static final String LABEL = "unread";

    private final Leg client;
    private final Leg server;
    private final SessionModel model;
    private final RelayCounts counts;
    private final UnreadCommands commands;
    private final UnreadResponses responses;
    private final PacketScanner commandScanner;
    private final PacketScanner responseScanner;
    private boolean scansCommands = true;
    private boolean scansResponses = true;

    /** Takes over the scanners, which report to {@code commands} and {@code responses}. */
    Unread(
            Leg client,
            Leg server,
            SessionModel model,
            RelayCounts counts,
            UnreadCommands commands,
            UnreadResponses responses,
            PacketScanner commandScanner,
            PacketScanner responseScanner) {
        this.client = client;
        this.server = server;
        this.model = model;
        this.counts = counts;
        this.commands = commands;
        this.responses = responses;
        this.commandScanner = commandScanner;
        this.responseScanner = responseScanner;
        stopScanning();
    }

    /** Returns the state of the session when it was last read. */
    SessionModel model() {
        return model;
    }

    @Override
    public long serverThreadId() {
        return model.serverThreadId();
    }

    @Override
    public void fromClient(ByteBuf bytes) {
        counts.bytesFromClient(bytes.readableBytes());
        if (scansCommands) {
            commandScanner.scan(bytes);
        } else {
            server.write(bytes);
        }
    }

    @Override
    public void fromServer(ByteBuf bytes) {
        counts.bytesFromServer(bytes.readableBytes());
        if (scansResponses) {
            responseScanner.scan(bytes);
            stopScanning();
        } else {
            client.write(bytes);
        }
    }

    private void stopScanning() {
        if (scansCommands && commands.mayPassAll()) {
            scansCommands = false;
            commandScanner.finish();
        }
        if (scansResponses && responses.mayPassAll()) {
            scansResponses = false;
            responseScanner.finish();
        }
    }

    @Override
    public void clientReadComplete() {
        server.flush();
    }

    @Override
    public void serverReadComplete() {
        client.flush();
    }

    /** The proxy cannot insert a packet between bytes that it does not read. */
    @Override
    public int errorSequence() {
        return -1;
    }

    /** Not known: the server ends the session after its last response. */
    @Override
    public boolean responsesDue() {
        return true;
    }

    /** Not known either. */
    @Override
    public boolean pipelined() {
        return true;
    }

    @Override
    public String name() {
        return "relaying unread";
    }

    @Override
    public void close(CloseReason reason) {
        if (scansCommands) {
            commandScanner.close();
        }
        if (scansResponses) {
            responseScanner.close();
        }
    }
}
