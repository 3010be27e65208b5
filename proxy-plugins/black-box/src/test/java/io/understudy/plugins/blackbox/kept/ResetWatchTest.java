package io.understudy.plugins.blackbox.kept;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.history.AnsweredCommit;
import io.understudy.plugins.blackbox.history.Applied;
import io.understudy.plugins.blackbox.log.LogStart;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What tells that the primary has begun anew, and what does not. */
class ResetWatchTest extends ResetHarness {
    private boolean answers(long number, long sent, boolean commits) {
        String gtid = flavor == ServerFlavor.MYSQL ? UUID + ":" + number : "0-1-" + number;
        return box.answered(
                List.of(new AnsweredCommit(gtid, 7, 8, "app", "shop", 0x2aL, sent, now + 9, commits, null)));
    }

    private void probes() {
        now += 10;
        box.reach(List.of(Applied.of(flavor, upTo(20), "")));
    }

    /** The new numbers may pass the former ones before anything else tells, or the primary may die. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void anOkWithANumberThatWasReadBeforeItsCommandTells(ServerFlavor product) {
        begin(product);
        probes();
        assertThat(answers(20, now - 11, true)).isFalse();
        probes();
        assertThat(answers(3, now - 5, true)).isTrue();
        assertThat(answers(4, now + 1, true)).isFalse();
        assertUnknown(20, 0);
        assertThat(box.loss(standby(20)).notCaptured).hasSize(2);
        notices(4);
        writes(5, 30);
        assertThat(answers(6, now + 1, true)).isFalse();
        assertUnknown(30, 26);
    }

    /** Else what was written before the notice would be a gap. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void theNewLogIsReadFromItsBegin(ServerFlavor product) {
        begin(product);
        assertThat(box.isAnew(at(20))).isFalse();
        assertThat(box.isAnew(at(3))).isTrue();
        probes();
        answers(3, now + 1, true);
        assertThat(box.isAnew(at(3))).isTrue();
        notices(0);
        assertThat(box.isAnew(at(4)))
                .as("refused before it has brought anything")
                .isTrue();
        writes(1, 4);
        assertThat(box.isAnew(at(4))).isFalse();
        dies();
        assertThat(box.loss(standby(20)).gaps).hasToString("");
    }

    /** A SET that has it tracked repeats the session's last number; a commit may be read before its OK is seen. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void anOkThatRepeatsOrIsLateTellsNothing(ServerFlavor product) {
        begin(product);
        writes(21, 21);
        assertThat(answers(21, now + 1, true)).isFalse();
        probes();
        probes();
        assertThat(answers(21, now + 1, false)).isFalse();
        assertThat(answers(21, now - 11, true)).isFalse();
        assertCounts(21, 21);
    }

    /** MySQL: a procedure has its session track ALL_GTIDS, with the number of its commit. */
    @Test
    void anOkWithNumbersOfOthersTellsNothing() {
        begin(ServerFlavor.MYSQL);
        probes();
        assertThat(box.answered(List.of(
                        new AnsweredCommit(UUID + ":1-21", 7, 8, "app", "shop", 0x2aL, now + 1, now + 9, true, null))))
                .isFalse();
    }

    /** MariaDB without gtid_strict_mode: a replay gives the domain a last transaction with a lower number. */
    @Test
    void aReplayedTransactionWithALowerNumberTellsNothing() {
        start(1, "0-1-20");
        assertThat(beganAnew(
                        at("0-1-20", ""),
                        new PrimaryFacts(ServerFlavor.MARIADB, 1, "", true, "ROW", true, "0-99-5", "0-1-20,0-99-5")))
                .isFalse();
    }

    @Test
    void aDomainThatWasDeletedTellsNothing() {
        start(1, "0-1-20,9-1-3");
        assertThat(beganAnew(at("0-1-20", ""), primary(1, "0-1-21"))).isFalse();
        assertThat(beganAnew(at("0-1-20", ""), primary(1, "5-1-1"))).isTrue();
    }

    /** A number that a client has used again leaves the position behind what was read until the next write. */
    @Test
    void someAlarmsAreEnough() {
        start(1, "0-1-20");
        for (int i = 0; i < 10; i++) {
            assertThat(beganAnew(at("0-1-20", ""), primary(1, "0-1-5"))).isTrue();
            start(1, "");
            transaction(20);
        }
        assertThat(box.formerUnknown()).isEmpty();
        assertThat(beganAnew(at("0-1-20", ""), primary(1, "0-1-5"))).isFalse();
        assertThat(box.formerUnknown().toString()).contains("the 10th time within a minute");
        now += MINUTE + 1;
        assertThat(beganAnew(at("0-1-20", ""), primary(1, "0-1-5"))).isTrue();
    }

    /** MariaDB: another server's number was not given by this one. */
    @Test
    void anOkOfAReplayedTransactionTellsNothing() {
        start(1, "0-2-20", "0-1-5,0-2-20");
        probes();
        assertThat(answers(7, now + 1, true)).isFalse();
        assertThat(on("0-2-20").missing).isEmpty();
    }

    /** A proxy that was restarted since knows of none. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aStandbyThatIsAheadOfThePrimaryTells(ServerFlavor product) {
        flavor = product;
        notices(8);
        writes(9, 10);
        assertThat(beganAnew(Applied.of(flavor, upTo(10), ""), at(10))).isFalse();
        assertThat(box.isRenumbered(STANDBY)).isFalse();
        assertThat(beganAnew(Applied.of(flavor, upTo(20), ""), at(10)))
                .as("the stream brings what it writes")
                .isFalse();
        assertThat(box.isRenumbered(STANDBY)).isTrue();
        assertThat(beganAnew(Applied.of(flavor, upTo(20), ""), at(10))).isFalse();
        notices(10);
        writes(11, 30);
        assertUnknown(30, 22);
        LogStart logged = Objects.requireNonNull(box.position());
        box.restored(Clock.systemUTC()).start(logged);
        assertThat(box.standing(standby(30)).renumbered()).isTrue();
    }

    /** Its own transactions, and those of servers before this one, say nothing of this one's numbers. */
    @Test
    void whatAStandbyHasOfOthersTellsNothing() {
        flavor = ServerFlavor.MYSQL;
        notices(8);
        String others = UUID + ":1-8,2f11fa47-71ca-11e1-9e33-c80aa9429562:1-5";
        assertThat(beganAnew(Applied.of(flavor, others, ""), at(8))).isFalse();
        flavor = ServerFlavor.MARIADB;
        start(3, "0-3-50", "0-1-40,0-3-50");
        assertThat(beganAnew(at("0-2-70", "0-1-60,0-2-70"), primary(3, "0-3-50")))
                .isFalse();
    }

    /** Nothing was written between them. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void severalResetsAtOnceAreOne(ServerFlavor product) {
        begin(product);
        had(18);
        for (int i = 0; i < 4; i++) {
            box.reset();
        }
        notices(0);
        writes(1, 3);
        dies();
        assertRest(18, 2);
    }
}
