package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.demo.domains.ConflictRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs random conflicting transactions of eight sessions in four domains: triggers, cascades, views, procedures,
 * transactions, statements on several tables, schema changes. {@code understudy.domains.transactions} sets their number
 * and {@code understudy.domains.seed} the seed.
 */
@Timeout(900)
@Tag("long")
class GtidDomainConflictTest {
    private static final int SESSIONS = 8;
    private static final long TRANSACTIONS = Long.getLong("understudy.domains.transactions", 2_500);
    private static final long SEED = Long.getLong("understudy.domains.seed", 1);

    @Test
    void withPinTheStandbyStaysEqual() throws Exception {
        ConflictRun.Result result = new ConflictRun("pin", SESSIONS, TRANSACTIONS, SEED, System.err::println).run();
        report(result);

        assertThat(result.errno()).as(result.error()).isZero();
        assertThat(result.divergent()).isEmpty();
        assertThat(result.tables()).isEqualTo(21);
        assertThat(result.transactions()).isEqualTo(TRANSACTIONS);
        assertThat(unsafe(result)).as("%s", result.conflicts()).isZero();
        assertThat(result.guardState())
                .as("everything was announced, if only by a CALL")
                .containsEntry("unseenWrites", 0L);
        // How many depends on the machine: a table that a busy one never leaves alone stays in the default domain.
        assertThat(result.steered()).as(result.position()).isGreaterThan(TRANSACTIONS / 100);
    }

    /**
     * The first transaction on a table may come after the guard's learning period; the table may have left the default
     * domain by then.
     */
    @Test
    void aWarmUpLongerThanTheLearningPeriodIsRepeated() throws Exception {
        List<String> said = new CopyOnWriteArrayList<>();
        ConflictRun.Result result = new ConflictRun("pin", SESSIONS, 300, SEED, Duration.ofMillis(50), said::add).run();

        assertThat(said).anySatisfy(line -> assertThat(line).contains("longer than learn: 50ms"));
        assertThat(result.equal()).as("%s", result).isTrue();
        assertThat(unsafe(result)).as("%s", result.conflicts()).isZero();
    }

    private static void report(ConflictRun.Result result) {
        System.err.printf(
                "seed %d, guard %s: %,d of %,d logged transactions outside of domain 0, %d unsafe conflicts, %s%n",
                SEED, result.guard(), result.steered(), result.logged(), unsafe(result), result);
    }

    @Test
    void withoutTheGuardTheStandbyDiverges() throws Exception {
        List<ConflictRun.Result> results = new ArrayList<>();
        // A standby that happens to apply everything in the primary's order stays equal: three times it does not.
        while (results.size() < 3 && results.stream().allMatch(ConflictRun.Result::equal)) {
            long seed = SEED + results.size();
            results.add(new ConflictRun("off", SESSIONS, TRANSACTIONS, seed, System.err::println).run());
            report(results.get(results.size() - 1));
        }

        assertThat(results).anyMatch(result -> !result.equal());
    }

    /** Returns the number of conflicts that can harm a replica; a pinned write cannot. */
    private static long unsafe(ConflictRun.Result result) {
        return result.conflicts().entrySet().stream()
                .filter(entry -> !entry.getKey().equals("pinned"))
                .mapToLong(entry -> ((Number) entry.getValue()).longValue())
                .sum();
    }
}
