package io.understudy.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.config.Address;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.StandbyState;
import io.understudy.testkit.CapturedLog;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MonitorsTest {
    private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Deque<Object> responses = new ArrayDeque<>();

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    private StandbyMonitor standby() {
        return new StandbyMonitor(
                "s1",
                () -> {
                    Object next = responses.remove();
                    if (next instanceof SQLException e) {
                        throw e;
                    }
                    return (StandbyProbeResult) next;
                },
                "promoted"::equals,
                registry,
                executor,
                Duration.ofSeconds(1));
    }

    private double gauge(String name) {
        return registry.get("understudy.standby." + name)
                .tag("standby", "s1")
                .gauge()
                .value();
    }

    private final AtomicLong nanos = new AtomicLong();
    private final PrimaryAddress address = new PrimaryAddress(Address.parse("p:1"), registry, Clock.systemUTC());

    private final AccountHealth health =
            new AccountHealth("primary.monitor", () -> "m", () -> "primary " + address.get(), nanos::get);

    private double coldReads() {
        return registry.get("understudy.standby.cold.reads")
                .tag("standby", "s1")
                .functionCounter()
                .count();
    }

    @Test
    void aStandbyThatRefusesAndThenGoesDownIsReported() {
        StandbyMonitor monitor = standby();
        try (CapturedLog log = new CapturedLog()) {
            responses.add(new SQLException("Access denied", "28000", 1045));
            monitor.poll();
            assertThat(monitor.state().problem()).startsWith("it refuses the login of its account under standbys: ");
            assertThat(log.text()).doesNotContain("unreachable");
            for (int probe = 0; probe < 2; probe++) {
                responses.add(new SQLException("Connection refused"));
                monitor.poll();
            }
            assertThat(log.text()).containsOnlyOnce("standby s1 is unreachable: Connection refused");
        }
    }

    @Test
    void aMissingPrivilegeIsNoRefusedLogin() {
        StandbyMonitor monitor = standby();
        responses.add(new SQLException("you need the REPLICA MONITOR privilege(s)", "42000", 1227));
        monitor.poll();
        assertThat(monitor.state().problem()).startsWith("its account under standbys lacks a privilege: ");
    }

    @Test
    void aStandbysStateFollowsTheProbes() {
        StandbyMonitor monitor = standby();
        assertThat(monitor.state()).isEqualTo(StandbyState.UNKNOWN);
        responses.add(new StandbyProbeResult(true, 1.5, false, 3, 0, 0, 50, null));
        monitor.poll();
        assertThat(monitor.state()).isEqualTo(new StandbyState(true, true, 1.5, false, 3, 0, 50, null));
        responses.add(new StandbyProbeResult(false, null, false, 3, 0, 0, 50, null));
        monitor.poll();
        assertThat(monitor.state().problem()).contains("read_only is off");
        assertThat(gauge("read.only")).isZero();
        responses.add(new SQLException("pool waited in vain", new IOException("Connection refused")));
        monitor.poll();
        assertThat(monitor.state()).isEqualTo(new StandbyState(false, false, null, false, -1, "Connection refused"));
        assertThat(gauge("up")).isZero();
        assertThat(gauge("lag.seconds")).isNaN();
    }

    private static StandbyProbeResult probed(boolean readOnly) {
        return new StandbyProbeResult(readOnly, 0.0, false, 1, 0, 0, 50, null);
    }

    @Test
    void aPlannedChangeOfTheStandbyIsLoggedOnlyIfItStays() {
        AtomicBoolean held = new AtomicBoolean(true);
        StandbyMonitor monitor = standby();
        monitor.setPlannedCheck(held::get);
        try (CapturedLog log = new CapturedLog()) {
            for (boolean readOnly : new boolean[] {true, false, true, false}) {
                responses.add(probed(readOnly));
                monitor.poll();
            }
            assertThat(log.text()).doesNotContain("WARN").doesNotContain("read-only again");
            held.set(false);
            responses.add(probed(false));
            monitor.poll();
            assertThat(log.text()).containsOnlyOnce("standby s1 is writable: read_only is off");
            responses.add(probed(false));
            monitor.poll();
            responses.add(probed(true));
            monitor.poll();
            assertThat(log.text()).containsOnlyOnce("standby s1 is writable").contains("standby s1 is read-only again");
        }
    }

    @Test
    void aFormerPrimaryThatComesBackWritableIsNotSaidToHaveBeenPromoted() {
        AtomicBoolean primary = new AtomicBoolean(true);
        StandbyMonitor monitor = new StandbyMonitor(
                "s1",
                () -> (StandbyProbeResult) responses.remove(),
                identity -> primary.get(),
                registry,
                executor,
                Duration.ofSeconds(1));
        responses.add(probed(false));
        monitor.poll();
        primary.set(false);
        responses.add(probed(false));
        monitor.poll();
        assertThat(monitor.state().problem())
                .contains("it was the primary before")
                .doesNotContain("promoted");
        responses.add(probed(true));
        monitor.poll();
        responses.add(probed(false));
        monitor.poll();
        assertThat(monitor.state().problem()).contains("it may have been promoted");
    }

    @Test
    void aServerThatTheDriverHasGivenUpIsSaidNotToRespond() {
        StandbyMonitor monitor = standby();
        responses.add(
                new SQLException("(conn=155) Connection.setNetworkTimeout cannot be called on a closed connection"));
        monitor.poll();
        assertThat(monitor.state().problem()).isEqualTo("no response in time");
    }

    @Test
    void aPrimaryThatIsReadOnlyAfterAPlannedChangeIsAWarning() {
        AtomicBoolean held = new AtomicBoolean(true);
        address.setPlannedCheck(held::get);
        PrimaryMonitor monitor = primary(true);
        try (CapturedLog log = new CapturedLog()) {
            responses.add("READ_ONLY");
            monitor.poll();
            assertThat(log.text()).doesNotContain("WARN");
            held.set(false);
            responses.add("READ_ONLY");
            monitor.poll();
            responses.add("READ_ONLY");
            monitor.poll();
            assertThat(log.text()).containsOnlyOnce("primary p:1 is read-only: clients cannot write");
            assertThat(log.text()).contains("if no other server has been promoted since, and it replicates from none");
        }
    }

    @Test
    void aProbeInterruptedByTheStopDoesNotReportTheServerUnreachable() {
        StandbyMonitor standby = standby();
        responses.add(new StandbyProbeResult(true, 0.0, false, 1, 0, 0, 50, null));
        standby.poll();
        standby.close();
        responses.add(new SQLException("Interrupted during connection acquisition"));
        standby.poll();
        assertThat(standby.state().reachable()).isTrue();

        PrimaryMonitor primary = primary(true);
        responses.add("11.4.5-MariaDB");
        primary.poll();
        primary.close();
        responses.add(new IOException("interrupted"));
        primary.poll();
        assertThat(primary.state().reachable()).isTrue();
    }

    @Test
    void coldReadsAreCountedFromTheFirstProbeAndAcrossServerRestarts() {
        StandbyMonitor monitor = standby();
        responses.add(new StandbyProbeResult(true, 0.0, false, 1, 5000, 90_000, 50, null));
        monitor.poll();
        assertThat(coldReads()).isZero();
        assertThat(gauge("miss.ratio")).isNaN();
        responses.add(new StandbyProbeResult(true, 0.0, false, 1, 5010, 90_100, 50, null));
        monitor.poll();
        assertThat(coldReads()).isEqualTo(10);
        assertThat(gauge("miss.ratio")).isEqualTo(0.1, within(1e-9));
        responses.add(new SQLException("gone"));
        monitor.poll();
        responses.add(new StandbyProbeResult(true, 0.0, false, 1, 200, 400, 50, null));
        monitor.poll();
        assertThat(coldReads()).isEqualTo(210);
        assertThat(gauge("miss.ratio")).isEqualTo(0.5, within(1e-9));
        responses.add(new StandbyProbeResult(true, 0.0, false, 1, 200, 400, 50, null));
        monitor.poll();
        assertThat(gauge("miss.ratio"))
                .as("nothing was read, so nothing is known")
                .isNaN();
    }

    @Test
    void aProbeThatThrowsDoesNotEndTheProbing() {
        AtomicInteger probes = new AtomicInteger();
        Polling polling = new Polling(executor, Duration.ofMillis(1), () -> {
            if (probes.incrementAndGet() == 1) {
                throw new IllegalStateException("thrown by the test");
            } else if (probes.get() == 2) {
                throw new NoClassDefFoundError("thrown by the test, as without a file descriptor");
            }
        });
        polling.start();
        Awaitility.await().until(() -> probes.get() > 3);
        polling.stop();
    }

    /** A task that has begun can still be cancelled, until it asks for the lock. */
    @Test
    void aProbeRequestedAsOneBeginsDoesNotRunBesideIt() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch overlap = new CountDownLatch(1);
        AtomicInteger running = new AtomicInteger();
        AtomicReference<@Nullable Polling> polling = new AtomicReference<>();
        ScheduledExecutorService late = new ScheduledThreadPoolExecutor(2) {
            @Override
            public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
                return super.schedule(
                        () -> {
                            Polling begins = polling.getAndSet(null);
                            if (begins != null) {
                                begins.soon();
                            }
                            task.run();
                        },
                        delay,
                        unit);
            }
        };
        try {
            Polling begun = new Polling(late, Duration.ofMillis(1), () -> {
                if (running.incrementAndGet() > 1) {
                    overlap.countDown();
                }
                Awaitility.await().until(() -> release.await(1, TimeUnit.MILLISECONDS));
                running.decrementAndGet();
            });
            polling.set(begun);
            begun.start();
            Awaitility.await().until(() -> running.get() > 0);
            assertThat(overlap.await(300, TimeUnit.MILLISECONDS)).isFalse();
            begun.stop();
        } finally {
            release.countDown();
            late.shutdownNow();
        }
    }

    /** Clients' logins see that the primary is back before the probe does, which may be under way. */
    @Test
    void thatThePrimaryIsBackIsLoggedOnce() {
        AtomicReference<@Nullable PrimaryMonitor> loggingIn = new AtomicReference<>();
        PrimaryMonitor monitor = new PrimaryMonitor(
                address,
                () -> {
                    PrimaryMonitor up = loggingIn.get();
                    if (up == null) {
                        throw new IOException("Connection refused");
                    }
                    up.loggedIn(Address.parse("p:1"));
                    return new PrimaryProbe.Result("11.4.5-MariaDB", "STRICT_ALL_TABLES", false, "id");
                },
                health,
                null,
                registry,
                executor,
                Duration.ofSeconds(1),
                nanos::get);
        monitor.poll();
        loggingIn.set(monitor);
        try (CapturedLog log = new CapturedLog()) {
            monitor.poll();
            assertThat(log.text()).containsOnlyOnce("is reachable");
        }
    }

    private PrimaryMonitor primary(boolean hasAccount) {
        return new PrimaryMonitor(
                address,
                () -> {
                    Object next = responses.remove();
                    if (next instanceof Runnable during) {
                        during.run();
                        next = responses.remove();
                    }
                    if (next instanceof IOException e) {
                        throw e;
                    }
                    if (next instanceof SQLException e) {
                        throw e;
                    }
                    return next.equals("")
                            ? PrimaryProbe.Result.NONE
                            : new PrimaryProbe.Result(
                                    (String) next, "STRICT_ALL_TABLES", next.equals("READ_ONLY"), "id");
                },
                hasAccount ? health : null,
                null,
                registry,
                executor,
                Duration.ofSeconds(1),
                nanos::get);
    }

    @Test
    void anUnreachablePrimaryKeepsItsFlavor() {
        PrimaryMonitor monitor = primary(true);
        responses.add("8.4.0");
        monitor.poll();
        assertThat(monitor.state()).isEqualTo(new PrimaryState(true, ServerFlavor.MYSQL, "8.4.0", false, "id", null));
        responses.add(new IOException("Connection refused"));
        monitor.poll();
        assertThat(monitor.state())
                .isEqualTo(new PrimaryState(
                        false, ServerFlavor.MYSQL, "8.4.0", null, "id", "primary p:1: Connection refused"));
        assertThat(registry.get("understudy.primary.up").gauge().value()).isZero();
        responses.add("11.4.5-MariaDB-log");
        monitor.poll();
        assertThat(monitor.state().flavor()).isEqualTo(ServerFlavor.MARIADB);
        assertThat(registry.get("understudy.primary.up").gauge().value()).isEqualTo(1);
    }

    @Test
    void withoutAnAccountThePrimaryIsProbedAfterFailedSessionsOnly() {
        PrimaryMonitor monitor = primary(false);
        responses.add(new IOException("Connection refused"));
        monitor.poll();
        responses.add("");
        monitor.poll();
        assertThat(monitor.state()).isEqualTo(new PrimaryState(true, null, null, null, null, null));
        // No response is prepared, so another attempt would fail.
        monitor.poll();
        monitor.suspect();
        responses.add(new IOException("Connection refused"));
        monitor.poll();
        assertThat(monitor.state().reachable()).isFalse();
    }

    @Test
    void anAccountThatIsRefusedIsAWarning() {
        PrimaryMonitor monitor = primary(true);
        responses.add(new SQLException("Access denied for user 'm'", "28000", 1045));
        monitor.poll();
        assertThat(monitor.state().reachable()).isTrue();
        assertThat(health.sentence()).as("the file may have the new password").isNull();
        nanos.addAndGet(AccountHealth.GRACE.toNanos());
        assertThat(health.sentence())
                .contains("p:1 refuses the account of primary.monitor ('m') with error 1045", "Access denied")
                .contains("the primary's health and role", "ALTER USER 'm'@'%' IDENTIFIED BY");
        responses.add(new SQLException("Host is blocked", "HY000", 1129));
        monitor.poll();
        assertThat(monitor.state().reachable())
                .as("sessions come from the same host")
                .isFalse();
    }

    @Test
    void aSilentPrimaryIsNamedFrozenAfterAWhileAndNotAtOnce() {
        PrimaryMonitor monitor = primary(true);
        responses.add("11.4.5-MariaDB");
        monitor.poll();
        nanos.addAndGet(PrimaryMonitor.SILENCE.toNanos() - 1);
        responses.add(new SocketTimeoutException("no response"));
        monitor.poll();
        assertThat(monitor.state().reachable()).isTrue();
        nanos.addAndGet(1);
        responses.add(new SocketTimeoutException("no response"));
        monitor.poll();
        assertThat(monitor.state().problem())
                .isEqualTo(
                        "primary p:1: no response for 3 s; it accepts connections, so it" + " is frozen or overloaded");
        responses.add(new SQLException("cannot connect", new SocketTimeoutException("Connect timed out")));
        monitor.poll();
        assertThat(monitor.state().problem()).contains("accepts no connections");
    }

    @Test
    void aPrimaryThatIsSlowAtTheFirstProbeIsNotCalledFrozen() {
        PrimaryMonitor monitor = primary(true);
        nanos.addAndGet(PrimaryMonitor.SILENCE.toNanos() - 1);
        responses.add(new SocketTimeoutException("no response"));
        monitor.poll();
        assertThat(monitor.state()).isEqualTo(PrimaryState.UNKNOWN);
        nanos.addAndGet(1);
        responses.add(new SocketTimeoutException("no response"));
        monitor.poll();
        assertThat(monitor.state().problem()).contains("frozen or overloaded");
    }

    /** The driver has given up the login: that is a sign of life, and no fault of the account. */
    @Test
    void aPrimaryThatAnswersALoginLateIsAlive() {
        PrimaryMonitor monitor = primary(true);
        responses.add("11.4.5-MariaDB");
        monitor.poll();
        nanos.addAndGet(2 * PrimaryMonitor.SILENCE.toNanos());
        responses.add(new SQLException("connectTimeout (900ms) reached during authentication phase with p:1", "08000"));
        monitor.poll();
        assertThat(monitor.state().reachable()).isTrue();
        nanos.addAndGet(PrimaryMonitor.SILENCE.toNanos() - 1);
        responses.add(new SocketTimeoutException("no response"));
        monitor.poll();
        assertThat(monitor.state().reachable()).isTrue();
        nanos.addAndGet(AccountHealth.GRACE.toNanos());
        assertThat(health.problem()).isNull();
    }

    /** The previous server's responses do not shorten the patience with the new one. */
    @Test
    void aNewPrimaryHasTheSamePatience() {
        PrimaryMonitor monitor = primary(true);
        responses.add("11.4.5-MariaDB");
        monitor.poll();
        nanos.addAndGet(2 * PrimaryMonitor.SILENCE.toNanos());
        address.change(Address.parse("q:1"), PrimaryAddress.Reason.RELOAD, "a test");
        responses.add(new SocketTimeoutException("no response"));
        monitor.poll();
        assertThat(monitor.state()).isEqualTo(PrimaryState.UNKNOWN);
    }

    @Test
    void aClientsLoginIsAProbeOfThePresentPrimaryOnly() {
        PrimaryMonitor monitor = primary(true);
        responses.add(new IOException("Connection refused"));
        monitor.poll();
        monitor.loggedIn(Address.parse("other:1"));
        assertThat(monitor.state().reachable()).isFalse();
        monitor.loggedIn(Address.parse("p:1"));
        assertThat(monitor.state().reachable()).isTrue();
    }

    /** A probe that began before the login knows less. */
    @Test
    void aProbeThatFailsAfterALoginDoesNotReportThePrimaryUnreachable() {
        PrimaryMonitor monitor = primary(true);
        responses.add(new IOException("Connection refused"));
        monitor.poll();
        Runnable login = () -> {
            nanos.incrementAndGet();
            monitor.loggedIn(Address.parse("p:1"));
        };
        responses.add(login);
        responses.add(new IOException("Connection refused"));
        monitor.poll();
        assertThat(monitor.state().reachable()).isTrue();
        responses.add(login);
        responses.add("11.4.5-MariaDB");
        monitor.poll();
        assertThat(monitor.state().version()).isEqualTo("11.4.5-MariaDB");
        responses.add(new IOException("Connection refused"));
        monitor.poll();
        assertThat(monitor.state().reachable()).isFalse();
    }

    /** The login's thread must not write back what the probe has replaced. */
    @Test
    void aProbeThatSucceedsAfterALoginIsRepeated() {
        PrimaryMonitor monitor = primary(true);
        responses.add((Runnable) () -> monitor.loggedIn(Address.parse("p:1")));
        responses.add("11.4.5-MariaDB");
        monitor.poll();
        assertThat(monitor.state().reachable()).isTrue();
        responses.add("11.4.5-MariaDB");
        monitor.poll();
        assertThat(monitor.state().version()).isEqualTo("11.4.5-MariaDB");
    }

    @Test
    void whoWaitsForThePrimaryIsToldOnceThatItIsBack() throws Exception {
        PrimaryMonitor monitor = primary(true);
        AtomicInteger told = new AtomicInteger();
        AutoCloseable listening = monitor.onReachable(told::incrementAndGet);
        responses.add("11.4.5-MariaDB");
        responses.add("11.4.5-MariaDB");
        monitor.poll();
        monitor.poll();
        assertThat(told).as("the first contact is no return").hasValue(0);
        responses.add(new IOException("Connection refused"));
        monitor.poll();
        monitor.loggedIn(Address.parse("p:1"));
        assertThat(told).as("not on the event loop of a login").hasValue(0);
        responses.add("11.4.5-MariaDB");
        monitor.poll();
        assertThat(told).hasValue(1);
        listening.close();
    }

    @Test
    void anotherPrimaryIsUnknownUntilItIsProbed() {
        PrimaryMonitor monitor = primary(true);
        responses.add("11.4.5-MariaDB");
        monitor.poll();
        address.change(Address.parse("q:1"), PrimaryAddress.Reason.API, "test");
        assertThat(monitor.state()).isEqualTo(PrimaryState.UNKNOWN);
    }

    @Test
    void aPromotedStandbyIsKnownByItsIdentity() {
        StandbyMonitor monitor = standby();
        assertThat(monitor.isPrimary()).isFalse();
        responses.add(new StandbyProbeResult(false, null, false, 3, 0, 0, 50, "promoted"));
        monitor.poll();
        assertThat(monitor.isPrimary()).isTrue();
        assertThat(monitor.state().problem()).isEqualTo("it is the primary now");
    }
}
