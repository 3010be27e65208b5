package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.DelayedLink;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.testkit.session.FakeServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever happens to a standby, the sessions whose statements are mirrored to it do not notice. */
@Timeout(60)
@Tag("long")
@Tag("quiet")
class MirrorIsolationServerTest {
    private static final int SESSIONS = 3;
    private static final int QUEUE_STATEMENTS = 40;
    private static final int QUEUE_BYTES = 4096;
    /** Long enough for statements to time out and for connections to be given up and tried again. */
    private static final Duration OUTAGE = Duration.ofMillis(2500);

    private static final Duration PATIENCE = Duration.ofSeconds(25);

    private EmbeddedPair pair;
    /** Between the proxy and the standby; replication has a link of its own. */
    private DelayedLink link;

    private MirrorProxy proxy;
    private ApplicationLoad load;

    @BeforeEach
    void start() throws Exception {
        pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false));
        MirroredPair.prepare(pair);
        link = DelayedLink.to(pair.standby().address(), Duration.ZERO);
        proxy = MirrorProxy.start(pair.primary().port(), link.port(), """
                concurrency: 3
                queue: { statements: %d, bytes: %dB, age: 300ms }
                timeout: 300ms
                rules: [ { name: all, sample: 100%% } ]
                """.formatted(QUEUE_STATEMENTS, QUEUE_BYTES));
        load = new ApplicationLoad(SESSIONS, () -> proxy.mariadb("&useServerPrepStmts=true"));
        awaitMirroring();
    }

    @AfterEach
    void stop() throws Exception {
        load.close();
        proxy.close();
        link.close();
        pair.close();
    }

    @Test
    void aFrozenStandby() {
        goesOnDuring(() -> pair.standby().freeze());
        pair.standby().thaw();
        awaitMirroring();
        assertUnharmed();
    }

    @Test
    void aStandbyThatIsKilled() {
        goesOnDuring(() -> pair.standby().kill());
        assertThat(proxy.dropped("standby_down")).isPositive();
        pair.standby().restart();
        awaitMirroring();
        assertUnharmed();
    }

    @Test
    void aNetworkThatHangs() {
        goesOnDuring(link::pause);
        link.resume();
        awaitMirroring();
        assertUnharmed();
    }

    @Test
    void aStandbyThatRespondsAByteASecond() {
        goesOnDuring(() -> link.throttle(1));
        link.throttle(0);
        awaitMirroring();
        assertUnharmed();
    }

    @Test
    void aStandbyThatResetsAndThenRefuses() {
        link.cut();
        awaitMirroring();
        goesOnDuring(() -> {
            link.refuse();
            link.cut();
        });
        assertThat(proxy.dropped("standby_down")).isPositive();
        link.resume();
        awaitMirroring();
        assertUnharmed();
    }

    /**
     * Connections that hang between login and first statement are given up, so that a standby that is back is found.
     */
    @Test
    void aStandbyThatLetsInAndThenSaysNothing() throws Exception {
        try (FakeServer fake = new FakeServer(connection -> {
                    connection.letInPlain();
                    connection.in().readAllBytes();
                });
                MirrorProxy hanging = MirrorProxy.start(
                        pair.primary().port(),
                        fake.address().getPort(),
                        "{ concurrency: 1, timeout: 300ms, rules: [ { name: all } ] }");
                ApplicationLoad other = new ApplicationLoad(1, () -> hanging.mariadb(""))) {
            await().atMost(PATIENCE).until(() -> hanging.dropped("standby_down") > 0);
            assertThat((Throwable) other.error()).isNull();
            assertThat(other.slowestMillis()).isLessThan(10_000);
        }
    }

    /** The load goes on at the same connections while statements are dropped and the queue stays within its bounds. */
    private void goesOnDuring(Runnable trouble) {
        assertThat(sessionsOnPrimary()).isEqualTo(SESSIONS);
        load.slowestMillis();
        trouble.run();
        double dropped = proxy.dropped();
        long before = load.statements();
        long enough = System.nanoTime() + OUTAGE.toNanos();
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> {
            assertUnharmed();
            return proxy.dropped() > dropped + 200
                    && load.statements() > before + 1_000
                    && System.nanoTime() - enough > 0;
        });
        assertThat(sessionsOnPrimary()).isEqualTo(SESSIONS);
        // A wait for the standby would last for a timeout of some kind, of which 5 s is the usual one.
        assertThat(load.slowestMillis()).isLessThan(10_000);
    }

    private void assertUnharmed() {
        assertThat((Throwable) load.error()).isNull();
        // One per session may be counted for a moment before it is refused.
        assertThat(proxy.waiting("statements")).isBetween(0.0, (double) QUEUE_STATEMENTS + SESSIONS);
        assertThat(proxy.waiting("bytes")).isBetween(0.0, QUEUE_BYTES + SESSIONS * 100.0);
    }

    private void awaitMirroring() {
        double before = proxy.executed("ok");
        await().atMost(PATIENCE).until(() -> proxy.executed("ok") > before + 200);
    }

    private int sessionsOnPrimary() {
        return Integer.parseInt(
                pair.primary().query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'app'"));
    }
}
