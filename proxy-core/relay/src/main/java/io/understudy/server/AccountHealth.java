package io.understudy.server;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.connection.AccountRemedy;
import io.understudy.plugin.AccountUse;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How one of the proxy's accounts fares at its server: whatever uses the account reports here, so that a changed
 * password, a lock, a missing privilege or a limit is one fact with one remedy, and the functions that it breaks.
 * Thread-safe; never waits.
 */
public final class AccountHealth {
    private static final Logger log = LoggerFactory.getLogger(AccountHealth.class);

    /** The key of the accounts of standbys. */
    static final String STANDBYS = "standbys";

    /** A refused password counts after this time: until then the file with the new one is read again. */
    static final Duration GRACE = Duration.ofSeconds(5);

    /** A function that has not tried again for so long says nothing any more; the longest pause is a minute. */
    static final Duration STALE = Duration.ofMinutes(2);

    /** What the driver puts in front of the server's message. */
    private static final Pattern DRIVERS_OWN = Pattern.compile("^\\(conn=\\d+\\) ");

    /**
     * What one function was refused with.
     *
     * @param elsewhere the server that refused, for people; null for the one that the account is for
     */
    private record Failure(int code, String error, @Nullable String elsewhere, long sinceNanos, long lastNanos) {}

    /**
     * What is wrong with the account.
     *
     * @param server the server that refuses it, for people
     * @param error the server's error
     * @param remedy the statement that mends it, or what else to do
     * @param affected the functions that do not work
     */
    public record Problem(String server, int code, String error, String remedy, List<String> affected) {
        /** Returns whether the server refuses the login, and not a single statement. */
        boolean login() {
            return code != 0 && AccountRemedy.isLogin(code);
        }
    }

    private final String key;
    private final Supplier<String> user;
    private final Supplier<String> server;
    private final LongSupplier nanoClock;
    private final List<Runnable> recovered = new CopyOnWriteArrayList<>();
    private volatile Runnable passwordRefused = () -> {};

    /** By function, the first first. Guarded by this, as the next. */
    private final Map<String, Failure> failures = new LinkedHashMap<>();

    /** The server of the last warning; null after its end. */
    private @Nullable String told;

    /**
     * @param key the account's key in the configuration
     * @param standby the standby's name, or nothing for the primary
     * @param server the server's address, for people
     */
    public AccountHealth(
            String key, String standby, Supplier<String> user, Supplier<String> server, MeterRegistry registry) {
        this(key, user, server, System::nanoTime);
        Gauge.builder("understudy.account.broken", this, health -> health.problem() == null ? 0 : 1)
                .description("1 while a server refuses one of the proxy's accounts")
                .tag("account", key)
                .tag("standby", standby)
                .register(registry);
    }

    AccountHealth(String key, Supplier<String> user, Supplier<String> server, LongSupplier nanoClock) {
        this.key = key;
        this.user = user;
        this.server = server;
        this.nanoClock = nanoClock;
    }

    /** Sets what is called when a password is refused for the first time. It must not wait. */
    public void whenPasswordRefused(Runnable action) {
        passwordRefused = action;
    }

    /** Adds a listener for the end of a problem. It must not wait. */
    public void onRecovered(Runnable listener) {
        recovered.add(listener);
    }

    /** Returns where a function reports. */
    public AccountUse use(String function) {
        return new AccountUse() {
            @Override
            public void works() {
                AccountHealth.this.works(function);
            }

            @Override
            public void refused(int code, String error) {
                if (AccountRemedy.concerns(code)) {
                    AccountHealth.this.refused(function, null, code, error);
                }
            }
        };
    }

    /**
     * Reports the failure of a probe that has found the server alive.
     *
     * @param elsewhere the probed server, for people; null if it is the one that the account is for
     */
    void refused(String function, @Nullable String elsewhere, Exception failure) {
        refused(function, elsewhere, code(failure), ProbeFailure.reason(failure));
    }

    /** Returns the number of the server's error; 0 if it sent none. */
    public static int code(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause() == at ? null : at.getCause()) {
            if (at instanceof SQLException sql && sql.getErrorCode() > 0) {
                return sql.getErrorCode();
            }
        }
        return 0;
    }

    /** Returns whether a server that is alive refused the account: password, lock, privilege or limit. */
    public static boolean refuses(SQLException failure) {
        return AccountRemedy.concerns(code(failure));
    }

    /** Called when the server or the account is another one. */
    public synchronized void forget() {
        failures.values().removeIf(failure -> failure.elsewhere() == null);
        if (failures.isEmpty()) {
            told = null;
        }
    }

    /**
     * Called when a new login to the server that the account is for has succeeded: what that one refused before a
     * change of the account may work again.
     */
    void loggedIn() {
        boolean news;
        synchronized (this) {
            news = failures.values()
                    .removeIf(failure -> failure.elsewhere() == null && AccountRemedy.endsWithALogin(failure.code()));
            if (!news) {
                return;
            }
            notifyListeners();
        }
        recovered.forEach(Runnable::run);
    }

    private void works(String function) {
        synchronized (this) {
            if (failures.remove(function) != null) {
                notifyListeners();
            }
        }
    }

    private void refused(String function, @Nullable String elsewhere, int code, String error) {
        boolean first;
        synchronized (this) {
            long now = nanoClock.getAsLong();
            Failure before = failures.get(function);
            long since = before != null && before.code() == code && now - before.lastNanos() < STALE.toNanos()
                    ? before.sinceNanos()
                    : now;
            first = AccountRemedy.isPassword(code)
                    && failures.values().stream()
                            .noneMatch(failure -> AccountRemedy.isPassword(failure.code())
                                    && Objects.equals(failure.elsewhere(), elsewhere));
            String text = DRIVERS_OWN.matcher(error).replaceFirst("");
            failures.put(function, new Failure(code, text, elsewhere, since, now));
            notifyListeners();
        }
        if (first) {
            passwordRefused.run();
        }
    }

    /** Returns what is wrong with the account, or null if nothing is known to be. */
    public synchronized @Nullable Problem problem() {
        long now = nanoClock.getAsLong();
        failures.values().removeIf(failure -> now - failure.lastNanos() > STALE.toNanos());
        Failure cause = null;
        List<String> affected = new ArrayList<>();
        for (Map.Entry<String, Failure> entry : failures.entrySet()) {
            Failure failure = entry.getValue();
            boolean counts = !AccountRemedy.isPassword(failure.code()) || now - failure.sinceNanos() >= GRACE.toNanos();
            if (counts) {
                affected.add(entry.getKey());
                boolean heavier =
                        cause == null || AccountRemedy.isLogin(failure.code()) && !AccountRemedy.isLogin(cause.code());
                cause = heavier ? failure : cause;
            }
        }
        if (cause == null) {
            return null;
        }
        String elsewhere = cause.elsewhere();
        return new Problem(
                elsewhere == null ? server.get() : elsewhere,
                cause.code(),
                cause.error(),
                // A candidate that is not the primary is a standby.
                elsewhere != null || key.equals(STANDBYS)
                        ? AccountRemedy.ofStandby(cause.code(), cause.error(), user.get(), key)
                        : AccountRemedy.of(cause.code(), cause.error(), user.get(), key),
                affected);
    }

    /** Returns the problem as a sentence for an operator, or null. */
    public @Nullable String sentence() {
        Problem problem = problem();
        return problem == null ? null : sentence(problem);
    }

    private String sentence(Problem problem) {
        return problem.server() + (problem.code() == 0 ? " cannot be queried with" : " refuses") + " the account of "
                + key + " ('" + user.get() + "')" + (problem.code() == 0 ? "" : " with error " + problem.code())
                + ": " + problem.error()
                + "; without it: " + String.join(", ", problem.affected())
                + "; remedy: " + problem.remedy();
    }

    /** Returns the account's state for a JSON view. */
    public Map<String, Object> view() {
        Problem problem = problem();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("key", key);
        view.put("broken", problem != null);
        if (problem != null) {
            view.put("server", problem.server());
            view.put("login", problem.login());
            view.put("code", problem.code());
            view.put("error", problem.error());
            view.put("remedy", problem.remedy());
            view.put("affected", problem.affected());
        }
        return view;
    }

    /** Tells of a problem once, and of the next server's when the first one's is over. */
    private synchronized void notifyListeners() {
        Problem now = problem();
        if (now != null && !now.server().equals(told)) {
            told = now.server();
            log.warn("{}", sentence(now));
        } else if (now == null && told != null && failures.isEmpty()) {
            log.info("{} accepts the account of {} again", told, key);
            told = null;
        }
    }
}
