package io.understudy.report;

import io.netty.channel.EventLoopGroup;
import io.understudy.config.MonitorConfig;
import io.understudy.config.PrimaryConfig;
import io.understudy.config.Transport;
import io.understudy.connection.NettyServerConnector;
import io.understudy.connection.NetworkTransport;
import io.understudy.plugins.binlog.BinlogDump;
import io.understudy.plugins.binlog.BinlogListener;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.JdbcPrimaryQueries;
import io.understudy.server.QueryPool;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Reads the primary's binary log for some time through its own dump connection. */
public final class LiveBinlog {
    private static final Duration LOGIN_TIMEOUT = Duration.ofSeconds(10);

    private LiveBinlog() {}

    /**
     * Passes on the transactions that the primary commits during that time.
     *
     * @throws IOException if no account is configured or the server refuses the dump
     */
    public static void listen(PrimaryConfig primary, Duration length, Consumer<BinlogTransaction> out)
            throws IOException, InterruptedException {
        MonitorConfig monitor = primary.monitor();
        QueryPool queries = QueryPool.to(primary);
        if (monitor == null || queries == null) {
            throw new IOException(
                    "primary.monitor is not configured; add an account with REPLICATION SLAVE, or give files");
        }
        NetworkTransport transport = NetworkTransport.resolve(Transport.NIO);
        EventLoopGroup loops = transport.relayGroup(1, "report");
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
        AtomicReference<String> trouble = new AtomicReference<>();
        CountDownLatch gone = new CountDownLatch(1);
        NettyServerConnector client = new NettyServerConnector(
                transport,
                loops,
                primary.address(),
                monitor.user(),
                monitor.password(),
                primary.tls(),
                primary.connectTimeout(),
                LOGIN_TIMEOUT);
        BinlogListener listener = new BinlogListener() {
            @Override
            public void onTransaction(BinlogTransaction transaction) {
                out.accept(transaction);
            }

            @Override
            public void onGap(BinlogTrouble gap) {
                trouble.set(gap.message());
                gone.countDown();
            }
        };
        BinlogDump dump = new BinlogDump(
                client,
                new JdbcPrimaryQueries(queries.dataSource(), () -> false),
                executor,
                System::nanoTime,
                0,
                true,
                BinlogDump.REST::toNanos,
                listener);
        try {
            dump.start();
            if (gone.await(length.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("no binary log from " + primary.address() + ": " + trouble.get());
            }
        } finally {
            dump.stop();
            executor.shutdownNow();
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            queries.close();
        }
    }
}
