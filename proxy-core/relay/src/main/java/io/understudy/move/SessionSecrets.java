package io.understudy.move;

import io.understudy.config.FailoverAccount;
import io.understudy.connection.auth.LoginSecret;
import io.understudy.connection.auth.LoginSecret.NativeKey;
import io.understudy.connection.auth.LoginSecret.Password;
import io.understudy.handshake.LoginProof;
import io.understudy.handshake.LoginProof.ClearText;
import io.understudy.handshake.LoginProof.NativeResponse;
import io.understudy.handshake.LoginProof.None;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds what the users of sessions can be logged in with: the proxy's own password of {@code failover.accounts}, or
 * what the client's login has shown. Of mysql_native_password that takes the stored hashes, which are read from the
 * present primary when the first session asks, and kept until the primary changes. Thread-safe.
 */
public final class SessionSecrets {
    private static final Logger log = LoggerFactory.getLogger(SessionSecrets.class);
    /** Many sessions may miss theirs at once: the hashes are read again for all of them. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final String MARIADB = "SELECT User, Priv FROM mysql.global_priv WHERE Priv LIKE '%\"*%'";
    /** The second password of RETAIN CURRENT PASSWORD is in the attributes. */
    private static final String MYSQL =
            "SELECT User, CONCAT_WS(' ', authentication_string, User_attributes) FROM mysql.user"
                    + " WHERE plugin = 'mysql_native_password'";

    private final @Nullable DataSource monitor;
    private final Executor executor;
    private volatile Map<String, FailoverAccount> accounts = Map.of();
    /** Stored hashes by user name. Guarded by this, as the next two. */
    private @Nullable CompletableFuture<Map<String, List<byte[]>>> hashes;

    private long readAgainNanos = System.nanoTime() - REST_NANOS;
    private boolean warned;

    /**
     * @param monitor connections to the present primary by the account of {@code primary.monitor}; null without one
     * @param executor of tasks that wait for the primary
     */
    public SessionSecrets(@Nullable DataSource monitor, Executor executor) {
        this.monitor = monitor;
        this.executor = executor;
    }

    /** Sets the accounts of the configuration. */
    public void accounts(List<FailoverAccount> configured) {
        accounts = configured.stream().collect(Collectors.toMap(FailoverAccount::user, Function.identity()));
    }

    /** Forgets the stored hashes. Called when another server is the primary. */
    public synchronized void forget() {
        hashes = null;
    }

    /**
     * Finds the secret of a session's user.
     *
     * @param proof stays the caller's; must not be wiped before the result is there
     * @return a copy of the caller's own, who wipes it; fails with a {@link NotMoved}; completed on any thread
     */
    public CompletionStage<LoginSecret> find(String user, LoginProof proof) {
        FailoverAccount account = accounts.get(user);
        if (account != null) {
            return CompletableFuture.completedFuture(LoginSecret.of(account.password()));
        }
        if (proof instanceof ClearText clear) {
            return CompletableFuture.completedFuture(
                    new Password(clear.password().clone()));
        }
        if (proof instanceof NativeResponse response) {
            return find(user, response);
        }
        String method = proof instanceof None none && !none.method().isEmpty() ? " by " + none.method() : "";
        return CompletableFuture.failedFuture(
                unknown("the login" + method + " has not shown what another login needs", user));
    }

    private CompletionStage<LoginSecret> find(String user, NativeResponse response) {
        CompletableFuture<Map<String, List<byte[]>>> read = hashes(null);
        return read.thenCompose(known -> {
                    NativeKey key = NativeKeys.find(response, candidates(user, known));
                    // The password may have been changed since: the hashes are read again, once.
                    return key != null
                            ? CompletableFuture.completedFuture(key)
                            : hashes(read).thenApply(again -> NativeKeys.find(response, candidates(user, again)));
                })
                .thenApply(key -> {
                    if (key == null) {
                        throw unknown(
                                "no stored hash of '" + user + "' fits its login: its password was changed since",
                                user);
                    }
                    return key;
                });
    }

    private static NotMoved unknown(String why, String user) {
        return new NotMoved("no_credential", why + "; list '" + user + "' in failover.accounts");
    }

    /** An account without a name lets in any user. */
    private static List<byte[]> candidates(String user, Map<String, List<byte[]>> known) {
        List<byte[]> all = new ArrayList<>(known.getOrDefault(user, List.of()));
        all.addAll(known.getOrDefault("", List.of()));
        return all;
    }

    /** @param old a result that is not good enough, or null */
    private synchronized CompletableFuture<Map<String, List<byte[]>>> hashes(
            @Nullable CompletableFuture<Map<String, List<byte[]>>> old) {
        CompletableFuture<Map<String, List<byte[]>>> present = hashes;
        boolean again = present != null && present == old;
        if (present != null && again && System.nanoTime() - readAgainNanos < REST_NANOS) {
            return present;
        }
        if (present == null || again || present.isCompletedExceptionally()) {
            readAgainNanos = again ? System.nanoTime() : readAgainNanos;
            present = CompletableFuture.supplyAsync(this::read, executor);
            hashes = present;
        }
        return present;
    }

    private Map<String, List<byte[]>> read() {
        if (monitor == null) {
            throw unread("there is no primary.monitor");
        }
        Map<String, List<byte[]>> byUser = new HashMap<>();
        try (ServerQueries server = ServerQueries.of(monitor)) {
            boolean mariaDb = server.isMariaDb();
            try {
                server.each(
                        mariaDb ? MARIADB : MYSQL,
                        row -> byUser.computeIfAbsent(ServerQueries.text(row, 1), user -> new ArrayList<>())
                                .addAll(NativeKeys.stored(ServerQueries.text(row, 2))));
            } catch (SQLException e) {
                if (ServerQueries.denied(e)) {
                    warn(grant(mariaDb, server.text("SELECT CURRENT_USER()")));
                }
                throw e;
            }
            return byUser;
        } catch (SQLException e) {
            String why = String.valueOf(e.getMessage());
            throw e.getErrorCode() == 0 ? new NotMoved(NotMoved.UNREACHABLE, why) : unread(why);
        }
    }

    private static NotMoved unread(String why) {
        return new NotMoved(
                "no_credential",
                "the stored hashes of mysql_native_password cannot be read (" + why
                        + "); list the user in failover.accounts");
    }

    /** Returns the statement that lets an account read the hashes. */
    public static String grant(boolean mariaDb, String currentUser) {
        int at = currentUser.lastIndexOf('@');
        return "GRANT SELECT ON mysql." + (mariaDb ? "global_priv" : "user") + " TO "
                + Quoting.account(currentUser.substring(0, at)) + "@" + Quoting.account(currentUser.substring(at + 1));
    }

    private synchronized void warn(String grant) {
        if (!warned) {
            warned = true;
            log.warn(
                    "sessions of users with mysql_native_password cannot move to another primary, as primary.monitor"
                            + " may not read the stored hashes: {}",
                    grant);
        }
    }
}
