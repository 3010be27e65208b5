package io.understudy.server;

import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.base.Secret;
import io.understudy.config.MonitorConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.connection.Credentials;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One of the proxy's accounts: what new connections log in with, which a reload changes, and how it fares. */
public final class LiveAccount {
    private static final String MONITOR = "primary.monitor";

    private volatile Credentials credentials;
    private final AccountHealth health;
    private volatile Runnable closing = () -> {};

    private LiveAccount(
            String key, String standby, Credentials credentials, Supplier<String> server, MeterRegistry registry) {
        this.credentials = credentials;
        this.health = new AccountHealth(key, standby, () -> this.credentials.user(), server, registry);
    }

    /** Returns the monitor's account, or null if none is configured. */
    public static @Nullable LiveAccount of(
            @Nullable MonitorConfig monitor, PrimaryAddress address, MeterRegistry registry) {
        return monitor == null
                ? null
                : new LiveAccount(
                        MONITOR,
                        "",
                        new Credentials(monitor.user(), monitor.password()),
                        () -> "primary " + address.get(),
                        registry);
    }

    /** Returns the account of a standby. */
    public static LiveAccount of(StandbyConfig standby, MeterRegistry registry) {
        return new LiveAccount(
                AccountHealth.STANDBYS,
                standby.name(),
                new Credentials(standby.user(), standby.password()),
                () -> "standby " + standby.name(),
                registry);
    }

    /** Returns what a connection logs in with from now on. Thread-safe. */
    public Credentials credentials() {
        return credentials;
    }

    /** Sets what closes open connections if the server refuses what it is used for while it is replaced. */
    public void whenRefusedIsReplaced(Runnable close) {
        closing = close;
    }

    /**
     * Has new connections log in with others. Those that are open go on, unless the account was refused: they could be
     * of no use, as after a login with an expired password, and what they report is not of the new one.
     *
     * @return whether they differ
     */
    public boolean replace(String user, Secret password) {
        Credentials next = new Credentials(user, password);
        boolean changed = !next.equals(credentials);
        credentials = next;
        if (changed && health.problem() != null) {
            closing.run();
            health.forget();
        }
        return changed;
    }

    /** Returns where failures of this account are reported. */
    public AccountHealth health() {
        return health;
    }
}
