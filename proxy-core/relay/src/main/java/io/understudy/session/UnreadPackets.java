package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.understudy.protocol.CommandCode;
import io.understudy.wire.Leg;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.PacketScanner;
import io.understudy.wire.PacketSink;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a session that is relayed unread. Packet headers are followed only where necessary: towards the
 * client until the responses to injected statements have been dropped, which are always the oldest due; towards the
 * server between legs of which only one is secure, to stop at COM_CHANGE_USER: the client would send its password in
 * the form that is safe on its own leg only.
 */
final class UnreadPackets implements PacketSink {
    private static final int LAST_NUMBER = 0xFF;
    private static final int FIRST_OF_RESPONSE = 1;

    private final Leg to;
    /** Null once headers need not be followed. */
    private @Nullable PacketScanner scanner;

    private boolean stopsAtChangeUser;
    private int previous;
    /** Number of injected statements whose responses have not begun. */
    private int injectedDue;
    /** The response to an injected statement has begun and is not complete. */
    private boolean withinInjected;

    /** Follows nothing. */
    UnreadPackets(Leg to) {
        this.to = to;
    }

    /** @param legsUnlike whether only one leg is secure */
    static UnreadPackets ofClient(Leg server, PacketScanner scanner, boolean legsUnlike) {
        UnreadPackets commands = new UnreadPackets(server);
        commands.scanner = scanner;
        commands.stopsAtChangeUser = legsUnlike;
        return commands;
    }

    static UnreadPackets ofServer(Leg client, PacketScanner scanner, int injectedDue, boolean withinInjected) {
        UnreadPackets responses = new UnreadPackets(client);
        responses.scanner = scanner;
        responses.injectedDue = injectedDue;
        responses.withinInjected = withinInjected;
        return responses;
    }

    /** Takes over the scanner. */
    void begin() {
        if (scanner != null) {
            scanner.reportTo(this);
            stopScanning(scanner);
        }
    }

    /** Takes ownership of the bytes. */
    void pass(ByteBuf bytes) {
        PacketScanner scans = scanner;
        if (scans == null) {
            to.write(bytes);
        } else {
            scans.scan(bytes);
            stopScanning(scans);
        }
    }

    private void stopScanning(PacketScanner scans) {
        if (!stopsAtChangeUser && injectedDue == 0 && !withinInjected) {
            scanner = null;
            scans.finish();
        }
    }

    void close() {
        if (scanner != null) {
            scanner.close();
        }
    }

    @Override
    public int onPacket(int length, int sequence, int first) {
        // Number 0 after number 255 continues a long transfer, such as a file.
        boolean command = sequence == 0 && previous != LAST_NUMBER;
        previous = sequence;
        if (stopsAtChangeUser && command && first == CommandCode.CHANGE_USER) {
            throw new MalformedPacketException(
                    MalformedPacketException.Kind.CHANGE_USER,
                    "COM_CHANGE_USER in a session that is relayed unread, of which only one leg can keep a secret");
        }
        // The ends of responses are recognised by packet numbers alone.
        if (sequence == FIRST_OF_RESPONSE) {
            withinInjected = injectedDue > 0;
            injectedDue -= withinInjected ? 1 : 0;
        }
        return withinInjected ? DROP : 0;
    }

    @Override
    public boolean onShown(ByteBuf buf, int index, int length) {
        return true;
    }

    @Override
    public void onEnd() {}

    @Override
    public void forward(ByteBuf bytes) {
        to.write(bytes);
    }
}
