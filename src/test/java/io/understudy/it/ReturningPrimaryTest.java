package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A primary that was away is used again at once. {@code -Dunderstudy.it.away=300} sets for how many seconds it is away.
 */
@Tag("long")
class ReturningPrimaryTest extends FollowingProxy {
    private static final Duration AWAY = Duration.ofSeconds(Integer.getInteger("understudy.it.away", 3));
    private static final Duration BACK = Duration.ofMillis(1500);

    /** Waits while the primary is away. */
    private static void stayAway(ProxyUnderTest proxy) {
        await().during(AWAY)
                .atMost(AWAY.plusSeconds(10))
                .until(() -> !proxy.server().notReady().isEmpty());
    }

    @Test
    void aPrimaryThatIsBackMakesTheProxyReadyAtOnce() throws Exception {
        try (ProxyUnderTest proxy = ProxyUnderTest.start(config(address(old), ""))) {
            await().until(() -> proxy.server().notReady().isEmpty());
            old.kill();
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> !proxy.server().notReady().isEmpty());
            stayAway(proxy);
            old.restart();
            report("ready after a kill and " + AWAY.toSeconds() + " s away", untilReady(proxy));

            old.freeze();
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> !proxy.server().notReady().isEmpty());
            assertThat(proxy.server().notReady().toString()).contains("frozen");
            stayAway(proxy);
            old.thaw();
            report("ready after SIGSTOP and " + AWAY.toSeconds() + " s away", untilReady(proxy));
        }
    }

    @Tag("quiet")
    @Test
    void theBinaryLogOfAPrimaryThatIsBackIsReadOn() throws Exception {
        try (ProxyUnderTest proxy =
                ProxyUnderTest.start(config(address(old), "plugins: { black-box: { poll: 100ms } }"))) {
            await().until(() -> isRead(proxy));
            old.kill();
            await().atMost(Duration.ofSeconds(20)).until(() -> !isRead(proxy));
            stayAway(proxy);
            old.restart();
            long begun = System.nanoTime();
            await().pollInterval(Duration.ofMillis(10))
                    .atMost(Duration.ofSeconds(70))
                    .until(() -> isRead(proxy));
            Duration took = Duration.ofNanos(System.nanoTime() - begun);
            report("binary log read on after a kill and " + AWAY.toSeconds() + " s away", took);
            // It was up to a minute: the pause between two tries.
            assertThat(took).isLessThan(Duration.ofSeconds(30));
        }
    }

    private static boolean isRead(ProxyUnderTest proxy) {
        return LostView.of(Views.of(proxy.server().published(), "lost"))
                .text("primary", "read")
                .equals("true");
    }

    /** The primary is back. */
    private static Duration untilReady(ProxyUnderTest proxy) {
        long begun = System.nanoTime();
        await().pollInterval(Duration.ofMillis(10))
                .atMost(Duration.ofSeconds(40))
                .until(() -> proxy.server().notReady().isEmpty());
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        assertThat(took).isLessThan(BACK);
        return took;
    }
}
