package io.understudy.admin;

import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections with an endless response, up to a limit below that of all connections: the others must find room.
 * Confined to the event loop but for {@link #awaitEnd}.
 */
final class AdminStreams {
    private static final Logger LOG = LoggerFactory.getLogger(AdminStreams.class);
    private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final String RETRY_SECONDS = "5";

    private final int limit;
    private final LongSupplier nanoClock;
    private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private @Nullable Long loggedNanos;
    /** Since the last line in the log. */
    private int refused;

    AdminStreams(int limit, LongSupplier nanoClock) {
        this.limit = limit;
        this.nanoClock = nanoClock;
    }

    void add(Channel channel) {
        open.add(channel);
    }

    /** Returns the refusal of a further stream at the limit, else null. */
    @Nullable
    AdminResponse refusalAtLimit(String path) {
        return open.size() < limit
                ? null
                : refusal(path, "there are " + limit + " streams already; close one, or try again later");
    }

    /** Returns the refusal of a stream that has no room for now. */
    AdminResponse refusal(String path, String why) {
        refused++;
        long now = nanoClock.getAsLong();
        if (loggedNanos == null || now - loggedNanos >= LOG_NANOS) {
            LOG.warn("{} was refused: {} ({} refused since the last such line)", path, why, refused);
            loggedNanos = now;
            refused = 0;
        }
        return AdminResponse.error(HttpResponseStatus.SERVICE_UNAVAILABLE, why).with("Retry-After", RETRY_SECONDS);
    }

    /** Waits until all have ended, for a limited time. */
    void awaitEnd(long millis) {
        open.newCloseFuture().awaitUninterruptibly(millis);
    }
}
