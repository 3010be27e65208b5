package io.understudy.plugins.gtiddomain.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The messages are those of MariaDB 10.11. */
class ApplierErrorsTest {
    private static final String NOT_FOUND =
            "Could not execute Update_rows_v1 event on table shop.mixed; Can't find record in 'mixed', Error_code:"
                    + " 1032;"
                    + " handler error HA_ERR_KEY_NOT_FOUND; the event's master log bin.000001, end_log_pos 55636147";

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Map<String, List<String>> writers =
            Map.of("shop.mixed", List.of("0", "11"), "shop.archive", List.of("10"));
    private final ApplierErrors errors = new ApplierErrors(registry, table -> writers.getOrDefault(table, List.of()));

    private double stops(String errno) {
        var counter = registry.find("understudy.gtid.domain.applier.errors")
                .tag("errno", errno)
                .counter();
        return counter == null ? 0 : counter.count();
    }

    private void names(String table, List<String> domains) {
        assertThat(errors.view())
                .singleElement()
                .satisfies(row -> assertThat(row)
                        .containsEntry("standby", "s1")
                        .containsEntry("table", table)
                        .containsEntry("domainsThatWroteIt", domains));
    }

    @Test
    void rowNotFoundIsReportedWithTheDomainsThatWroteTheTable() {
        errors.seen("s1", 1032, NOT_FOUND);

        names("shop.mixed", List.of("0", "11"));
        assertThat(errors.view().get(0)).doesNotContainValue(NOT_FOUND);
    }

    @Test
    void duplicateKeyIsReportedWithTheDomains() {
        errors.seen(
                "s1",
                1062,
                "Could not execute Write_rows_v1 event on table shop.archive; Duplicate entry '900002' for key"
                        + " 'PRIMARY',"
                        + " Error_code: 1062; handler error HA_ERR_FOUND_DUPP_KEY; the event's master log bin.000001,"
                        + " end_log_pos 55636379");

        names("shop.archive", List.of("10"));
    }

    @Test
    void tableNotFoundIsReportedWithTheDomains() {
        errors.seen("s1", 1146, "Error executing row event: 'Table 'shop.tx' doesn't exist'");

        names("shop.tx", List.of());
    }

    @Test
    void theTextOfALoggedStatementIsParsed() {
        errors.seen(
                "s1",
                1062,
                "Error 'Duplicate entry 'on table shop.mixed' for key 'PRIMARY'' on query. Default database: 'shop'."
                        + " Query: 'INSERT INTO archive VALUES(900003,2,'')'");

        names("shop.archive", List.of("10"));
    }

    @Test
    void aMessageWithoutATableIsShownWithoutOne() {
        errors.seen("s1", 1062, null);

        names("", List.of());
        assertThat(stops("1062")).isEqualTo(1);
    }

    @Test
    void aStopIsCountedOnceUntilTheApplierRunsAgain() {
        errors.seen("s1", 1032, NOT_FOUND);
        errors.seen("s1", 1032, NOT_FOUND);
        assertThat(stops("1032")).isEqualTo(1);

        errors.seen("s1", 0, "");
        assertThat(errors.view()).isEmpty();
        errors.seen("s1", 1032, NOT_FOUND);
        assertThat(stops("1032")).isEqualTo(2);
    }

    @Test
    void otherErrorsAreNotCausedByDomains() {
        errors.seen("s1", 1236, "Got fatal error 1236 from master");

        assertThat(errors.view()).isEmpty();
        assertThat(registry.getMeters()).isEmpty();
    }
}
