package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.inject.GtidTracking;
import io.understudy.wire.Capabilities;
import io.understudy.wire.packet.SessionStateFilter;
import org.jspecify.annotations.Nullable;

/** What a session's client must not see of its OK packets: session state that only the proxy asked for. */
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

    /** The filter for a session, or null when there is nothing to take out. */
    static @Nullable OkPacketFilter of(
            long capabilities, boolean clientTracks, GtidTracking tracking, ByteBufAllocator alloc) {
        boolean tracks = (capabilities & Capabilities.SESSION_TRACK) != 0;
        if (!tracks || clientTracks && !tracking.isOn()) {
            return null;
        }
        return new OkPacketFilter(new SessionStateFilter(capabilities), !clientTracks, tracking, alloc);
    }

    /** Whether OK packets have to be looked at now. */
    boolean active() {
        return all || tracking.addedGtids() || !tracking.addedVariables().isEmpty();
    }

    /**
     * What the client gets in place of an OK packet, header included; null: the packet as it is.
     *
     * @param index of its payload, behind its header; what is returned may be made of the same bytes
     */
    @Nullable
    ByteBuf replace(ByteBuf buf, int index, int length, int sequence) {
        if (all) {
            return filter.withoutState(buf, index, length, sequence);
        }
        return filter.without(alloc, buf, index, length, sequence, tracking.addedVariables(), tracking.addedGtids());
    }
}
