package io.understudy.plugins.blackbox.outcome;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.blackbox.outcome.UnansweredStatement.Effect;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** On which server a session was. */
class PrimaryOrderTest {
    private static final long SECOND = 1_000_000_000L;
    private static final ServerIdentity A = new ServerIdentity(ServerFlavor.MARIADB, 11, "");
    private static final ServerIdentity B = new ServerIdentity(ServerFlavor.MARIADB, 12, "");

    private long now = 1_000 * SECOND;
    private final PrimaryOrder order = new PrimaryOrder(() -> now);

    static UnansweredStatement lost(long openedNanos, @Nullable String lastGtid) {
        return lost(openedNanos, lastGtid, Effect.COMMIT);
    }

    static UnansweredStatement lost(long openedNanos, @Nullable String lastGtid, Effect effect) {
        return new UnansweredStatement(
                1,
                2,
                Instant.EPOCH,
                openedNanos + SECOND,
                openedNanos,
                openedNanos,
                57,
                "app",
                "commit",
                0,
                effect,
                null,
                lastGtid,
                false,
                false,
                false,
                0);
    }

    private void identified(ServerIdentity server) {
        order.identified(order.generation(), server);
    }

    @Test
    void aSessionIsOnThePrimaryOfItsTime() {
        identified(A);
        now += 1_000 * SECOND;
        order.changed();
        assertThat(order.of(lost(now + SECOND, null))).as("not identified yet").isEmpty();
        identified(B);

        assertThat(order.of(lost(now - SECOND, null))).containsExactly(A);
        assertThat(order.of(lost(now + SECOND, null)))
                .as("its login may have been slow")
                .containsExactly(A, B);
        assertThat(order.of(lost(now + SECOND, "0-12-5"))).containsExactly(B);
        assertThat(order.of(lost(now + 100 * SECOND, null))).containsExactly(B);
    }

    @Test
    void anotherServerBehindTheSameAddressIsNoticedLater() {
        identified(A);
        now += 1_000 * SECOND;
        identified(B);

        assertThat(order.of(lost(now - 60 * SECOND, null))).containsExactly(A, B);
        assertThat(order.of(lost(now - 600 * SECOND, null))).containsExactly(A);
        assertThat(order.of(lost(now - 600 * SECOND, "0-12-5")))
                .as("was on neither")
                .isEmpty();
    }

    @Test
    void aServerThatIsThePrimaryAgainMayHaveBeenBuiltAnew() {
        identified(A);
        long sent = now + SECOND;
        assertThat(order.isBack(sent)).isFalse();
        now += 10 * SECOND;
        order.changed();
        identified(B);
        assertThat(order.isBack(sent)).isFalse();
        now += 10 * SECOND;
        order.changed();
        identified(A);

        assertThat(order.isBack(sent)).isTrue();
        assertThat(order.isBack(now + SECOND)).isFalse();
    }
}
