package io.understudy.admin;

import io.netty.channel.Channel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The open connections of the endpoint. At the limit a connection from which no request has come makes room for a new
 * one, so that silent clients do not keep a health check out. Confined to the event loop.
 */
final class AdminConnections {

    private final int limit;
    private int open;
    /** Connections without a complete request, the longest silent first. */
    private final Map<Channel, Waiting> waiting = new LinkedHashMap<>();

    /** @param spent whether it has had a response already and comes last: a scraper that keeps its connection */
    private record Waiting(@Nullable InetAddress address, boolean spent) {}

    AdminConnections(int limit) {
        this.limit = limit;
    }

    /** Counts a new connection; returns false if there is no room and all others are being served. */
    boolean admit(Channel channel) {
        if (open >= limit) {
            Channel evicted = evicted();
            if (evicted == null) {
                return false;
            }
            waiting.remove(evicted);
            evicted.close();
        }
        open++;
        channel.closeFuture().addListener(closed -> {
            open--;
            waiting.remove(channel);
        });
        return true;
    }

    /** Called when a connection begins to wait for a request, or only for its end. */
    void waits(Channel channel, boolean afterResponse) {
        if (channel.isOpen()) {
            SocketAddress from = channel.remoteAddress();
            waiting.put(
                    channel,
                    new Waiting(from instanceof InetSocketAddress inet ? inet.getAddress() : null, afterResponse));
        }
    }

    /** Called when a request is complete. */
    void serves(Channel channel) {
        waiting.remove(channel);
    }

    /** Returns the longest silent connection of the address that has most of them, or null if all are being served. */
    private @Nullable Channel evicted() {
        Map<@Nullable InetAddress, Integer> counts = new HashMap<>();
        Channel found = null;
        int most = 0;
        for (boolean spent : new boolean[] {false, true}) {
            waiting.values().stream()
                    .filter(one -> one.spent() == spent)
                    .forEach(one -> counts.merge(one.address(), 1, Integer::sum));
            for (Map.Entry<Channel, Waiting> one : waiting.entrySet()) {
                int count = one.getValue().spent() == spent
                        ? counts.getOrDefault(one.getValue().address(), 0)
                        : 0;
                if (count > most) {
                    most = count;
                    found = one.getKey();
                }
            }
            if (found != null) {
                return found;
            }
        }
        return null;
    }
}
