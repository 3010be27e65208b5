package io.understudy;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Ends event loops, their channels first. */
final class LoopEnd {
    private static final long POLL_MILLIS = 20;

    private LoopEnd() {}

    /** Ends the loops once their channels have closed, after at most {@code seconds} for each of the two. */
    static void of(EventLoopGroup loops, int seconds) {
        awaitChannelsClosed(loops, TimeUnit.SECONDS.toMillis(seconds));
        loops.shutdownGracefully(0, seconds, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /**
     * Waits for the channels to close, for at most {@code millis}: a loop that is shut down while the kernel still
     * processes a receive leaves that socket open without notice to the peer, and logs a refused task for it (seen with
     * io_uring and multishot receives).
     */
    static void awaitChannelsClosed(EventLoopGroup loops, long millis) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            for (EventExecutor loop : loops) {
                SingleThreadEventLoop channels = (SingleThreadEventLoop) loop;
                while (channels.submit(channels::registeredChannels).get() > 0 && System.nanoTime() < deadline) {
                    Thread.sleep(POLL_MILLIS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
