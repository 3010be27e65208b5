package io.understudy.plugins.blackbox.kept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.history.Applied;
import io.understudy.plugins.blackbox.history.Reach;
import io.understudy.plugins.blackbox.log.LogStart;
import io.understudy.plugins.blackbox.log.LogVisitor;
import io.understudy.plugins.blackbox.reset.Receivers.Receipt;
import io.understudy.servers.GtidNumbers;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which of a standby's positions are of before the reset. */
class LastPositionsTest extends ResetHarness {
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
        assertThat(box.standing(standby(17)).ofBefore()).contains("it lacked 3 of them");
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
        assertThat(box.standing(standby(22)).ofBefore()).contains("has skipped some");
        assertThatThrownBy(() -> box.compared(standby(0), null, false)).hasMessageContaining("has skipped some");
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
        assertThat(box.standing(standby(20)).ofBefore()).contains("it lacked 2 of them");
        dies();
        assertRest(20, 0);
        box.compared(standby(0), null, false);
        assertCounts(0, 30);
    }

    /** A log that has the reset is read, while the standby is probed. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void nothingThatIsSeenBeforeALogIsReadCounts(ServerFlavor product) {
        flavor = product;
        gone = true;
        box.presentPrimary(name -> false, () -> gone);
        LogVisitor log = box.restored(Clock.systemUTC());
        log.start(new LogStart(1, false, at(20), "", Map.of(), Map.of(), Set.of()));
        seen(25);
        assertThat(box.reach(List.of())).isNull();
        log.start(new LogStart(2, true, at(30), "", Map.of(), Map.of(), Set.of()));
        assertThat(box.standing(standby(25)).ofBefore()).contains("what it had of them is not known");
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
        box.applied(List.of(known), null);
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

    /** What a proxy began with it does not know, unless the primary has refused the standby since. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aPositionThatIsFirstSeenBehindAResetProvesNothing(ServerFlavor product) {
        begin(product);
        notices(0);
        writes(1, 3);
        dies();
        String other = "host:3306:3";
        box.applied(List.of(box.seen(other, Applied.of(flavor, upTo(20), ""), STILL)), null);
        assertThat(box.transactions()).as("none is released").isEqualTo(5);
        box.seen(other, Applied.of(flavor, upTo(18), ""), STILL);
        assertThat(box.standing(server(other, 18)).ofBefore()).contains("is not known");
        box.seen(other, Applied.of(flavor, upTo(18), ""), new Receipt("[18]", true, false));
        assertThat(box.standing(server(other, 18)).ofBefore()).contains("it lacked 2 of them");
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
        assertThat(box.standing(standby(20)).ofBefore()).contains("it lacked 2 of them");
        GtidNumbers brought = new GtidNumbers();
        brought.add(product == ServerFlavor.MYSQL ? UUID : "0", 19, 20);
        box.applied(standby(20), brought);
        assertThat(box.standing(standby(20)).ofBefore()).contains("it had all of them");
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
        assertThat(box.standing(standby(20)).ofBefore()).contains("it had all of them");
        seen(0);
        box.compared(standby(0), null, false);
        assertThat(box.formerUnknown()).isEmpty();
        assertCounts(0, 30);
    }
}
