package io.understudy.embedded;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A primary and a standby that replicates from it by GTID through a {@link DelayedLink}. Replication is
 * semi-synchronous by default. Everything that the primary logs reaches the standby, accounts included.
 */
public final class EmbeddedPair implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String REPLICATION_USER = "repl";
    private static final String REPLICATION_PASSWORD = "repl";

    private final PairOptions options;
    private final EmbeddedServer primary;
    private final EmbeddedServer standby;
    private final DelayedLink link;

    private EmbeddedPair(PairOptions options, EmbeddedServer primary, EmbeddedServer standby, DelayedLink link) {
        this.options = options;
        this.primary = primary;
        this.standby = standby;
        this.link = link;
    }

    /**
     * Starts both servers in parallel. Returns when the standby replicates and, with semi-sync, acknowledges.
     *
     * @throws EmbeddedException if a server does not start or replication does not; a started server is stopped again
     */
    public static EmbeddedPair start(PairOptions options) {
        // Before the two threads start, so that neither waits silently while the other one unpacks.
        ServerBinaries.prepare();
        CompletableFuture<EmbeddedServer> first = async(primaryOptions(options), "embedded-primary-start");
        CompletableFuture<EmbeddedServer> second = async(standbyOptions(options), "embedded-standby-start");
        EmbeddedServer primary;
        EmbeddedServer standby;
        try {
            primary = first.join();
            standby = second.join();
        } catch (CompletionException e) {
            first.thenAccept(EmbeddedServer::close);
            second.thenAccept(EmbeddedServer::close);
            throw e.getCause() instanceof EmbeddedException known ? known : e;
        }
        DelayedLink link = DelayedLink.to(primary.address(), options.rtt());
        EmbeddedPair pair = new EmbeddedPair(options, primary, standby, link);
        try {
            pair.replicate();
            return pair;
        } catch (RuntimeException e) {
            pair.close();
            throw e;
        }
    }

    private static CompletableFuture<EmbeddedServer> async(ServerOptions options, String name) {
        CompletableFuture<EmbeddedServer> result = new CompletableFuture<>();
        Thread starter = new Thread(
                () -> {
                    try {
                        result.complete(EmbeddedServer.start(options));
                    } catch (RuntimeException | Error e) {
                        result.completeExceptionally(e);
                    }
                },
                name);
        starter.setDaemon(true);
        starter.start();
        return result;
    }

    private static ServerOptions primaryOptions(PairOptions options) {
        return prepend(
                options.primary(),
                "--rpl-semi-sync-master-enabled=" + (options.semiSync() ? 1 : 0),
                "--rpl-semi-sync-master-timeout=" + options.semiSyncTimeout().toMillis(),
                "--rpl-semi-sync-master-wait-point=" + options.waitPoint());
    }

    private static ServerOptions standbyOptions(PairOptions options) {
        return prepend(
                options.standby(),
                "--rpl-semi-sync-slave-enabled=" + (options.semiSync() ? 1 : 0),
                "--read-only=1",
                "--slave-parallel-threads=" + options.parallelThreads());
    }

    /** The caller's arguments stay last, so that they take precedence. */
    private static ServerOptions prepend(ServerOptions options, String... injected) {
        return new ServerOptions(options.serverId(), options.bufferPool(), List.of(injected))
                .withArguments(options.arguments());
    }

    private void replicate() {
        // Off until the standby is connected; otherwise each statement would wait for the full timeout.
        primary.execute("SET GLOBAL rpl_semi_sync_master_enabled=0");
        createAccount(REPLICATION_USER, REPLICATION_PASSWORD, "REPLICATION SLAVE ON *.*");
        primary.execute("SET GLOBAL rpl_semi_sync_master_enabled=" + (options.semiSync() ? 1 : 0));
        if (standby.query("SELECT @@global.log_bin").equals("1")) {
            standby.execute("RESET MASTER");
        }
        standby.execute(
                "STOP SLAVE",
                "SET GLOBAL gtid_slave_pos=''",
                "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=" + link.port() + ", MASTER_USER='"
                        + REPLICATION_USER + "', MASTER_PASSWORD='" + REPLICATION_PASSWORD
                        + "', MASTER_USE_GTID=slave_pos, MASTER_CONNECT_RETRY=1, MASTER_SSL=0",
                "START SLAVE");
        if (options.semiSync()) {
            awaitSemiSyncClient();
        }
        awaitCaughtUp(PATIENCE);
    }

    public EmbeddedServer primary() {
        return primary;
    }

    public EmbeddedServer standby() {
        return standby;
    }

    /** Returns the network between the two servers, for delays and faults. */
    public DelayedLink link() {
        return link;
    }

    /**
     * Creates or replaces an account on the primary for connections from any host. Replication creates it on the
     * standby.
     *
     * @param grants each the middle of a GRANT statement, such as {@code "SELECT, INSERT ON shop.*"}
     */
    public void createAccount(String user, String password, String... grants) {
        String account = quote(user) + "@'%'";
        primary.execute("CREATE OR REPLACE USER " + account + " IDENTIFIED BY " + quote(password));
        for (String grant : grants) {
            primary.execute("GRANT " + grant + " TO " + account);
        }
    }

    /** Waits until semi-sync is on and the primary counts the standby as a semi-synchronous replica. */
    public void awaitSemiSyncClient() {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (semiSyncClients() < 1 || !isSemiSync()) {
            if (System.nanoTime() - deadline > 0) {
                throw new EmbeddedException("no semi-synchronous replica on the primary after " + PATIENCE.toSeconds()
                        + " s; the standby says: " + standbyErrors());
            }
            pause();
        }
    }

    /** Returns {@code Rpl_semi_sync_master_clients} of the primary. */
    public int semiSyncClients() {
        return (int) primary.status("Rpl_semi_sync_master_clients");
    }

    private boolean isSemiSync() {
        return primary.query("SHOW GLOBAL STATUS WHERE Variable_name='Rpl_semi_sync_master_status' AND Value='ON'")
                        .length()
                > 0;
    }

    /**
     * Waits until the standby has applied everything that the primary has logged so far.
     *
     * @throws EmbeddedException after {@code timeout}, with both positions and the standby's errors
     */
    public void awaitCaughtUp(Duration timeout) {
        String goal = primary.query("SELECT @@GLOBAL.gtid_binlog_pos");
        String outcome =
                standby.query("SELECT MASTER_GTID_WAIT(" + quote(goal) + ", " + timeout.toMillis() / 1000.0 + ")");
        if (!"0".equals(outcome)) {
            throw new EmbeddedException("the standby has not caught up after " + timeout + ": primary at " + goal
                    + ", standby at " + standby.query("SELECT @@GLOBAL.gtid_slave_pos") + "; it says: "
                    + standbyErrors());
        }
    }

    @Override
    public void close() {
        try {
            link.close();
        } finally {
            try {
                standby.close();
            } finally {
                primary.close();
            }
        }
    }

    private String standbyErrors() {
        Map<String, String> row = standby.replication();
        return row.isEmpty()
                ? "it is no replica"
                : "connection '" + row.get("last_io_error") + "', applier '" + row.get("last_sql_error") + "'";
    }

    private static String quote(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
    }

    private static void pause() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedException("interrupted while waiting for replication", e);
        }
    }
}
