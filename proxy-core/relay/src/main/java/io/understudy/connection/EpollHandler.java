package io.understudy.connection;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.util.concurrent.ThreadAwareExecutor;

/**
 * Netty's epoll handler without a fault of Netty 4.2.16 (since netty pull request 16689): a channel that waits for no
 * event is removed from the epoll set, and when it waits for one again, epoll_ctl fails with ENOENT, because Netty
 * modifies the entry instead of adding it. This befalls a half-closed connection whose writes were blocked, or whose
 * reading was switched off and on ({@code TransportTest}). Here it stays in the set, edge-triggered, so that an error
 * or hang-up wakes the loop only once.
 */
final class EpollHandler implements IoHandler {
    private final IoHandler netty;

    private EpollHandler(IoHandler netty) {
        this.netty = netty;
    }

    static IoHandlerFactory newFactory() {
        IoHandlerFactory factory = EpollIoHandler.newFactory();
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return new EpollHandler(factory.newHandler(executor));
            }

            @Override
            public boolean isChangingThreadSupported() {
                return factory.isChangingThreadSupported();
            }
        };
    }

    @Override
    public void initialize() {
        netty.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
        return netty.run(context);
    }

    @Override
    public void prepareToDestroy() {
        netty.prepareToDestroy();
    }

    @Override
    public void destroy() {
        netty.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return new Registration(netty.register(handle));
    }

    @Override
    public void wakeup() {
        netty.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return netty.isCompatible(handleType);
    }

    private static final class Registration implements IoRegistration {
        private final IoRegistration netty;
        /** Whether the channel is in the epoll set. An unconnected socket must not be: it would report a hang-up. */
        private boolean added;

        private Registration(IoRegistration netty) {
            this.netty = netty;
        }

        @Override
        public <T> T attachment() {
            return netty.attachment();
        }

        @Override
        public long submit(IoOps ops) {
            boolean none = EpollIoOps.NONE.equals(ops);
            added |= !none;
            return netty.submit(none && added ? EpollIoOps.EPOLLET : ops);
        }

        @Override
        public boolean isValid() {
            return netty.isValid();
        }

        @Override
        public boolean cancel() {
            return netty.cancel();
        }
    }
}
