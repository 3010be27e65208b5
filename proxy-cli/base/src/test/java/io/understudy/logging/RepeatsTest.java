package io.understudy.logging;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

class RepeatsTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1000);
    private final Repeats repeats = new Repeats(nanos::get);

    private List<String> log(Level level, String pattern, String message) {
        return repeats.admit(new LogEntry(level, "a.B", null, pattern, message, List.of(), null)).stream()
                .map(LogEntry::message)
                .toList();
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void manyEventsOfOneKindAreCountedAndTheCountIsLogged() {
        for (int i = 0; i < Repeats.MOST; i++) {
            assertThat(log(Level.WARN, "connection from {} refused", "refused " + i))
                    .containsExactly("refused " + i);
        }
        for (int i = 0; i < 37; i++) {
            assertThat(log(Level.WARN, "connection from {} refused", "refused more"))
                    .isEmpty();
        }
        assertThat(log(Level.WARN, "another kind of event", "another")).containsExactly("another");
        pass(Duration.ofSeconds(Repeats.SECONDS + 1));
        assertThat(log(Level.INFO, "something later", "later"))
                .containsExactly("37 more events like this one were not logged: refused more", "later");
        assertThat(log(Level.WARN, "connection from {} refused", "again")).containsExactly("again");
        pass(Duration.ofSeconds(Repeats.SECONDS + 1));
        assertThat(log(Level.WARN, "connection from {} refused", "once more")).containsExactly("once more");
    }

    @Test
    void theCountIsAKey() {
        for (int i = 0; i <= Repeats.MOST; i++) {
            log(Level.WARN, "connection from {} refused", "refused");
        }
        pass(Duration.ofSeconds(Repeats.SECONDS + 1));
        LogEntry next = new LogEntry(Level.WARN, "a.B", null, "something else", "else", List.of(), null);
        assertThat(repeats.admit(next).get(0).keys()).containsExactly(new LogKey("repeated", 1L));
    }

    /** A pattern that is nothing but a placeholder does not say what kind of event it is. */
    @Test
    void messagesWithoutAPatternAreKindsOfTheirOwn() {
        for (int i = 0; i < 2 * Repeats.MOST; i++) {
            assertThat(log(Level.WARN, "{}", "cause " + i)).hasSize(1);
        }
    }

    @Test
    void debugIsNotLimited() {
        for (int i = 0; i < 2 * Repeats.MOST; i++) {
            assertThat(log(Level.DEBUG, "a statement was refused", "refused")).hasSize(1);
        }
    }

    @Test
    void memoryIsBoundedAndNoCountIsLost() {
        for (int i = 0; i < Repeats.MOST + 3; i++) {
            log(Level.WARN, "the first kind of event", "first");
        }
        for (int i = 1; i < Repeats.MOST_KINDS; i++) {
            assertThat(log(Level.WARN, "kind of event number " + i, "other")).hasSize(1);
        }
        assertThat(log(Level.WARN, "kind of event number 7", "a known kind")).containsExactly("a known kind");
        assertThat(log(Level.WARN, "one kind too many of them", "last"))
                .containsExactly("3 more events like this one were not logged: first", "last");
    }
}
