package io.understudy.plugins.blackbox.kept;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.blackbox.history.KeptTransaction;
import io.understudy.plugins.blackbox.history.Loss;
import io.understudy.testkit.CapturedLog;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bounds of what is recorded, and the gaps that they leave. */
class EventRecorderTest extends BlackBoxHarness {
    @Test
    void aTransactionThatIsNotKeptIsNamedWithTheReason() {
        start(1, "0-1-10");
        try (CapturedLog log = new CapturedLog()) {
            transaction(1, 11, "x".repeat(MIB + 1));
            transaction(1, 12, "x".repeat(MIB + 1));
            box.applied(List.of(at("0-1-12", "")), null);
            transaction(1, 13, "x".repeat(MIB + 1));
            assertThat(log.text().lines()).hasSize(1);
            assertThat(log.text())
                    .contains("transaction 0-1-11", "larger than half of plugins.black-box.memory")
                    .doesNotContain("lags");
            now += 2 * MINUTE;
            event("g14", true);
            box.onEvent(Unpooled.copiedBuffer("abc", StandardCharsets.US_ASCII), 0, 3, false, false);
            commit(0, 1, 14);
            assertThat(log.text()).contains("transaction 0-1-14", "16 MiB or more, and such are not kept, whatever");
        }
    }

    @Test
    void transactionsBeforeTheFirstStreamAreAGapForAServerWithoutThem() {
        start(1, "0-1-10");
        transaction(11);
        assertThat(on("0-1-7").gaps).hasToString("0:8-10");
        assertThat(on("0-1-10").gaps.isEmpty()).isTrue();
        assertThat(on("").gaps).hasToString("0:1-10");
    }

    @Test
    void aStreamThatContinuesWhereItEndedLeavesNoGap() {
        start(1, "0-1-10");
        transaction(11);
        event("g12", true);
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "lost"));
        start(1, "0-1-11");
        transaction(12);
        Loss loss = on("0-1-10");
        assertThat(gtids(loss.missing)).containsExactly("0-1-11", "0-1-12");
        assertThat(loss.gaps.isEmpty()).isTrue();
        assertThat(new String(bytes(loss.missing.get(1)), StandardCharsets.US_ASCII))
                .isEqualTo("g12.");
    }

    @Test
    void aStreamThatBeginsLaterLeavesAGap() {
        start(1, "0-1-10");
        transaction(11);
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "lost"));
        start(1, "0-1-15");
        transaction(16);
        assertThat(on("0-1-10").gaps).hasToString("0:12-15");
        assertThat(on("0-1-13").gaps).hasToString("0:14-15");
        assertThat(on("0-1-15").gaps.isEmpty()).isTrue();
    }

    private byte[] bytes(KeptTransaction transaction) {
        byte[] bytes = box.bytes(transaction);
        assertThat(bytes).isNotNull();
        return bytes == null ? FORMAT : bytes;
    }

    @Test
    void theTransactionInTransitCountsTowardsTheMemory() {
        start(1, "0-1-10");
        String half = "x".repeat(MIB / 2);
        for (int number = 11; number <= 13; number++) {
            transaction(1, number, half);
        }
        assertThat(box.dropped()).isZero();
        event("g14", true);
        event("x".repeat(MIB * 3 / 4), false);
        assertThat(box.dropped()).isEqualTo(1);
        assertThat(box.bytes()).isLessThan(2 * MIB - MIB * 3 / 4);
        commit(0, 1, 14);
        assertThat(gtids(on("0-1-11").missing)).containsExactly("0-1-12", "0-1-13", "0-1-14");
    }

    @Test
    void dropsTheOldestWhenFullAndLogsIt() {
        start(1, "0-1-10");
        String half = "x".repeat(MIB / 2);
        for (int number = 11; number <= 16; number++) {
            transaction(1, number, half + number);
        }
        assertThat(box.bytes()).isLessThanOrEqualTo(2 * MIB);
        Loss loss = on("0-1-10");
        assertThat(gtids(loss.missing)).endsWith("0-1-15", "0-1-16").doesNotContain("0-1-11");
        assertThat(loss.missing.size() + loss.gaps.count()).isEqualTo(6);
        assertThat(box.dropped()).isEqualTo(loss.gaps.count());
        for (KeptTransaction each : loss.missing) {
            assertThat(new String(bytes(each), StandardCharsets.US_ASCII))
                    .isEqualTo("g" + each.gtid.number() + half + each.gtid.number());
        }
        assertThat(on("0-1-16").gaps.isEmpty()).isTrue();
    }

    @Test
    void aTransactionThatIsTooLargeIsAGapAndAffectsNoOther() {
        start(1, "0-1-10");
        transaction(11);
        transaction(1, 12, "x".repeat(MIB + 1));
        event("g13", true);
        box.onEvent(Unpooled.copiedBuffer("abc", StandardCharsets.US_ASCII), 0, 3, false, false);
        event("rest", false);
        commit(0, 1, 13);
        transaction(14);
        Loss loss = on("0-1-10");
        assertThat(gtids(loss.missing)).containsExactly("0-1-11", "0-1-14");
        assertThat(loss.gaps).hasToString("0:12-13");
        assertThat(new String(bytes(loss.missing.get(1)), StandardCharsets.US_ASCII))
                .isEqualTo("g14.");
    }
}
