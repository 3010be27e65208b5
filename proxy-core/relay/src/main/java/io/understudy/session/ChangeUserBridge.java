package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.understudy.command.Exchange;
import io.understudy.command.SessionModel;
import io.understudy.handshake.AuthBridge;
import io.understudy.handshake.PacketAssembler;
import io.understudy.protocol.CommandCode;
import io.understudy.wire.Leg;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.PacketSink;
import io.understudy.wire.Packets;
import io.understudy.wire.packet.AuthResponseField;
import org.jspecify.annotations.Nullable;

/**
 * Carries the authentication exchange of COM_CHANGE_USER between legs of which only one is secure, as the login did:
 * packets are held until they are complete, passed to the {@link AuthBridge} and renumbered, because one leg may have
 * an additional packet. All other packets pass unchanged.
 */
final class ChangeUserBridge implements AuthBridge.Ends {
    private final AuthBridge bridge;
    private final SessionModel model;
    private final Leg client;
    private final Leg server;
    /** Number of the command that the packet numbers belong to. */
    private long dialogue = -1;

    private int clientNext;
    private int serverNext;

    private ChangeUserBridge(AuthBridge bridge, SessionModel model, Leg client, Leg server) {
        this.bridge = bridge;
        this.model = model;
        this.client = client;
        this.server = server;
    }

    /**
     * Returns the bridge of a session; null for legs that are alike, between which the exchange is relayed unchanged.
     */
    static @Nullable ChangeUserBridge of(@Nullable AuthBridge bridge, SessionModel model, Leg client, Leg server) {
        return bridge == null ? null : new ChangeUserBridge(bridge, model, client, server);
    }

    /** Returns the sink for the client's packets, in front of {@code next}. */
    PacketSink commands(PacketSink next) {
        return new Commands(next);
    }

    /** Returns the sink for the server's packets, in front of {@code next}. */
    PacketSink responses(PacketSink next) {
        return new Responses(next);
    }

    /**
     * Returns whether the oldest command in flight is COM_CHANGE_USER: the packets of both legs then belong to its
     * exchange, and are renumbered here.
     */
    boolean active() {
        Exchange head = model.inFlight().head();
        if (head == null || head.code() != CommandCode.CHANGE_USER) {
            return false;
        }
        if (head.number() != dialogue) {
            dialogue = head.number();
            clientNext = 1;
            serverNext = 1;
        }
        return true;
    }

    /** Returns the number of the next packet to the client, while {@link #active} returns true. */
    int clientSequence() {
        return clientNext & 0xFF;
    }

    /** Returns the number of the next packet from the server, while {@link #active} returns true. */
    int serverSequence() {
        return serverNext & 0xFF;
    }

    /** Overwrites secrets, when the session ends or is relayed unread. */
    void close() {
        bridge.forget();
    }

    @Override
    public void toClient(byte[] payload) {
        client.write(Packets.of(client.alloc(), clientNext++, payload));
        client.flush();
    }

    @Override
    public void toServer(byte[] payload) {
        server.write(Packets.of(server.alloc(), serverNext++, payload));
        server.flush();
    }

    private static int held(int length) {
        if (length > PacketAssembler.LIMIT) {
            throw new MalformedPacketException(
                    MalformedPacketException.Kind.CHANGE_USER,
                    "a packet of " + length + " bytes in the dialogue of COM_CHANGE_USER; at" + " most "
                            + PacketAssembler.LIMIT + " are taken");
        }
        return PacketSink.HOLD | length;
    }

    private static void checkNumber(String name, int sequence, int due) {
        if (sequence != (due & 0xFF)) {
            throw new MalformedPacketException(
                    MalformedPacketException.Kind.CHANGE_USER,
                    "the " + name + " sent packet number " + sequence + " of COM_CHANGE_USER where " + (due & 0xFF)
                            + " was due");
        }
    }

    /** One direction: holds packets, and decides which of them are forwarded. */
    private abstract static class Direction extends SinkBefore {
        boolean held;
        boolean swallowed;

        Direction(PacketSink next) {
            super(next);
        }

        @Override
        public void onEnd() {
            if (!swallowed) {
                super.onEnd();
            }
        }
    }

    private final class Commands extends Direction {
        private boolean command;
        private int wanted;

        Commands(PacketSink next) {
            super(next);
        }

        @Override
        public int onPacket(int length, int sequence, int first) {
            command = sequence == 0 && first == CommandCode.CHANGE_USER && !ofAFile();
            held = command || sequence != 0 && active();
            swallowed = false;
            if (!held) {
                return next.onPacket(length, sequence, first);
            }
            if (command) {
                wanted = next.onPacket(length, sequence, first);
            } else {
                checkNumber("client", sequence, clientNext++);
            }
            return held(length);
        }

        /** Returns whether the client is sending a file, of which every 256th packet has the number 0, too. */
        private boolean ofAFile() {
            Exchange head = model.inFlight().head();
            return model.sending() || head != null && head.wantsClientData(0);
        }

        @Override
        public boolean onShown(ByteBuf buf, int index, int length) {
            if (!held) {
                return next.onShown(buf, index, length);
            }
            ByteBuf payload = buf.slice(index, length);
            return command ? begin(buf, index, payload) : response(payload);
        }

        private boolean begin(ByteBuf buf, int index, ByteBuf payload) {
            next.onShown(buf, index, Math.min(wanted & MAX_SHOWN, payload.readableBytes()));
            byte[] bridged = bridge.first(payload, AuthResponseField.ofChangeUser(payload, model.capabilities()));
            if (bridged == null) {
                return true;
            }
            next.forward(Packets.of(server.alloc(), 0, bridged));
            return false;
        }

        private boolean response(ByteBuf payload) {
            if (bridge.fromClient(payload, ChangeUserBridge.this)) {
                swallowed = true;
                return false;
            }
            int first = payload.isReadable() ? payload.getUnsignedByte(0) : -1;
            next.onPacket(payload.readableBytes(), clientNext - 1 & 0xFF, first);
            next.forward(Packets.of(server.alloc(), serverNext++, bytes(payload)));
            return false;
        }
    }

    private final class Responses extends Direction {
        Responses(PacketSink next) {
            super(next);
        }

        @Override
        public int onPacket(int length, int sequence, int first) {
            held = active();
            swallowed = false;
            if (!held) {
                return next.onPacket(length, sequence, first);
            }
            checkNumber("server", sequence, serverNext++);
            return held(length);
        }

        @Override
        public boolean onShown(ByteBuf buf, int index, int length) {
            if (!held) {
                return next.onShown(buf, index, length);
            }
            ByteBuf payload = buf.slice(index, length);
            if (bridge.fromServer(payload, ChangeUserBridge.this)) {
                swallowed = true;
                return false;
            }
            int sequence = clientNext++ & 0xFF;
            int verdict = next.onPacket(length, sequence, length == 0 ? -1 : payload.getUnsignedByte(0));
            int shown = Math.min(verdict & MAX_SHOWN, length);
            boolean requested = shown > 0 || (verdict & HOLD) != 0;
            boolean goesOn = !requested || next.onShown(buf, index, shown) || (verdict & HOLD) == 0;
            if (goesOn && (verdict & DROP) == 0) {
                next.forward(Packets.of(client.alloc(), sequence, bytes(payload)));
            }
            return false;
        }
    }

    private static byte[] bytes(ByteBuf payload) {
        byte[] out = new byte[payload.readableBytes()];
        payload.getBytes(payload.readerIndex(), out);
        return out;
    }
}
