package io.understudy.host;

import io.understudy.plugin.AccountUse;
import io.understudy.plugin.Primary;
import io.understudy.plugin.ServerConnector;
import io.understudy.plugin.ServerFlavor;
import io.understudy.server.AccountHealth;
import io.understudy.server.PrimaryAddress;
import io.understudy.server.PrimaryMonitor;
import io.understudy.server.PrimaryState;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The primary as plugins see it.
 *
 * @param dataSource null without a monitor account
 * @param connector without a monitor account, one that fails and says so, see {@link #noAccount}
 * @param separate opens a connector with an event loop of its own
 * @param account how the monitor account fares; null without one
 * @param unknown why it is not known which server is the primary; null if it is
 */
public record HostedPrimary(
        @Nullable DataSource dataSource,
        PrimaryAddress address,
        PrimaryMonitor monitor,
        ServerConnector connector,
        Supplier<ServerConnector> separate,
        @Nullable AccountHealth account,
        Supplier<@Nullable String> unknown)
        implements Primary {
    /** Returns the connector used if no monitor account is configured. */
    public static ServerConnector noAccount() {
        return () -> java.util.concurrent.CompletableFuture.failedFuture(new java.io.IOException(
                "no connection to the primary: there is no account for it; add primary.monitor with user and"
                        + " password"));
    }

    @Override
    public ServerConnector separateConnector() {
        return separate.get();
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // UNKNOWN is the mark for not yet probed
    public boolean isUnreachable() {
        PrimaryState state = monitor.state();
        return state != PrimaryState.UNKNOWN && !state.reachable() || unknown.get() != null;
    }

    @Override
    public AccountUse accountUse(String function) {
        return account == null ? AccountUse.NONE : account.use(function);
    }

    @Override
    public AutoCloseable onChange(Runnable listener) {
        return address.onChange((from, to) -> listener.run());
    }

    @Override
    public boolean mayFollow() {
        return address.mayFollow();
    }

    @Override
    public AutoCloseable onReachable(Runnable listener) {
        return monitor.onReachable(listener);
    }

    @Override
    public ServerFlavor flavor() {
        ServerFlavor known = monitor.state().flavor();
        return known == null ? ServerFlavor.MARIADB : known;
    }
}
