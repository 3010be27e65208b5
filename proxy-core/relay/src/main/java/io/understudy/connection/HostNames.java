package io.understudy.connection;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.resolver.HostsFileEntriesProvider;
import io.netty.resolver.HostsFileEntriesResolver;
import io.netty.resolver.ResolvedAddressTypes;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsNameResolverTimeoutException;
import io.netty.resolver.dns.SequentialDnsServerAddressStreamProvider;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Resolves host names without blocking an event loop that moves data: {@code /etc/hosts} first, then the name servers
 * of {@code /etc/resolv.conf}, on a thread of its own that begins with the first name. Responses are cached.
 * Thread-safe.
 */
final class HostNames {
    /** Names another file than {@code /etc/resolv.conf}; for tests. */
    static final String FILE_PROPERTY = "io.understudy.resolvConf";

    /** A name that moves to another server is followed within this time, whatever its record says. */
    private static final Duration LONGEST_TTL = Duration.ofSeconds(60);

    private static final int MIN_TTL_SECONDS = 1;
    private static final int NEGATIVE_TTL_SECONDS = 1;
    private static final int SAME_LOOKUPS = 64;
    private static final int MIN_QUERY_MILLIS = 1000;
    /** Longer than any query to the previous name servers takes. */
    private static final int RETIRE_SECONDS = 60;

    private final NetworkTransport transport;
    private final Path file = Path.of(System.getProperty(FILE_PROPERTY, "/etc/resolv.conf"));
    private final HostsFile hosts = new HostsFile();
    /** Guarded by this. */
    private @Nullable EventLoopGroup thread;
    /** The rest is confined to the thread. */
    private @Nullable DnsNameResolver resolver;

    private long modified;
    private Duration builtFor = LONGEST_TTL;
    private volatile Duration longestTtl = LONGEST_TTL;

    HostNames(NetworkTransport transport) {
        this.transport = transport;
    }

    /** Returns the address that {@code host} is itself, null for a name. */
    static @Nullable InetAddress literal(String host) {
        if (!NetUtil.isValidIpV4Address(host) && !NetUtil.isValidIpV6Address(host)) {
            return null;
        }
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /**
     * Resolves a name. Fails with a {@link NameLookupException}.
     *
     * @param loop where listeners are notified
     */
    Future<InetAddress> resolve(String host, EventLoop loop, Duration timeout) {
        Promise<InetAddress> found = loop.newPromise();
        Future<?> timer =
                loop.schedule(() -> found.tryFailure(tooSlow(host, timeout)), timeout.toNanos(), TimeUnit.NANOSECONDS);
        found.addListener(done -> timer.cancel(false));
        EventLoop names = names();
        names.execute(() -> lookUp(host, DnsNameResolver::resolve, found));
        return found;
    }

    /** Sets the longest time for which a response is cached; shorter if its record says so. */
    void setLongestTtl(Duration longest) {
        longestTtl = longest;
    }

    /** Implements {@link NameLookup}. Waits, so it must not be called on an event loop. */
    List<InetAddress> lookup(String host, Duration timeout) throws IOException {
        InetAddress literal = literal(host);
        if (literal != null) {
            return List.of(literal);
        }
        Promise<List<InetAddress>> found = GlobalEventExecutor.INSTANCE.newPromise();
        names().execute(() -> lookUp(host, DnsNameResolver::resolveAll, found));
        try {
            if (!found.await(timeout.toMillis())) {
                throw tooSlow(host, timeout);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while looking up " + host);
        }
        if (found.isSuccess()) {
            return found.getNow();
        }
        throw new IOException(found.cause().getMessage(), found.cause());
    }

    private NameLookupException tooSlow(String host, Duration timeout) {
        return new NameLookupException(
                host,
                "no response within connectTimeout (" + timeout.toMillis() + " ms); check the name servers in " + file,
                new java.net.SocketTimeoutException());
    }

    private synchronized EventLoop names() {
        if (thread == null) {
            thread = transport.group(1, "names");
        }
        return thread.next();
    }

    private <T> void lookUp(String host, BiFunction<DnsNameResolver, String, Future<T>> lookup, Promise<T> found) {
        DnsNameResolver current;
        try {
            current = current();
        } catch (RuntimeException e) {
            found.tryFailure(failure(host, e));
            return;
        }
        lookup.apply(current, host).addListener((Future<T> resolved) -> {
            if (resolved.isSuccess()) {
                found.trySuccess(resolved.getNow());
                return;
            }
            found.tryFailure(failure(host, resolved.cause()));
            if (DescriptorShortage.is(resolved.cause()) && resolver == current) {
                // Its socket could not be made and will not be made later.
                resolver = null;
                current.close();
            }
        });
    }

    private NameLookupException failure(String host, Throwable cause) {
        for (Throwable at = cause; at != null; at = at.getCause()) {
            if (at instanceof DnsNameResolverTimeoutException) {
                return new NameLookupException(host, "no name server responds; check those in " + file, cause);
            }
        }
        return new NameLookupException(
                host,
                cause instanceof UnknownHostException
                        ? "no such host; check the address, and the search domains in " + file
                        : String.valueOf(cause.getMessage()),
                cause);
    }

    /** Returns the resolver for the file as it is now. */
    private DnsNameResolver current() {
        long now = file.toFile().lastModified();
        DnsNameResolver old = resolver;
        Duration longest = longestTtl;
        if (old != null && now == modified && longest.equals(builtFor)) {
            return old;
        }
        ResolvConf conf;
        try {
            conf = ResolvConf.read(file);
        } catch (IOException e) {
            if (old != null) {
                return old;
            }
            throw new java.io.UncheckedIOException("cannot read " + file + ": " + e.getMessage(), e);
        }
        DnsNameResolver next = build(conf, longest);
        resolver = next;
        builtFor = longest;
        modified = now;
        if (old != null) {
            names().schedule(old::close, RETIRE_SECONDS, TimeUnit.SECONDS);
        }
        return next;
    }

    private DnsNameResolver build(ResolvConf conf, Duration longest) {
        // Several silent servers share the time, so that the last of them is asked before a connectTimeout ends.
        long millis = Math.max(
                MIN_QUERY_MILLIS, conf.timeoutSeconds() * 1000L / conf.servers().size());
        return new DnsNameResolverBuilder(names())
                .datagramChannelFactory(transport.datagramChannel())
                .socketChannelFactory(transport.streamChannel())
                .nameServerProvider(new SequentialDnsServerAddressStreamProvider(conf.servers()))
                .hostsFileEntriesResolver(hosts)
                .searchDomains(conf.search())
                .ndots(conf.ndots())
                .ttl(MIN_TTL_SECONDS, (int) Math.max(MIN_TTL_SECONDS, longest.toSeconds()))
                .negativeTtl(NEGATIVE_TTL_SECONDS)
                .queryTimeoutMillis(millis)
                .consolidateCacheSize(SAME_LOOKUPS)
                .build();
    }

    /** Ends the thread, if one has begun. Blocks until it has ended. */
    synchronized void close() {
        if (thread != null) {
            thread.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    /** {@code /etc/hosts}, read again when it has changed. On the thread that resolves names. */
    private static final class HostsFile implements HostsFileEntriesResolver {
        private static final File FILE = new File("/etc/hosts");

        private Map<String, List<InetAddress>> ipv4 = Map.of();
        private Map<String, List<InetAddress>> ipv6 = Map.of();
        private long modified = -1;

        @Override
        public @Nullable InetAddress address(String host, ResolvedAddressTypes types) {
            refresh();
            String name = host.toLowerCase(Locale.ENGLISH);
            InetAddress four = types == ResolvedAddressTypes.IPV6_ONLY ? null : first(ipv4.get(name));
            InetAddress six = types == ResolvedAddressTypes.IPV4_ONLY ? null : first(ipv6.get(name));
            boolean sixFirst = types == ResolvedAddressTypes.IPV6_PREFERRED;
            InetAddress found = (sixFirst ? six : four) != null ? (sixFirst ? six : four) : (sixFirst ? four : six);
            // Minimal containers have no hosts file, and name servers need not know this name (RFC 6761).
            return found == null && name.equals("localhost") ? InetAddress.getLoopbackAddress() : found;
        }

        private static @Nullable InetAddress first(@Nullable List<InetAddress> all) {
            return all == null || all.isEmpty() ? null : all.get(0);
        }

        private void refresh() {
            long now = FILE.lastModified();
            if (now == modified) {
                return;
            }
            try {
                HostsFileEntriesProvider entries =
                        HostsFileEntriesProvider.parser().parse(FILE, StandardCharsets.UTF_8);
                ipv4 = entries.ipv4Entries();
                ipv6 = entries.ipv6Entries();
                modified = now;
            } catch (IOException e) {
                // Unreadable for now, as without a file descriptor: what was read before holds.
            }
        }
    }
}
