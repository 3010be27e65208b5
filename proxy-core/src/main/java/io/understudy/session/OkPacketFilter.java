package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.inject.GtidTracking;
import io.understudy.wire.Capabilities;
import io.understudy.wire.packet.SessionStateFilter;
import org.jspecify.annotations.Nullable;

/** Removes session state that only the proxy requested from OK packets for the client. */
final class OkPacketFilter {
    private final SessionStateFilter filter;
    private final boolean all;
    private final GtidTracking tracking;
    private final ByteBufAllocator alloc;

    private OkPacketFilter(SessionStateFilter filter, boolean all, GtidTracking tracking, ByteBufAllocator alloc) {
        this.filter = filter;
        this.all = all;
        this.tracking = tracking;
        this.alloc = alloc;
    }

    /** Returns the filter for a session, or null when there is nothing to remove. */
    static @Nullable OkPacketFilter of(
            long capabilities, boolean clientTracks, GtidTracking tracking, ByteBufAllocator alloc) {
        boolean tracks = (capabilities & Capabilities.SESSION_TRACK) != 0;
        if (!tracks || clientTracks && !tracking.isOn()) {
            return null;
        }
        return new OkPacketFilter(new SessionStateFilter(capabilities), !clientTracks, tracking, alloc);
    }

    /** Returns whether OK packets need filtering now. */
    boolean active() {
        return all || tracking.addedGtids() || !tracking.addedVariables().isEmpty();
    }

    /**
     * Returns the packet, with its header, that the client receives instead of an OK packet, or null when that needs no
     * change. The returned buffer may share the bytes of the given one.
     *
     * @param index index of the payload; the header precedes it
     */
    @Nullable
    ByteBuf replace(ByteBuf buf, int index, int length, int sequence) {
        if (all) {
            return filter.withoutState(buf, index, length, sequence);
        }
        return filter.without(alloc, buf, index, length, sequence, tracking.addedVariables(), tracking.addedGtids());
    }
}
