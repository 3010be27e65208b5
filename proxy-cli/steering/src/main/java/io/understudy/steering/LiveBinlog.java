package io.understudy.steering;

import io.netty.channel.EventLoopGroup;
import io.understudy.config.Address;
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
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.server.ConfiguredPrimary;
import io.understudy.server.QueryPool;
import io.understudy.steering.parallelism.LoggedHints;
import io.understudy.steering.parallelism.Workload;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Reads the primary's binary log from now on, through a dump connection of its own. */
public final class LiveBinlog implements AutoCloseable {
    private static final Duration LOGIN_TIMEOUT = Duration.ofSeconds(10);

    private final Address address;
    private final QueryPool queries;
    private final EventLoopGroup loops;
    private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
    private final BinlogDump dump;
    private final CompletableFuture<Boolean> begun = new CompletableFuture<>();
    private final CompletableFuture<String> trouble = new CompletableFuture<>();

    /**
     * Begins to read.
     *
     * @param workload receives the transactions that the primary commits
     * @param added called with each, on one thread
     * @throws IOException if no account is configured
     */
    public LiveBinlog(PrimaryConfig primary, Workload workload, Consumer<Workload.Entry> added) throws IOException {
        address = ConfiguredPrimary.of(primary, null);
        MonitorConfig monitor = primary.monitor();
        QueryPool pool = QueryPool.to(primary, address);
        if (monitor == null || pool == null) {
            throw new IOException(
                    "primary.monitor is not configured; add an account with REPLICATION SLAVE, or give files");
        }
        queries = pool;
        NetworkTransport transport = NetworkTransport.resolve(Transport.NIO);
        loops = transport.relayGroup(1, "report");
        NettyServerConnector client = new NettyServerConnector(
                transport,
                loops,
                address,
                monitor.user(),
                monitor.password(),
                primary.tls(),
                primary.connectTimeout(),
                LOGIN_TIMEOUT);
        LoggedHints hints = new LoggedHints();
        dump = new BinlogDump(
                client,
                new JdbcPrimaryQueries(queries.dataSource(), () -> false),
                executor,
                hints,
                new BinlogListener() {
                    @Override
                    public void onStart(PrimaryFacts facts) {
                        workload.isOf(facts.flavor());
                        begun.complete(true);
                    }

                    @Override
                    public void onTransaction(BinlogTransaction transaction) {
                        added.accept(workload.add(transaction, hints.of(transaction)));
                    }

                    @Override
                    public void onGap(BinlogTrouble gap) {
                        trouble.complete(gap.message());
                    }
                });
        dump.start();
    }

    /** Returns the server whose log is read: of several candidates, the writable one. */
    public Address address() {
        return address;
    }

    /** Returns whether what is committed now will be read. */
    public boolean reads() {
        return begun.isDone() && !trouble.isDone();
    }

    /**
     * Waits for that time.
     *
     * @throws IOException if the server refuses the dump, or the connection has ended
     */
    public void await(Duration length) throws IOException, InterruptedException {
        first(length, trouble);
    }

    /** Waits until the reading has begun, for that time at most; throws as {@link #await}. */
    void awaitBegin(Duration length) throws IOException, InterruptedException {
        first(length, CompletableFuture.anyOf(begun, trouble));
    }

    private void first(Duration length, CompletableFuture<?> event) throws IOException, InterruptedException {
        try {
            event.get(length.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // As long as asked for.
        } catch (ExecutionException e) {
            throw new IOException(e);
        }
        if (trouble.isDone()) {
            throw new IOException("the binary log of " + address + " is not read: " + trouble.join());
        }
    }

    @Override
    public void close() {
        dump.stop();
        executor.shutdownNow();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        queries.close();
    }
}
