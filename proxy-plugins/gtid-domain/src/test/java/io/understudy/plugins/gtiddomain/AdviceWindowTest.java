package io.understudy.plugins.gtiddomain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.understudy.plugins.gtiddomain.tagging.Fixture;
import io.understudy.plugins.gtiddomain.tagging.Guard;
import io.understudy.plugins.gtiddomain.tagging.Mode;
import io.understudy.plugins.gtiddomain.tagging.Policy;
import io.understudy.plugins.gtiddomain.tagging.WriteOutcome;
import io.understudy.testkit.FakeClient;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class AdviceWindowTest {
    private static final long SECOND = 1_000_000_000L;

    private final Fixture fixture =
            new Fixture(Mode.ADVISE, Guard.PIN, Fixture.table("shop.archive", 10), Fixture.table("shop.nothing", 11));
    private final AdviceWindow window = new AdviceWindow(fixture.indexes, fixture.meters);

    AdviceWindowTest() {
        fixture.caughtUp();
    }

    private void write(String table, int times) {
        FakeClient app = fixture.client("app");
        for (int i = 0; i < times; i++) {
            app.run("UPDATE " + table + " SET v = " + i);
        }
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> rows(Map<String, Object> view, String name) {
        return (List<Map<String, Object>>) Objects.requireNonNull(view.get(name), name);
    }

    @Test
    void beforeTheFirstSampleTheViewIsEmpty() {
        assertThat(window.view(0, 10)).isEmpty();
    }

    @Test
    void showsTheWritesThatEachRuleWouldHaveTaggedAndTheIndependentShare() {
        window.sample(0, fixture.policy);
        write("archive", 3);
        write("orders", 1);

        Map<String, Object> view = window.view(7 * SECOND, 10);

        assertThat(view)
                .contains(entry("seconds", 7L), entry("writes", 4L), entry("independentShare", 0.75))
                .containsEntry("tablesWrittenFromTwoDomains", List.of());
        assertThat(rows(view, "rules"))
                .anySatisfy(rule -> assertThat(rule)
                        .containsEntry("name", "shop.archive")
                        .containsEntry("wants", 10L)
                        .containsEntry("domains", List.of(Map.of("domain", "10", "advised", 3L))))
                .anySatisfy(rule ->
                        assertThat(rule).containsEntry("name", "shop.nothing").containsEntry("domains", List.of()));
    }

    @Test
    void outcomesAreThoseOfTheLastMinutes() {
        window.sample(0, fixture.policy);
        write("archive", 3);
        assertThat(window.outcomes()).isEqualTo(Map.of(WriteOutcome.ADVISED, 3L));
        for (int i = 1; i <= 60; i++) {
            window.sample(i * 10L * SECOND, fixture.policy);
        }
        assertThat(window.outcomes()).isEmpty();
    }

    @Test
    void aTableThatTwoDomainsWantIsListed() {
        window.sample(0, fixture.policy);
        write("archive", 1);
        FakeClient app = fixture.client("app");
        app.run("BEGIN");
        app.run("UPDATE archive SET v = 1");
        app.run("COMMIT");

        assertThat(rows(window.view(SECOND, 10), "tablesWrittenFromTwoDomains"))
                .containsExactly(Map.of("table", "shop.archive", "domains", List.of("0", "10")));
    }

    @Test
    void samplesOlderThanTenMinutesAreDropped() {
        window.sample(0, fixture.policy);
        write("archive", 5);
        for (int step = 1; step <= 60; step++) {
            fixture.caughtUp();
            window.sample(step * (10 * SECOND), fixture.policy);
        }
        write("orders", 2);

        Map<String, Object> view = window.view(600 * SECOND, 10);

        assertThat(view).contains(entry("seconds", 590L), entry("writes", 2L), entry("independentShare", 0.0));
    }

    @Test
    void otherRulesStartANewWindow() {
        window.sample(0, fixture.policy);
        write("archive", 5);
        Policy other = fixture.policy(Mode.ADVISE, Guard.PIN, null, Fixture.table("shop.orders", 10));
        window.sample(SECOND, other);

        Map<String, Object> view = window.view(2 * SECOND, 10);

        assertThat(view).contains(entry("seconds", 1L), entry("writes", 0L));
        assertThat(rows(view, "rules")).extracting(rule -> rule.get("name")).containsExactly("shop.orders");
    }

    @Test
    void writesInTransactionsCountToo() {
        window.sample(0, fixture.policy);
        FakeClient app = fixture.client("app");
        app.run("BEGIN");
        for (int i = 0; i < 9; i++) {
            app.run("UPDATE orders SET v = " + i);
        }
        app.run("COMMIT");
        write("archive", 1);

        assertThat(window.view(SECOND, 10)).contains(entry("writes", 10L), entry("independentShare", 0.1));
    }
}
