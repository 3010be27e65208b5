package io.understudy.plugins.blackbox.outcome;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.outcome.OutcomeRecord.Verdict;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.ReplicaStatus;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What was committed on one server, and then another one is the primary. */
class PresentOutcomesTest {
    private static final long SECOND = 1_000_000_000L;
    private static final String UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562";

    private long now = 1_000 * SECOND;
    private final PrimaryOrder order = new PrimaryOrder(() -> now);
    private final PresentOutcomes present =
            new PresentOutcomes(order, this::look, this::unproven, () -> at(now), () -> now);
    private long sent = now;
    private ServerFlavor flavor = ServerFlavor.MARIADB;
    private GtidNumbers has = new GtidNumbers();
    private @Nullable List<ReplicaStatus> channels = List.of();
    private boolean responds = true;
    private int looks;
    private long server = 12;
    private boolean unproven;
    private long history;

    private boolean unproven() {
        return unproven;
    }

    private PrimaryLook look() throws SQLException {
        looks++;
        if (!responds) {
            throw new SQLException("gone");
        }
        PrimaryFacts facts =
                new PrimaryFacts(flavor, server, flavor == ServerFlavor.MYSQL ? UUID : "", true, "MIXED", true, "");
        return new PrimaryLook(false, 0, SECOND, channels, Set.of(), null, facts, has, Map.of());
    }

    @BeforeEach
    void firstPrimary() {
        order.identified(order.generation(), new ServerIdentity(ServerFlavor.MARIADB, 11, ""));
    }

    private void failOver() {
        now += SECOND;
        order.changed();
        has.add("0-11", 1, 5);
    }

    private static Instant at(long nanos) {
        return Instant.EPOCH.plusNanos(nanos);
    }

    private OutcomeRecord record(Verdict verdict, String gtid) {
        return new OutcomeRecord(
                at(sent), 1, 2, "", 57, "app", 0, "commit", "order-1", verdict, gtid, "", true, true, history);
    }

    /** Returns "outcome gtid reason", an open one with "…". */
    private String now(Verdict verdict, String gtid) {
        OutcomeRecord found = present.of(List.of(record(verdict, gtid))).get(0);
        return found.verdict().label() + (found.settled() ? " " : "… ") + found.gtid() + " " + found.reason();
    }

    private String committed(String gtid) {
        return now(Verdict.COMMITTED, gtid);
    }

    @Test
    void onTheServerThatWroteItItStaysSoWithoutAQuestion() {
        responds = false; // it was killed, and nothing has taken its place
        assertThat(committed("0-11-6")).isEqualTo("committed 0-11-6 ");
        assertThat(committed("")).isEqualTo("committed  ");
        assertThat(looks).isZero();
    }

    @Test
    void afterAFailoverItIsSoOnlyIfTheNewPrimaryHasIt() {
        failOver();
        assertThat(committed("0-11-5")).isEqualTo("committed 0-11-5 ");
        assertThat(committed("0-11-6")).startsWith("unknown… 0-11-6 ").contains("the primary lacks it");
        assertThat(committed("")).startsWith("unknown  ").contains("its GTID is not known");
        assertThat(now(Verdict.NOT_COMMITTED, "")).isEqualTo("not_committed  ");

        has.add("0-11", 6, 6); // rescue has applied it
        assertThat(committed("0-11-6")).isEqualTo("committed 0-11-6 ");
    }

    @Test
    void whatTheNewPrimaryCommittedItselfStaysSo() {
        failOver();
        order.identified(order.generation(), new ServerIdentity(ServerFlavor.MARIADB, 12, ""));
        sent = now;
        responds = false;
        assertThat(committed("0-12-6")).isEqualTo("committed 0-12-6 ");
        assertThat(committed("")).isEqualTo("committed  ");
        assertThat(committed("0-11-5")).as("a session that was still there").startsWith("unknown… ");
    }

    @Test
    void whatItLacksIsSettledInTheEnd() {
        failOver();
        now += 601 * SECOND;
        assertThat(committed("0-11-6")).startsWith("unknown 0-11-6 ");
        channels = null;
        assertThat(committed("0-11-6")).startsWith("unknown 0-11-6 ").contains("still applies");
        responds = false;
        assertThat(committed("0-11-5")).as("it may come back").startsWith("unknown… ");
    }

    @Test
    void aNewPrimaryThatTellsNothingLeavesItOpen() {
        failOver();
        channels = null;
        assertThat(committed("0-11-6")).startsWith("unknown… ").contains("still applies");
        responds = false;
        assertThat(committed("0-11-5")).startsWith("unknown… ").contains("does not respond");
    }

    @Test
    void thatItIsThePrimaryAgainDoesNotTellThatItHasIt() {
        failOver();
        order.identified(order.generation(), new ServerIdentity(ServerFlavor.MARIADB, 12, ""));
        failOver();
        server = 11;
        has.add("0-11", 1, 101); // it was built anew, and gives the numbers again
        assertThat(committed("0-11-6"))
                .as("not identified")
                .startsWith("unknown… ")
                .contains("built anew");
        firstPrimary();
        assertThat(committed("0-11-6")).startsWith("unknown… ").contains("built anew");
        now += 601 * SECOND;
        assertThat(committed("0-11-6")).startsWith("unknown 0-11-6 ").contains("built anew");
        sent = now;
        assertThat(committed("0-11-6")).startsWith("committed ");
    }

    /** The proxy was restarted since, with the outcomes in its log. */
    @Test
    void whatAnotherServerWroteIsAskedForWithoutAChange() {
        assertThat(committed("0-10-6")).startsWith("unknown… ").contains("the primary lacks it");
        assertThat(committed(UUID + ":6")).startsWith("unknown… ");
    }

    /** Another server may have been the primary while the proxy was down. */
    @Test
    void outcomesOfALogAreOpenUntilTheLogIsReadOn() {
        history = 3;
        unproven = true;
        assertThat(committed("0-11-6")).startsWith("unknown… 0-11-6 ").contains("not read since the proxy");
        history = 0;
        assertThat(committed("0-11-6")).as("of this run").startsWith("committed ");
        history = 3;
        unproven = false;
        assertThat(committed("0-11-6")).startsWith("committed ");
    }

    @Test
    void ofMySqlsSetEachTransactionMustBeThere() {
        flavor = ServerFlavor.MYSQL;
        failOver();
        has = GtidNumbers.ofMySql(UUID + ":1-6");
        assertThat(committed(UUID.toUpperCase(java.util.Locale.ROOT) + ":5-6")).startsWith("committed ");
        assertThat(committed(UUID + ":6-7")).startsWith("unknown… ");
    }
}
