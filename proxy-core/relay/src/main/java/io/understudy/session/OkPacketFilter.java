package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.command.GtidTracking;
import io.understudy.protocol.Capabilities;
import io.understudy.wire.packet.SessionState;
import io.understudy.wire.packet.SessionStateFilter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Removes from OK packets for the client the session state that only the proxy requested, and the address with which
 * MariaDB directs clients past the proxy.
 */
record OkPacketFilter(
        SessionStateFilter filter,
        boolean all,
        boolean redirects,
        GtidTracking tracking,
        ByteBufAllocator alloc,
        Runnable onRedirect) {
    /**
     * Returns the filter for a session, or null when there is nothing to remove.
     *
     * @param mayRedirect whether a server may direct the client past the proxy
     * @param onRedirect called when an address was removed
     */
    static @Nullable OkPacketFilter of(
            long capabilities,
            boolean clientTracks,
            boolean mayRedirect,
            GtidTracking tracking,
            ByteBufAllocator alloc,
            Runnable onRedirect) {
        boolean tracks = (capabilities & Capabilities.SESSION_TRACK) != 0;
        boolean redirects = clientTracks && mayRedirect;
        if (!tracks || clientTracks && !redirects && !tracking.isOn()) {
            return null;
        }
        return new OkPacketFilter(
                new SessionStateFilter(capabilities), !clientTracks, redirects, tracking, alloc, onRedirect);
    }

    /** Returns whether OK packets need filtering now. */
    boolean active() {
        return all
                || redirects
                || tracking.addedGtids()
                || !tracking.addedVariables().isEmpty();
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
        List<String> variables = tracking.addedVariables();
        if (redirects && filter.redirects(buf, index, length)) {
            onRedirect.run();
            variables = new ArrayList<>(variables);
            variables.add(SessionState.REDIRECT_URL);
        }
        if (variables.isEmpty() && !tracking.addedGtids()) {
            return null;
        }
        return filter.without(alloc, buf, index, length, sequence, variables, tracking.addedGtids());
    }
}
