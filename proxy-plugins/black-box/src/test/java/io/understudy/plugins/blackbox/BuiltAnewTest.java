package io.understudy.plugins.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.binlog.Transactions;
import io.understudy.plugins.blackbox.log.LogStart;
import io.understudy.servers.ReportedPosition;
import java.time.Clock;
import java.util.Map;
import java.util.Set;
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

    private String upTo(long number) {
        return number == 0 ? "" : flavor == ServerFlavor.MYSQL ? UUID + ":1-" + number : "0-1-" + number;
    }

    private PrimaryFacts at(long number) {
        String uuid = flavor == ServerFlavor.MYSQL ? UUID : "";
        return new PrimaryFacts(flavor, 1, uuid, true, "ROW", true, upTo(number));
    }

    private void begin(ServerFlavor product) {
        flavor = product;
        box.onStart(at(18));
        box.onFormat(FORMAT);
        writes(19, 20);
        seen(20);
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

    private void seen(long number) {
        box.seen(STANDBY, Applied.of(flavor, upTo(number), ""));
    }

    private Survivor server(String server, long number) {
        return Survivor.of("s1", flavor, new ReportedPosition(upTo(number), "", "", true, server), "for the test");
    }

    private Survivor standby(long number) {
        return server(STANDBY, number);
    }

    private void dies() {
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
    }

    /** At {@code number} it has all that was written up to there since the primary began anew, and no more. */
    private void assertCounts(long number, long written) {
        dies();
        Loss loss = box.loss(standby(number));
        assertThat(loss.missing).hasSize((int) (written - number));
        assertThat(loss.gaps).hasToString("");
        assertThat(rescue(number)).containsEntry("renumbered", false);
    }

    private Map<String, Object> rescue(long number) {
        return new Rescue(box, () -> null).begin(standby(number), false);
    }

    /** None of the {@code captured} ones counts as applied, and it is said that this is not known. */
    private void assertUnknown(long number, int captured) {
        dies();
        Loss loss = box.loss(standby(number));
        assertThat(loss.missing).hasSize(captured);
        assertThat(rescue(number)).containsEntry("renumbered", true);
    }

    /** Reset or restored from an older copy, before the notice or after it: what it lacked then is not known. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aPositionThatGoesBackProvesNothing(ServerFlavor product) {
        begin(product);
        seen(3);
        notices(8);
        writes(9, 10);
        seen(0);
        writes(11, 30);
        seen(28);
        assertUnknown(28, 22);
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
        box.restored(Clock.systemUTC()).start(new LogStart(1, false, at(20), ""));
        seen(3);
        notices(8);
        writes(9, 30);
        seen(30);
        assertUnknown(30, 22);
        box.compared(standby(30));
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
        box.compared(standby(29));
        assertCounts(29, 30);
        assertThat(box.loss(server("host:3306:3", 29)).missing).hasSize(22);
        assertThat(box.isRenumbered(server("host:3306:3", 29))).isTrue();
        notices(8);
        writes(9, 30);
        assertUnknown(29, 22 + 22);
    }

    /** It still counts earlier numbers, which the primary has yet to write. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void aWordDoesNotCountForNumbersToCome(ServerFlavor product) {
        begin(product);
        notices(5);
        writes(6, 8);
        box.compared(standby(20));
        dies();
        assertThat(box.loss(standby(20)).missing).isEmpty();
        assertThat(box.isRenumbered(standby(20))).isFalse();
        notices(8);
        writes(9, 12);
        assertUnknown(20, 4);
    }
}
