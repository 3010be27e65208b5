package io.understudy.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.lost.MissingView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LostTextTest {
    @Test
    void whatCannotBeRescuedIsNamed() {
        String text = ReportText.LOST.of(Map.of(
                "survivor", Map.of("name", "standby-1"),
                "primary", Map.of("read", false),
                "answeredAndMissing",
                        Map.of(
                                "count",
                                3,
                                "notCaptured",
                                1,
                                "transactions",
                                List.of(
                                        Map.of(
                                                "gtid",
                                                "0-1-99",
                                                "captured",
                                                false,
                                                "session",
                                                7,
                                                "user",
                                                "app",
                                                "digest",
                                                "ab",
                                                "answeredAt",
                                                "12:00"),
                                        Map.of("gtid", "0-1-97", "captured", true, "tables", List.of("shop.t")))),
                "kept", Map.of("answersLost", 4)));
        assertThat(text)
                .contains("Answered OK and missing: 3", "1 of these were not captured and cannot be rescued")
                .containsPattern("0-1-99 +session 7 \\(app\\) digest ab answered 12:00 NOT CAPTURED")
                .contains("4 OKs were not recorded");
    }

    @Test
    void whatALivingPrimaryHasYetToSendIsNotCalledLost() {
        assertThat(ReportText.LOST.of(Map.of(
                        "primary", Map.of("read", false, "alive", true, "lostAt", "12:00", "why", "access denied"),
                        "answeredAndMissing", Map.of("count", 3, "notCaptured", 2))))
                .contains("2 of these were not captured yet: the primary has answered them", "(access denied)")
                .doesNotContain("rescued");
    }

    @Test
    void whoReadsIsSaid() {
        assertThat(ReportText.LOST.of(Map.of(
                        "primary", Map.of("read", true, "by", "10.0.0.2:9307"),
                        "proxies",
                                List.of(
                                        Map.of("proxy", "this proxy", "captured", 8, "notReading", "the disk is full"),
                                        Map.of("proxy", "10.0.0.2:9307", "captured", 9)))))
                .contains("which has 8 of what is missing, and reads nothing now: the disk is full\n")
                .contains("which has 9 of what is missing\n")
                .contains("binary log is being read by 10.0.0.2:9307: what");
    }

    private static Map<String, Object> nothingMissing(String position, String lostAt) {
        return Map.of(
                "survivor", Map.of("name", "standby-1", "position", position),
                "primary", Map.of("read", false, "lostAt", lostAt, "why", "the account is locked"),
                "logs",
                        List.of(
                                Map.of("server", "server_id 2", "upTo", "0-2-3001", "history", true),
                                Map.of("server", "server_id 2", "upTo", "0-2-4367", "history", false)));
    }

    @Test
    void unknownIsNotZero() {
        assertThat(new MissingView(nothingMissing("0-1-9", "12:00")).isLoss()).isFalse();
        assertThat(new MissingView(nothingMissing("", "12:00")).isLoss()).isTrue();
        assertThat(ReportText.LOST.of(nothingMissing("", "12:00"))).contains("what it has is NOT KNOWN");
        Map<String, Object> compared = new HashMap<>(nothingMissing("", "12:00"));
        compared.put("survivor", Map.of("name", "standby-1", "position", "", "compared", true));
        assertThat(new MissingView(compared).isLoss()).isFalse();
        assertThat(ReportText.LOST.of(compared)).contains("at no position: it counts as having all from before");
        assertThat(new MissingView(nothingMissing("0-1-9", "never read")).isLoss())
                .isTrue();
        assertThat(ReportText.LOST.of(nothingMissing("0-1-9", "never read")))
                .contains("Nothing is known of what is missing");
    }

    @Test
    void theWitnessIsSaid() {
        assertThat(ReportText.LOST.of(Map.of("witness", Map.of()))).doesNotContain("witness");
        assertThat(ReportText.LOST.of(Map.of("witness", Map.of("state", "present", "mode", "disk"))))
                .contains("The witness acknowledges from disk:");
        assertThat(ReportText.LOST.of(Map.of(
                        "witness",
                        Map.of(
                                "state", "withdrawn",
                                "reason", "disk_full",
                                "sinceSeconds", 90,
                                "cause", "no space",
                                "remedy", "make room"))))
                .contains("The witness does not acknowledge (withdrawn, disk_full, for 90 s): no space; make room\n");
    }

    /** Its log is read, but what it wrote before a reset will not come. */
    @Test
    void whatDoesNotComeIsSaidWithoutATime() {
        assertThat(ReportText.LOST.of(nothingMissing("0-1-9", "a time that is not known")))
                .contains("What is missing does not come from the primary any more: the account is locked")
                .doesNotContain("last read");
    }

    @Test
    void onePositionOfAServerIsToBeNoted() {
        assertThat(ReportText.LOST.of(nothingMissing("0-1-9", "12:00")))
                .contains("(History: an earlier binary log of server_id 2 was read up to 0-2-3001")
                .containsOnlyOnce("The binary log of server_id 2 was read up to 0-2-4367");
    }

    /** As failover's refusal has it (FailoverKindsTest). */
    @Test
    void theReplayIsThatOfFailover() {
        assertThat(ReportText.rescue(Map.of("transactions", 2, "survivor", "s1"), "lost.binlog"))
                .contains("  2. { echo \"SET sql_log_bin=0;\"; mariadb-binlog lost.binlog; } | mariadb -h NEW_PRIMARY")
                .contains("each other standby needs a file of its own (--on)");
        assertThat(ReportText.rescue(Map.of("transactions", 2, "survivor", "s1", "mysql", true), "lost.binlog"))
                .contains("  2. mysqlbinlog lost.binlog | mysql ")
                .doesNotContain("each other standby");
    }
}
