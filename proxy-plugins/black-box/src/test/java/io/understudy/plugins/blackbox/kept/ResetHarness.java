package io.understudy.plugins.blackbox.kept;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.binlog.Transactions;
import io.understudy.plugins.blackbox.history.Applied;
import io.understudy.plugins.blackbox.history.Loss;
import io.understudy.plugins.blackbox.history.Survivor;
import io.understudy.plugins.blackbox.lost.Rescue;
import io.understudy.plugins.blackbox.reset.Receivers.Receipt;
import io.understudy.servers.ReportedPosition;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Primary and standby begin anew, in each order with what the proxy sees of it. The primary has written 1 to 20 before,
 * and the standby had them all.
 */
abstract class ResetHarness extends BlackBoxHarness {
    static final String UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
    static final String STANDBY = "host:3306:2";
    ServerFlavor flavor = ServerFlavor.MARIADB;
    boolean gone;

    String upTo(long number) {
        return number == 0 ? "" : flavor == ServerFlavor.MYSQL ? UUID + ":1-" + number : "0-1-" + number;
    }

    PrimaryFacts at(long number) {
        return at(upTo(number));
    }

    PrimaryFacts at(String position) {
        String uuid = flavor == ServerFlavor.MYSQL ? UUID : "";
        return new PrimaryFacts(flavor, 1, uuid, true, "ROW", true, position);
    }

    void begin(ServerFlavor product) {
        flavor = product;
        box.presentPrimary(name -> false, () -> gone);
        box.onStart(at(18));
        box.onFormat(FORMAT);
        writes(19, 20);
        had(20);
    }

    /** The stream tells that the primary has begun anew, and has written so many since. */
    void notices(long number) {
        box.onStart(at(number));
        box.onFormat(FORMAT);
    }

    void writes(long first, long last) {
        for (long number = first; number <= last; number++) {
            event("g", true);
            event(".", false);
            String gtid = flavor == ServerFlavor.MYSQL ? UUID + ":" + number : "0-1-" + number;
            box.onTransaction(Transactions.of(gtid, TransactionKind.WRITE, 0, 1, number, -1, 0, now, Set.of(), false));
        }
    }

    /** Seen there while the primary was seen to be further, or as far. */
    void had(long number) {
        seen(number);
        asked(20);
    }

    /** The primary is asked, and is where it was. */
    boolean asked(long number) {
        return box.beganAnew(Objects.requireNonNull(box.reach(List.of())), at(number));
    }

    void seen(long number) {
        sees(number, "[" + number + "]");
    }

    Survivor server(String server, long number) {
        return Survivor.of("s1", flavor, new ReportedPosition(upTo(number), "", "", true, server), "for the test");
    }

    Survivor standby(long number) {
        return server(STANDBY, number);
    }

    void dies() {
        gone = true;
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
    }

    /** At {@code number} it has all that was written up to there since the primary began anew, and no more. */
    void assertCounts(long number, long written) {
        dies();
        seen(number);
        Loss loss = box.loss(standby(number));
        assertThat(loss.missing).hasSize((int) (written - number));
        assertThat(loss.gaps).hasToString("");
        assertThat(rescue(number)).containsEntry("renumbered", false);
    }

    Map<String, Object> rescue(long number) {
        seen(number);
        return new Rescue(box, () -> null, (survivor, read) -> List.of()).begin(standby(number), false);
    }

    /** None of the {@code captured} ones counts as applied, and it is said that this is not known. */
    void assertUnknown(long number, int captured) {
        dies();
        seen(number);
        Loss loss = box.loss(standby(number));
        assertThat(loss.missing).hasSize(captured);
        assertThat(rescue(number)).containsEntry("renumbered", true);
    }

    void sees(long number, String received) {
        box.seen(STANDBY, Applied.of(flavor, upTo(number), ""), new Receipt(received, false, false));
    }

    Survivor wroteItself() {
        ReportedPosition wrote = flavor == ServerFlavor.MYSQL
                ? new ReportedPosition("4f11fa47-71ca-11e1-9e33-c80aa9429562:1", "", "", true, STANDBY)
                : new ReportedPosition("", "0-2-1", "", true, STANDBY);
        return Survivor.of("s1", flavor, wrote, "it wrote something itself");
    }

    /** A file has what is missing from before, in the order of its numbers, and nothing from since. */
    void assertRest(long number, int rest) {
        assertRest(number, 20, rest);
    }

    void assertRest(long number, long end, int rest) {
        assertThat(rescue(number))
                .containsEntry("renumbered", true)
                .containsEntry("transactions", rest)
                .containsEntry("writtenSince", box.loss(standby(number)).missing.size() - rest);
        assertThat(box.standing(standby(number)).ofBefore())
                .contains("Before that they ended at ")
                .contains(upTo(end))
                .contains(", and it " + (rest == 0 ? "had all of them" : "lacked " + rest + " of them"));
    }

    boolean beganAnew(Applied standby, PrimaryFacts now) {
        return box.beganAnew(Objects.requireNonNull(box.reach(List.of(standby))), now);
    }
}
