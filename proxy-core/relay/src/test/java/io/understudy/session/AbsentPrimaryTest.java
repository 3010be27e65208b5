package io.understudy.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.session.AbsentPrimary.Outcome;
import io.understudy.testkit.CapturedLog;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.wire.Leg;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever fails, nobody waits for ever, and nobody for another one. */
class AbsentPrimaryTest {
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final AbsentPrimary absent = new AbsentPrimary(new SimpleMeterRegistry());
    private final Scripted scripted = new Scripted(Memory.direct());
    private final Queue<Outcome> outcomes = new ConcurrentLinkedQueue<>();
    private final AtomicInteger faults = new AtomicInteger();
    private volatile boolean usable;

    @BeforeEach
    void follow() {
        absent.follow(
                new AbsentPrimary.Signs() {
                    @Override
                    public boolean absent() {
                        return !usable;
                    }

                    @Override
                    public boolean usable() {
                        if (faults.getAndDecrement() > 0) {
                            throw new IllegalStateException("a fault of a test");
                        }
                        return usable;
                    }

                    @Override
                    public long lastSignNanos() {
                        return System.nanoTime();
                    }

                    @Override
                    public void suspect() {}
                },
                timer,
                List::of);
        absent.allow(Duration.ofMinutes(10));
    }

    @AfterEach
    void stop() {
        timer.shutdownNow();
        scripted.finish();
    }

    /** A session whose event loop takes nothing any more. */
    private ClientSession rejecting() {
        Leg leg = (Leg) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Leg.class}, (self, method, arguments) -> {
                    if (method.getName().equals("execute")) {
                        throw new RejectedExecutionException("a fault of a test");
                    }
                    return method.invoke(scripted.client, arguments);
                });
        return new ClientSession(8, leg, scripted.environment, ended -> {});
    }

    @Test
    void aFaultDoesNotKeepThemWaiting() {
        faults.set(2);
        usable = true;
        assertThat(absent.awaitLogin(rejecting(), outcomes::add)).isTrue();
        assertThat(absent.awaitLogin(scripted.session, outcomes::add)).isTrue();
        await().atMost(Duration.ofSeconds(30)).until(() -> !outcomes.isEmpty());
        assertThat(outcomes).containsExactly(Outcome.WENT_ON);
    }

    @Test
    void whileFaultsGoOnTheTimeStillEnds() {
        faults.set(Integer.MAX_VALUE);
        assertThat(absent.awaitLogin(scripted.session, outcomes::add)).isTrue();
        absent.allow(Duration.ofMillis(1));
        await().atMost(Duration.ofSeconds(30)).until(() -> !outcomes.isEmpty());
        assertThat(outcomes).containsExactly(Outcome.TIMED_OUT);
    }

    @Test
    void thatNobodyIsToWaitAnyMoreIsNoPrimary() {
        try (CapturedLog log = new CapturedLog()) {
            absent.allow(Duration.ZERO);
            assertThat(log.text()).contains("failover.hold is 0s").doesNotContain("there is a primary again");
            absent.allow(Duration.ofMinutes(10));
            usable = true;
            absent.probed();
            assertThat(log.text()).contains("there is a primary again");
        }
    }
}
