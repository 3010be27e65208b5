package io.understudy.connection;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;

/**
 * Netty's event loops, but without a limit to a wait while no task is scheduled. Those of Netty 4.2.16 then wait for a
 * second at most, and set that limit before each wait: with io_uring by one more request, which has a timer in the
 * kernel and a completion of its own.
 */
final class EventLoops extends MultiThreadIoEventLoopGroup {
    EventLoops(int threads, ThreadFactory names, IoHandlerFactory handlers) {
        super(threads, names, handlers);
    }

    @Override
    protected IoEventLoop newChild(Executor executor, IoHandlerFactory handlers, Object... arguments) {
        return new Loop(this, executor, handlers);
    }

    private static final class Loop extends SingleThreadIoEventLoop {
        Loop(IoEventLoopGroup group, Executor executor, IoHandlerFactory handlers) {
            super(group, executor, handlers);
        }

        /** Returns the time at which the next scheduled task is due, or -1 if there is none. */
        @Override
        protected long deadlineNanos() {
            return nextScheduledTaskDeadlineNanos();
        }
    }
}
