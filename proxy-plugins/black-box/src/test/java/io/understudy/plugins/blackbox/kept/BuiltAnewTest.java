package io.understudy.plugins.blackbox.kept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.history.Applied;
import io.understudy.plugins.blackbox.history.Loss;
import io.understudy.plugins.blackbox.log.LogStart;
import io.understudy.plugins.blackbox.log.LogVisitor;
import io.understudy.plugins.blackbox.lost.Rescue;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an operator says of a standby, and what is known of it without. */
class BuiltAnewTest extends ResetHarness {
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
        box.restored(Clock.systemUTC()).start(new LogStart(1, false, at(20), "", Map.of(), Map.of(), Set.of()));
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
        assertThat(box.standing(server("host:3306:3", 29)).renumbered()).isTrue();
        notices(8);
        writes(9, 30);
        assertUnknown(29, 1 + 22);
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

    /** What nobody has cannot be brought: that is told, and the rest is not given up for it. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void whatNoBlackBoxHasIsToldAndStopsNothing(ServerFlavor product) {
        begin(product);
        had(15);
        notices(0);
        writes(1, 8);
        dies();
        assertThat(box.standing(standby(15)).ofBefore()).contains("it lacked 5 of them");
        assertThat(box.loss(standby(15)).lacksOfBefore).isTrue();
        assertThatThrownBy(() -> box.compared(standby(0), null, false))
                .hasMessageContaining("it lacked 2 transactions");
        new Rescue(box, () -> null, (survivor, read) -> List.of()).begin(standby(15), true);
        // MariaDB's passes over the three that are not in the file.
        box.seen(
                STANDBY, Applied.of(flavor, product == ServerFlavor.MYSQL ? upTo(15) + ":19-20" : upTo(20), ""), STILL);
        box.compared(standby(0), null, false);
        assertThat(box.loss(standby(0)).lacksOfBefore).as("but all from since").isFalse();
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
        box.applied(List.of(Applied.of(flavor, upTo(20), "")), null); // those kept are released
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

    /** A box keeps twenty histories. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void whatIsForgottenIsNotKnown(ServerFlavor product) {
        begin(product);
        had(18);
        notices(0);
        writes(1, 3);
        for (int id = 3; id <= 23; id++) {
            assertThat(box.isRenumbered(STANDBY)).as("after %d changes", id - 3).isTrue();
            String uuid = String.format("%02d", id) + "11fa47-71ca-11e1-9e33-c80aa9429562";
            box.onStart(new PrimaryFacts(product, id, uuid, true, "ROW", true, upTo(3)));
            String had = box.standing(standby(18)).ofBefore();
            assertThat(had).doesNotContain("had all");
            assertThat(rescue(18)).containsEntry("hadAll", false);
        }
        assertThat(box.isRenumbered(STANDBY)).isTrue();
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
        box.restored(Clock.systemUTC()).start(new LogStart(1, false, at(20), "", Map.of(), Map.of(), Set.of()));
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
        log.start(new LogStart(1, false, at(20), "", Map.of(), Map.of(), Set.of()));
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
        assertThat(box.standing(server("host:3306:1", 8)).renumbered()).isFalse();
        box.onStart(new PrimaryFacts(product, 2, "2f11fa47-71ca-11e1-9e33-c80aa9429562", true, "ROW", true, upTo(8)));
        assertThat(box.standing(standby(8)).renumbered()).isTrue();
    }

    /** It has followed another one since, and still lacks what is not known of the one before. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aStandbyStaysUnknownAfterAChangeOfThePrimary(ServerFlavor product) {
        begin(product);
        notices(8);
        box.onStart(new PrimaryFacts(product, 3, "2f11fa47-71ca-11e1-9e33-c80aa9429562", true, "ROW", true, upTo(8)));
        assertThat(box.standing(standby(8)).renumbered()).isTrue();
    }
}
