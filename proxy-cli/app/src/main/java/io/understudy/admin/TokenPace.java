package io.understudy.admin;

import io.understudy.base.RecentlyUsed;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Slows down a host that sends wrong tokens: its requests with one get their response a second later, and only a few of
 * them wait at a time. Requests with the right token, and other hosts, notice nothing: a switchover, say, may run on
 * the host of a program with an old token. Confined to the event loop, and waits on no thread.
 */
final class TokenPace {
    /** Wrong tokens after which a host is slowed. */
    static final int FREE = 10;

    /** Time in which they are forgotten. */
    static final Duration WINDOW = Duration.ofMinutes(1);

    static final Duration DELAY = Duration.ofSeconds(1);

    /** Requests of one host that wait at a time. */
    static final int WAITING = 8;

    private static final int HOSTS = 1000;

    private static final class Host {
        private long sinceNanos;
        private int wrong;
        private int waiting;
    }

    private final LongSupplier nanoClock;
    private final Map<InetAddress, Host> hosts = new RecentlyUsed<>(HOSTS);

    TokenPace(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Called for a wrong token. */
    void wrong(SocketAddress client) {
        InetAddress address = address(client);
        if (address == null) {
            return;
        }
        Host host = hosts.computeIfAbsent(address, added -> new Host());
        if (host.wrong == 0 || nanoClock.getAsLong() - host.sinceNanos > WINDOW.toNanos()) {
            host.wrong = 0;
            host.sinceNanos = nanoClock.getAsLong();
        }
        host.wrong++;
    }

    /** Returns whether a request with a wrong token has to wait before it is looked at. */
    boolean isSlowed(SocketAddress client) {
        Host host = known(client);
        return host != null && host.wrong >= FREE && nanoClock.getAsLong() - host.sinceNanos <= WINDOW.toNanos();
    }

    /** Called when a request begins to wait. Returns false if too many of its host do. */
    boolean begin(SocketAddress client) {
        Host host = known(client);
        if (host == null) {
            return true;
        }
        if (host.waiting >= WAITING) {
            return false;
        }
        host.waiting++;
        return true;
    }

    /** Called when a request that began to wait has done so. */
    void end(SocketAddress client) {
        Host host = known(client);
        if (host != null) {
            host.waiting = Math.max(0, host.waiting - 1);
        }
    }

    private @Nullable Host known(SocketAddress client) {
        InetAddress address = address(client);
        return address == null ? null : hosts.get(address);
    }

    private static @Nullable InetAddress address(SocketAddress client) {
        return client instanceof InetSocketAddress inet ? inet.getAddress() : null;
    }
}
