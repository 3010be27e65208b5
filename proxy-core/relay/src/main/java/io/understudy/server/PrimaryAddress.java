package io.understudy.server;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.config.Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Clock;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The address of the present primary. This object alone changes it; sessions, monitors, pools, the dump connection and
 * plugins read it here or are notified from here. Thread-safe.
 */
public final class PrimaryAddress {
    private static final Logger log = LoggerFactory.getLogger(PrimaryAddress.class);

    /** The cause of a change; also the metric's label. */
    public enum Reason {
        RELOAD,
        API,
        CANDIDATE,
        /** The name in the address has moved to another server. */
        DNS;

        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Notified of each change, in the order of registration. Must not wait. */
    public interface Listener {
        void changed(Address from, Address to);
    }

    /**
     * The present address and how it came to be.
     *
     * @param reason null for the address of the start
     * @param former the address before; null for that of the start
     * @param abandoned whether the server before it had become silent. If it wakes up, it executes what it has been
     *     sent, and its clients must not take that for done.
     */
    public record Present(
            Address address,
            Instant since,
            @Nullable Reason reason,
            @Nullable Address former,
            boolean abandoned) {}

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final Map<Reason, Counter> changes = new EnumMap<>(Reason.class);
    private final Clock clock;
    private volatile BooleanSupplier planned = () -> false;
    private volatile BooleanSupplier silent = () -> false;
    private volatile Present present;
    /** Former primaries that had become silent: sessions may still be with an older one than the last. */
    private volatile Set<Address> abandoned = Set.of();
    /** Whether that of the start may have taken another server's place. */
    private volatile boolean follows;
    /** The addresses of the server's name; empty before the first look-up, and for a socket file. */
    private volatile Set<InetAddress> hosts = Set.of();

    public PrimaryAddress(Address first, MeterRegistry registry, Clock clock) {
        this.clock = clock;
        present = new Present(first, clock.instant(), null, null, false);
        for (Reason reason : Reason.values()) {
            changes.put(
                    reason,
                    Counter.builder("understudy.primary.changes")
                            .description("Changes of the primary's address, by reason")
                            .tag("reason", reason.label())
                            .register(registry));
        }
    }

    public Address get() {
        return present.address();
    }

    public Present present() {
        return present;
    }

    /** Sets how to find out whether an operator is changing the primary: then sessions are held. */
    public void setPlannedCheck(BooleanSupplier held) {
        planned = held;
    }

    /** Sets how to find out whether the present primary does not respond. */
    void silentWhile(BooleanSupplier noResponse) {
        silent = noResponse;
    }

    /**
     * Returns whether an operator is changing the primary. A server that becomes read-only or writable then is part of
     * that, and is not logged unless it stays so afterwards.
     */
    public boolean isChangePlanned() {
        return planned.getAsBoolean();
    }

    /** Adds a listener. The returned handle removes it. */
    public AutoCloseable onChange(Listener listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /**
     * Changes the address and notifies the listeners.
     *
     * @param why for the log
     * @return false if {@code to} is the present address already
     */
    public synchronized boolean change(Address to, Reason reason, String why) {
        Address from = present.address();
        if (from.equals(to)) {
            return false;
        }
        hosts = Set.of();
        become(from, to, reason, why);
        return true;
    }

    /**
     * Takes the result of a lookup. If the name stands for none of the servers that it stood for, the primary has
     * changed.
     */
    synchronized void resolved(Address of, Set<InetAddress> now) {
        if (!of.equals(present.address())) {
            return;
        }
        Set<InetAddress> before = hosts;
        hosts = Set.copyOf(now);
        if (!before.isEmpty() && Collections.disjoint(before, now)) {
            become(of, of, Reason.DNS, "the name stands for " + text(now) + ", no longer for " + text(before));
        }
    }

    private static String text(Set<InetAddress> all) {
        return all.stream().map(InetAddress::getHostAddress).sorted().collect(Collectors.joining(", "));
    }

    /** Returns whether a connection made to {@code address} at {@code host} leads to the present primary. */
    public boolean is(Address address, SocketAddress host) {
        Set<InetAddress> known = hosts;
        return address.equals(get())
                && (known.isEmpty() || !(host instanceof InetSocketAddress inet) || known.contains(inet.getAddress()));
    }

    /** Returns whether {@code server} had become silent when it was the primary last. */
    public boolean isAbandoned(Address server) {
        return abandoned.contains(server);
    }

    /**
     * Sets the address of the start, which was not known before. That is no change: not counted, and no warning.
     *
     * @param mayFollow whether another server may have been the primary until then
     */
    synchronized void begin(Address at, String why, boolean mayFollow) {
        follows = mayFollow;
        Address from = present.address();
        hosts = Set.of();
        present = new Present(at, clock.instant(), null, null, false);
        log.info("the primary is {}: {}", at, why);
        notifyListeners(from, at);
    }

    /** Returns whether another server was the primary before, or may have been. */
    public boolean mayFollow() {
        return follows || !isFirst();
    }

    /** Returns whether the address is that of the start. */
    boolean isFirst() {
        return present.reason() == null;
    }

    private void become(Address from, Address to, Reason reason, String why) {
        boolean silently = silent.getAsBoolean();
        Set<Address> left = new HashSet<>(abandoned);
        left.remove(to);
        if (silently) {
            left.add(from); // also if its name stands for another server now
        }
        abandoned = Set.copyOf(left);
        present = new Present(to, clock.instant(), reason, from, silently);
        Objects.requireNonNull(changes.get(reason)).increment();
        // What an operator has asked for is no surprise.
        Level level = reason == Reason.API || reason == Reason.RELOAD ? Level.INFO : Level.WARN;
        if (from.equals(to)) {
            log.atLevel(level).log("the primary {} is another server now: {}", to, why);
        } else {
            log.atLevel(level).log("the primary is now {}, no longer {}: {}", to, from, why);
        }
        notifyListeners(from, to);
    }

    private void notifyListeners(Address from, Address to) {
        for (Listener listener : listeners) {
            try {
                listener.changed(from, to);
            } catch (RuntimeException e) {
                log.error("a part of the proxy failed to follow the primary to {}", to, e);
            }
        }
    }
}
