package io.understudy.plugins.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.binlog.Transactions;
import io.understudy.plugins.blackbox.log.LogStart;
import io.understudy.plugins.blackbox.log.LogVisitor;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.ReportedPosition;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Primary and standby begin anew, in each order with what the proxy sees of it. The primary has written 1 to 20 before,
 * and the standby had them all.
 */
class BuiltAnewTest extends BlackBoxHarness {
    private static final String UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
    private static final String STANDBY = "host:3306:2";
    private ServerFlavor flavor = ServerFlavor.MARIADB;
    private boolean gone;

    private String upTo(long number) {
        return number == 0 ? "" : flavor == ServerFlavor.MYSQL ? UUID + ":1-" + number : "0-1-" + number;
    }

    private PrimaryFacts at(long number) {
        return at(upTo(number));
    }

    private PrimaryFacts at(String position) {
        String uuid = flavor == ServerFlavor.MYSQL ? UUID : "";
        return new PrimaryFacts(flavor, 1, uuid, true, "ROW", true, position);
    }

    private void begin(ServerFlavor product) {
        flavor = product;
        box.presentPrimary(name -> false, () -> gone);
        box.onStart(at(18));
        box.onFormat(FORMAT);
        writes(19, 20);
        had(20);
    }

    /** The stream tells that the primary has begun anew, and has written so many since. */
    private void notices(long number) {
        box.onStart(at(number));
        box.onFormat(FORMAT);
    }

    private void writes(long first, long last) {
        for (long number = first; number <= last; number++) {
            event("g", true);
            event(".", false);
            String gtid = flavor == ServerFlavor.MYSQL ? UUID + ":" + number : "0-1-" + number;
            box.onTransaction(Transactions.of(gtid, TransactionKind.WRITE, 0, 1, number, -1, 0, now, Set.of(), false));
        }
    }

    /** Seen there while the primary was seen to be further, or as far. */
    private void had(long number) {
        seen(number);
        asked(20);
    }

    /** The primary is asked, and is where it was. */
    private boolean asked(long number) {
        return box.beganAnew(Objects.requireNonNull(box.reach(List.of())), at(number));
    }

    private void seen(long number) {
        sees(number, "[" + number + "]");
    }

    private Survivor server(String server, long number) {
        return Survivor.of("s1", flavor, new ReportedPosition(upTo(number), "", "", true, server), "for the test");
    }

    private Survivor standby(long number) {
        return server(STANDBY, number);
    }

    private void dies() {
        gone = true;
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
    }

    /** At {@code number} it has all that was written up to there since the primary began anew, and no more. */
    private void assertCounts(long number, long written) {
        dies();
        seen(number);
        Loss loss = box.loss(standby(number));
        assertThat(loss.missing).hasSize((int) (written - number));
        assertThat(loss.gaps).hasToString("");
        assertThat(rescue(number)).containsEntry("renumbered", false);
    }

    private Map<String, Object> rescue(long number) {
        seen(number);
        return new Rescue(box, () -> null, (survivor, read) -> List.of()).begin(standby(number), false);
    }

    /** None of the {@code captured} ones counts as applied, and it is said that this is not known. */
    private void assertUnknown(long number, int captured) {
        dies();
        seen(number);
        Loss loss = box.loss(standby(number));
        assertThat(loss.missing).hasSize(captured);
        assertThat(rescue(number)).containsEntry("renumbered", true);
    }

    /** Reset or restored from an older copy, before the notice or after it: what it lacked then is not known. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aPositionThatGoesBackProvesNothing(ServerFlavor product) {
        begin(product);
        had(3);
        notices(8);
        writes(9, 10);
        seen(0);
        writes(11, 30);
        seen(28);
        assertUnknown(28, 2 + 22);
    }

    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aPositionThatStaysProvesNothing(ServerFlavor product) {
        begin(product);
        notices(8);
        seen(20);
        writes(9, 30);
        seen(30);
        assertUnknown(30, 22);
    }

    /** It has nothing of what was written between the two. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void afterASecondResetNothingOfTheFirstCounts(ServerFlavor product) {
        begin(product);
        notices(8);
        writes(9, 30);
        notices(6);
        seen(2);
        writes(7, 40);
        assertUnknown(40, 22 + 34);
    }

    /** Its log has the primary's former numbers, and no position of the standby. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void afterARestartWithADirectoryAWordIsNeededThatHolds(ServerFlavor product) {
        flavor = product;
        box.restored(Clock.systemUTC()).start(new LogStart(1, false, at(20), "", Map.of()));
        seen(3);
        notices(8);
        writes(9, 30);
        seen(30);
        assertUnknown(30, 22);
        box.compared(standby(30), null, false);
        assertCounts(30, 30);
        notices(30);
        writes(31, 33);
        assertCounts(32, 33);
    }

    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void afterARestartWithoutADirectoryTheNumbersArePlain(ServerFlavor product) {
        flavor = product;
        notices(8);
        writes(9, 30);
        seen(28);
        assertCounts(28, 30);
    }

    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aWordCountsForThatStandbyAloneAndUntilTheNextReset(ServerFlavor product) {
        begin(product);
        notices(8);
        writes(9, 30);
        box.compared(standby(29), null, false);
        assertCounts(29, 30);
        assertThat(box.loss(server("host:3306:3", 29)).missing).hasSize(22);
        assertThat(box.isRenumbered(server("host:3306:3", 29))).isTrue();
        notices(8);
        writes(9, 30);
        assertUnknown(29, 1 + 22);
    }

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
        for (int i = 0; i < 3; i++) {
            assertThat(beganAnew(at("0-1-20", ""), primary(1, "0-1-5"))).isTrue();
            start(1, "");
            transaction(20);
        }
        assertThat(beganAnew(at("0-1-20", ""), primary(1, "0-1-5"))).isFalse();
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

    private boolean beganAnew(Applied standby, PrimaryFacts now) {
        return box.beganAnew(Objects.requireNonNull(box.reach(List.of(standby))), now);
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
        assertThat(box.isRenumbered(standby(30))).isTrue();
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

    /** It counts earlier numbers, which the primary has yet to write, or has written while it stood still. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aWordThatThePositionContradictsIsRefused(ServerFlavor product) {
        begin(product);
        notices(5);
        writes(6, 8);
        assertThatThrownBy(() -> box.compared(standby(20), null, false))
                .hasMessageContaining("is still that of before");
        assertThatThrownBy(() -> box.compared(standby(15), null, false)).hasMessageContaining("has not written since");
        assertThatThrownBy(() -> box.compared(standby(15), at(14), false))
                .hasMessageContaining("has not written since");
        writes(9, 40);
        assertThatThrownBy(() -> box.compared(standby(20), at(40), false)).hasMessageContaining("s1 is at " + upTo(20));
        assertUnknown(20, 35);
    }

    /** It may be further than what was read. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aStandbyThatIsAheadOfTheStreamCounts(ServerFlavor product) {
        begin(product);
        notices(5);
        writes(6, 8);
        box.compared(standby(10), at(10), false);
        writes(9, 12);
        assertCounts(10, 12);
    }

    /** Reset itself once the primary is dead: it had all from before, and has nothing from since. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aStandbyThatIsResetItselfGetsAllOfIt(ServerFlavor product) {
        begin(product);
        notices(0);
        writes(1, 8);
        dies();
        box.compared(standby(0), null, false);
        assertCounts(0, 8);
    }

    /** It lacked some from before: those are had from the file alone, and no word makes them present. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aStandbyThatLackedSomeFromBeforeIsBroughtThoseFirst(ServerFlavor product) {
        begin(product);
        had(18);
        notices(0);
        writes(1, 8);
        dies();
        assertRest(18, 2);
        assertThatThrownBy(() -> box.compared(standby(0), null, false))
                .hasMessageContaining("it lacked 2 transactions")
                .hasMessageContaining(":19-20");
        // It was reset too early: what it had is known all the same.
        assertRest(0, 2);
        assertThatThrownBy(() -> box.compared(wroteItself(), null, false))
                .hasMessageContaining("it lacked 2 transactions");
    }

    /** What was applied of it, by its replication or from a file, counts. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aStandbyThatHasAppliedTheRestGetsAllOfIt(ServerFlavor product) {
        begin(product);
        had(18);
        notices(0);
        writes(1, 8);
        seen(19);
        dies();
        assertRest(19, 1);
        assertRest(20, 0);
        box.compared(standby(0), null, false);
        assertCounts(0, 8);
    }

    /** Also if the new numbers have passed its own before. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void whatAFailoverBringsItFromBeforeCounts(ServerFlavor product) {
        begin(product);
        had(18);
        notices(0);
        writes(1, 30);
        seen(18);
        dies();
        assertRest(18, 2);
        seen(19); // it was interrupted
        assertRest(19, 1);
        seen(20);
        assertRest(20, 0);
        assertThatThrownBy(() -> box.compared(standby(20), null, false))
                .hasMessageContaining("is still that of before");
        box.compared(standby(0), null, false);
        assertCounts(0, 30);
    }

    /** Its replication goes on, and skips: what it lacks from before it will never get. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aStandbyThatTheNewNumbersHavePassedStaysWhereItWas(ServerFlavor product) {
        begin(product);
        had(18);
        notices(0);
        writes(1, 30);
        seen(30);
        dies();
        assertThat(rescue(30)).containsEntry("transactions", 2);
        assertThatThrownBy(() -> box.compared(standby(0), null, false)).hasMessageContaining("has skipped some");
        box.compared(standby(30), null, false);
        assertCounts(30, 30);
    }

    /** The new numbers of one domain, or of this primary, have passed those of a standby; others it has as before. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void oneStreamThatHasPassedIsEnough(ServerFlavor product) {
        String other = product == ServerFlavor.MYSQL ? ",2f11fa47-71ca-11e1-9e33-c80aa9429562:1-9" : ",7-1-9";
        flavor = product;
        box.onStart(at(upTo(18) + other));
        box.onFormat(FORMAT);
        writes(19, 20);
        box.seen(STANDBY, Applied.of(flavor, upTo(18) + other, ""), new Receipt("[18]", false, false));
        notices(0);
        writes(1, 30);
        box.seen(STANDBY, Applied.of(flavor, upTo(30) + other, ""), STILL);
        dies();
        assertThat(rescue(30)).containsEntry("transactions", 2);
        assertThatThrownBy(() -> box.compared(standby(0), null, false)).hasMessageContaining("has skipped some");
    }

    /** A proxy that is cut off from the primary does not know that this is reset, and passes the standby, meanwhile. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aPositionThatIsSeenWithoutAWordFromThePrimaryDoesNotCount(ServerFlavor product) {
        begin(product);
        had(18);
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "cut"));
        seen(19);
        assertThat(asked(19)).as("no stream").isFalse();
        seen(19);
        notices(19);
        dies();
        assertRest(18, 2);
        assertThatThrownBy(() -> box.compared(standby(0), null, false))
                .hasMessageContaining("it lacked 2 transactions");
    }

    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aPositionOfADeadPrimaryCounts(ServerFlavor product) {
        begin(product);
        had(18);
        dies();
        seen(19);
        gone = false;
        notices(0);
        writes(1, 3);
        dies();
        assertRest(19, 1);
    }

    /** It may be one of those that the primary has written since it answered. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aPositionThatIsSeenWhileThePrimaryIsAskedDoesNotCount(ServerFlavor product) {
        begin(product);
        had(17);
        notices(0);
        writes(1, 3);
        Reach read = Objects.requireNonNull(box.reach(List.of()));
        seen(18);
        assertThat(box.beganAnew(read, at(3))).isFalse();
        dies();
        assertThat(box.ofBefore(standby(17))).contains("it lacked 3 of them");
    }

    /** A probe may find a standby ahead of what the proxy has read of the primary's new log. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aPositionCountsOnceThePrimaryIsKnownNotToHavePassedIt(ServerFlavor product) {
        begin(product);
        had(17);
        notices(0);
        writes(1, 3);
        seen(18);
        assertThat(beganAnew(Applied.of(flavor, upTo(18), ""), at(10))).isFalse();
        seen(19);
        assertThat(beganAnew(Applied.of(flavor, upTo(19), ""), at(19))).isFalse();
        writes(4, 19);
        dies();
        assertRest(18, 2);
    }

    /** What is beyond the old numbers are new ones, however few of them were read. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aPositionBehindTheOldEndHasSkipped(ServerFlavor product) {
        begin(product);
        had(18);
        notices(0);
        writes(1, 10);
        seen(22);
        dies();
        assertThat(box.ofBefore(standby(22))).contains("has skipped some");
        assertThatThrownBy(() -> box.compared(standby(0), null, false)).hasMessageContaining("has skipped some");
    }

    /** Built anew behind the first reset, it has all from before that, and of what was written since what it had. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aWordOfBeforeTheLastResetCountsUpToThat(ServerFlavor product) {
        begin(product);
        had(18);
        notices(0);
        writes(1, 8);
        seen(5);
        box.compared(standby(5), null, false);
        seen(6);
        asked(8);
        notices(0);
        writes(1, 3);
        dies();
        assertRest(6, 8, 2);
        assertThatThrownBy(() -> box.compared(standby(0), null, false))
                .hasMessageContaining("it lacked 2 transactions")
                .hasMessageContaining(":7-8");
        seen(8);
        assertRest(8, 8, 0);
        box.compared(standby(0), null, false);
        assertCounts(0, 3);
    }

    /** The new primary's numbers begin anew, too: the old one, which had its own, has none of those. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void anOldPrimaryHasItsOwnNumbersUntilAnotherOneIsReset(ServerFlavor product) {
        begin(product);
        notices(0);
        writes(1, 8);
        box.compared(standby(8), null, false);
        String uuid = "2f11fa47-71ca-11e1-9e33-c80aa9429562";
        box.onStart(new PrimaryFacts(product, 2, uuid, true, "ROW", true, upTo(8)));
        assertThat(box.isRenumbered("host:3306:1")).isFalse();
        box.reset();
        assertThat(box.isRenumbered("host:3306:1")).isTrue();
        assertThat(box.isRenumbered(STANDBY)).isFalse();
        assertThat(box.isRenumbered("host:3306:3")).isTrue();
    }

    /** It had received them before the numbers began anew, and the new ones have passed its own meanwhile. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void whatItAppliesOfItsRelayLogsCounts(ServerFlavor product) {
        begin(product);
        sees(18, "relay 20");
        asked(20);
        notices(0);
        writes(1, 30);
        sees(20, "relay 20");
        dies();
        assertRest(20, 0);
        box.compared(standby(0), null, false);
        assertCounts(0, 30);
    }

    /** The primary does not respond to the proxy, and sends to the standby: its numbers may be later ones. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void whatItReceivesSinceDoesNotCount(ServerFlavor product) {
        begin(product);
        had(18);
        notices(0);
        writes(1, 30);
        seen(18);
        dies();
        box.seen(STANDBY, Applied.of(flavor, upTo(19), ""), new Receipt("[relay 19]", false, true));
        assertThatThrownBy(() -> box.compared(standby(0), null, false)).hasMessageContaining("has skipped some");
    }

    /** Before the proxy knows that the primary is dead. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void whatItIsBroughtAtOnceCountsLater(ServerFlavor product) {
        begin(product);
        had(18);
        notices(0);
        writes(1, 30);
        seen(20);
        assertThat(box.ofBefore(standby(20))).contains("it lacked 2 of them");
        dies();
        assertRest(20, 0);
        box.compared(standby(0), null, false);
        assertCounts(0, 30);
    }

    private void sees(long number, String received) {
        box.seen(STANDBY, Applied.of(flavor, upTo(number), ""), new Receipt(received, false, false));
    }

    /** What nobody has cannot be brought: that is told, and the rest is not given up for it. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void whatNoBlackBoxHasIsToldAndStopsNothing(ServerFlavor product) {
        begin(product);
        had(15);
        notices(0);
        writes(1, 8);
        dies();
        assertThat(box.ofBefore(standby(15))).contains("it lacked 5 of them");
        assertThatThrownBy(() -> box.compared(standby(0), null, false))
                .hasMessageContaining("it lacked 2 transactions");
        new Rescue(box, () -> null, (survivor, read) -> List.of()).begin(standby(15), true);
        // MariaDB's passes over the three that are not in the file.
        box.seen(
                STANDBY, Applied.of(flavor, product == ServerFlavor.MYSQL ? upTo(15) + ":19-20" : upTo(20), ""), STILL);
        box.compared(standby(0), null, false);
        assertThat(box.formerUnknown().toString())
                .contains("3 transactions that s1 lacked")
                .contains(":16-18");
        assertCounts(0, 8);
    }

    /** Also if it wrote something itself since. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void oneThatIsResetBeforeARescueLacksWhatNobodyHas(ServerFlavor product) {
        begin(product);
        box.onStart(at(20));
        box.applied(List.of(Applied.of(flavor, upTo(20), ""))); // those kept are released
        had(15);
        notices(0);
        writes(1, 8);
        dies();
        box.compared(wroteItself(), null, false);
        assertThat(box.formerUnknown().toString())
                .contains("5 transactions that s1 lacked")
                .contains(":16-20");
        assertCounts(0, 8);
    }

    private Survivor wroteItself() {
        ReportedPosition wrote = flavor == ServerFlavor.MYSQL
                ? new ReportedPosition("4f11fa47-71ca-11e1-9e33-c80aa9429562:1", "", "", true, STANDBY)
                : new ReportedPosition("", "0-2-1", "", true, STANDBY);
        return Survivor.of("s1", flavor, wrote, "it wrote something itself");
    }

    /** A box keeps the histories of three primaries. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void whatIsForgottenIsNotKnown(ServerFlavor product) {
        begin(product);
        had(18);
        notices(0);
        writes(1, 3);
        for (int id = 3; id <= 6; id++) {
            assertThat(box.isRenumbered(STANDBY)).as("after %d changes", id - 3).isTrue();
            String uuid = id + "f11fa47-71ca-11e1-9e33-c80aa9429562";
            box.onStart(new PrimaryFacts(product, id, uuid, true, "ROW", true, upTo(3)));
            String had = box.ofBefore(standby(18));
            assertThat(had).matches(text -> text.isEmpty() || !text.contains("had all"));
            assertThat(rescue(18)).containsEntry("hadAll", false);
        }
        assertThat(box.isRenumbered(STANDBY)).isTrue();
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

    /** A log that has the reset is read, while the standby is probed. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void nothingThatIsSeenBeforeALogIsReadCounts(ServerFlavor product) {
        flavor = product;
        gone = true;
        box.presentPrimary(name -> false, () -> gone);
        LogVisitor log = box.restored(Clock.systemUTC());
        log.start(new LogStart(1, false, at(20), "", Map.of()));
        seen(25);
        assertThat(box.reach(List.of())).isNull();
        log.start(new LogStart(2, true, at(30), "", Map.of()));
        assertThat(box.ofBefore(standby(25))).contains("what it had of them is not known");
        assertThat(box.isRenumbered(STANDBY)).isTrue();
    }

    /** An OK tells of a reset between the probe and what is done with its result. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aPositionOfBeforeTheNoticeReleasesNothing(ServerFlavor product) {
        begin(product);
        Applied known = box.seen(STANDBY, Applied.of(flavor, upTo(20), ""), STILL);
        notices(0);
        writes(1, 8);
        box.applied(List.of(known));
        assertThat(box.transactions()).isEqualTo(8);
    }

    /** Two primaries wrote before the second one was reset, and it has nothing of that one's. */
    @Test
    void whatItIsBroughtOfTheFirstOfTwoPrimariesCounts() {
        begin(ServerFlavor.MYSQL);
        had(18);
        String other = "2f11fa47-71ca-11e1-9e33-c80aa9429562";
        box.onStart(new PrimaryFacts(flavor, 3, other, true, "ROW", true, upTo(20)));
        box.reset();
        dies();
        assertThat(rescue(18)).containsEntry("transactions", 2);
        assertThat(rescue(20)).containsEntry("transactions", 0);
        box.compared(standby(0), null, false);
        assertThat(box.formerUnknown()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aLookChangesNothing(ServerFlavor product) {
        begin(product);
        notices(0);
        writes(1, 8);
        dies();
        box.compared(standby(0), null, true);
        assertThat(box.isRenumbered(STANDBY)).isTrue();
        assertThatThrownBy(() -> box.compared(standby(20), null, true)).hasMessageContaining("is still that of before");
    }

    /** It got the numbers of what was written since, and lost them: its tables have the rows. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void oneThatIsResetOnceMoreIsNotBroughtThemTwice(ServerFlavor product) {
        begin(product);
        notices(0);
        writes(1, 8);
        dies();
        box.compared(standby(0), null, false);
        seen(8);
        assertThat(box.isRenumbered(STANDBY)).isFalse();
        assertThatThrownBy(() -> box.compared(standby(0), null, false))
                .hasMessageContaining("was reset behind that")
                .hasMessageContaining(":1-8");
        seen(0);
        assertThat(box.isRenumbered(STANDBY)).isTrue();
        assertThat(rescue(0)).containsEntry("transactions", 0);
        seen(8);
        assertThat(box.isRenumbered(STANDBY)).isFalse();
        assertCounts(8, 8);
    }

    /** The proxy began after it was reset. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aWordOfOneThatWasNotSeenLeavesADoubt(ServerFlavor product) {
        flavor = product;
        box.restored(Clock.systemUTC()).start(new LogStart(1, false, at(20), "", Map.of()));
        notices(0);
        writes(1, 8);
        dies();
        assertThat(rescue(0)).containsEntry("renumbered", true).containsEntry("transactions", 0);
        box.compared(standby(0), null, false);
        assertThat(box.formerUnknown().toString()).contains("what s1 lacked of what was written before");
        assertCounts(0, 8);
    }

    /** What was written between two resets a standby is brought once it has begun anew, as often as the primary has. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void ofTwoResetsEachIsPassedByItself(ServerFlavor product) {
        begin(product);
        notices(0);
        writes(1, 8);
        notices(0);
        writes(1, 3);
        dies();
        assertRest(20, 20, 0);
        box.compared(standby(0), null, false);
        assertThat(rescue(0)).containsEntry("renumbered", true).containsEntry("transactions", 8);
        assertThat(rescue(6)).containsEntry("transactions", 2);
        seen(0);
        assertThatThrownBy(() -> box.compared(standby(0), null, false))
                .hasMessageContaining("it lacked 2 transactions");
        seen(8);
        box.compared(standby(0), null, false);
        assertCounts(0, 3);
    }

    /** Built anew from the primary that lives, it has all, however often that was reset. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void oneThatIsBuiltAnewHasPassedAllResets(ServerFlavor product) {
        begin(product);
        notices(0);
        writes(1, 8);
        notices(0);
        writes(1, 5);
        box.compared(standby(4), at(5), false);
        assertCounts(4, 5);
    }

    /** What a proxy began with it does not know, unless the primary has refused the standby since. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aPositionThatIsFirstSeenBehindAResetProvesNothing(ServerFlavor product) {
        begin(product);
        notices(0);
        writes(1, 3);
        dies();
        String other = "host:3306:3";
        box.applied(List.of(box.seen(other, Applied.of(flavor, upTo(20), ""), STILL)));
        assertThat(box.transactions()).as("none is released").isEqualTo(5);
        box.seen(other, Applied.of(flavor, upTo(18), ""), STILL);
        assertThat(box.ofBefore(server(other, 18))).contains("is not known");
        box.seen(other, Applied.of(flavor, upTo(18), ""), new Receipt("[18]", true, false));
        assertThat(box.ofBefore(server(other, 18))).contains("it lacked 2 of them");
    }

    /** An account without the privilege to ask what is received. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void whatIsBroughtCountsThoughNothingElseIsKnown(ServerFlavor product) {
        begin(product);
        had(18);
        notices(0);
        writes(1, 3);
        dies();
        box.seen(STANDBY, Applied.of(flavor, upTo(20), ""), Receipt.UNKNOWN);
        assertThat(box.ofBefore(standby(20))).contains("it lacked 2 of them");
        GtidNumbers brought = new GtidNumbers();
        brought.add(product == ServerFlavor.MYSQL ? UUID : "0", 19, 20);
        box.applied(standby(20), brought);
        assertThat(box.ofBefore(standby(20))).contains("it had all of them");
    }

    /** MySQL's position has what it was brought alone then, and MariaDB's all up to that. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void oneThatIsResetBeforeARescueHasWhatItHadBesides(ServerFlavor product) {
        begin(product);
        had(18);
        box.seen("host:3306:3", Applied.of(flavor, upTo(10), ""), STILL);
        asked(20);
        notices(0);
        writes(1, 30);
        dies();
        seen(0);
        assertThat(rescue(0)).containsEntry("transactions", 2);
        Applied rest = Applied.of(flavor, product == ServerFlavor.MYSQL ? UUID + ":19-20" : upTo(20), "");
        box.seen(STANDBY, rest, STILL);
        GtidNumbers brought = new GtidNumbers();
        brought.add(product == ServerFlavor.MYSQL ? UUID : "0", 19, 20);
        box.applied(standby(20).applying(rest), brought);
        box.seen(STANDBY, rest, STILL);
        assertThat(box.ofBefore(standby(20))).contains("it had all of them");
        seen(0);
        box.compared(standby(0), null, false);
        assertThat(box.formerUnknown()).isEmpty();
        assertCounts(0, 30);
    }

    /** A log keeps what operators have said. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aWordOutlivesARestart(ServerFlavor product) {
        begin(product);
        notices(0);
        writes(1, 8);
        box.compared(standby(7), null, false);
        LogStart logged = Objects.requireNonNull(box.position());
        LogVisitor log = box.restored(Clock.systemUTC());
        log.start(new LogStart(1, false, at(20), "", Map.of()));
        log.start(logged);
        assertThat(box.isRenumbered(STANDBY)).isFalse();
        assertThat(box.isRenumbered("host:3306:3")).isTrue();
    }

    /** Once its replication is that of another primary; its numbers are its own. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void anOldPrimaryThatComesBackHasAllOfIt(ServerFlavor product) {
        begin(product);
        notices(0);
        writes(1, 8);
        box.onStart(new PrimaryFacts(product, 2, "2f11fa47-71ca-11e1-9e33-c80aa9429562", true, "ROW", true, upTo(8)));
        Loss loss = box.loss(server("host:3306:1", 8));
        assertThat(loss.missing).isEmpty();
        assertThat(loss.gaps).hasToString("");
        assertThat(box.loss(standby(20)).missing).hasSize(8);
    }

    /** A file has what is missing from before, in the order of its numbers, and nothing from since. */
    private void assertRest(long number, int rest) {
        assertRest(number, 20, rest);
    }

    private void assertRest(long number, long end, int rest) {
        assertThat(rescue(number))
                .containsEntry("renumbered", true)
                .containsEntry("transactions", rest)
                .containsEntry("writtenSince", box.loss(standby(number)).missing.size() - rest);
        assertThat(box.ofBefore(standby(number)))
                .contains("Before that they ended at ")
                .contains(upTo(end))
                .contains(", and it " + (rest == 0 ? "had all of them" : "lacked " + rest + " of them"));
    }

    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void thePrimaryIsNotComparedWithItself(ServerFlavor product) {
        begin(product);
        assertThatThrownBy(() -> box.compared(server("host:3306:1", 20), at(20), false))
                .hasMessageContaining("s1 is the primary");
    }

    /** It has all of what it wrote itself; one that was promoted by hand may lack it. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void thePrimaryItselfIsNotInQuestion(ServerFlavor product) {
        begin(product);
        notices(8);
        assertThat(box.isRenumbered(server("host:3306:1", 8))).isFalse();
        box.onStart(new PrimaryFacts(product, 2, "2f11fa47-71ca-11e1-9e33-c80aa9429562", true, "ROW", true, upTo(8)));
        assertThat(box.isRenumbered(standby(8))).isTrue();
    }

    /** It has followed another one since, and still lacks what is not known of the one before. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aStandbyStaysUnknownAfterAChangeOfThePrimary(ServerFlavor product) {
        begin(product);
        notices(8);
        box.onStart(new PrimaryFacts(product, 3, "2f11fa47-71ca-11e1-9e33-c80aa9429562", true, "ROW", true, upTo(8)));
        assertThat(box.isRenumbered(standby(8))).isTrue();
    }
}
