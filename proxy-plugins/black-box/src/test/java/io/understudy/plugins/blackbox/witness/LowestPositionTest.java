package io.understudy.plugins.blackbox.witness;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.history.Survivor;
import io.understudy.plugins.blackbox.kept.BlackBox;
import io.understudy.servers.ReportedPosition;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where the log has to begin so that every standby could be completed from it. */
class LowestPositionTest {
    @Test
    void takesTheLowerOfEachDomain() {
        assertThat(LowestPosition.ofMariaDb(List.of("0-1-9,7-1-3", "7-1-5,0-1-4"), "0-1-9,7-1-5"))
                .isEqualTo("0-1-4,7-1-3");
    }

    /** A replica that names no position of a domain gets it from its begin. */
    @Test
    void leavesOutADomainThatAStandbyLacks() {
        assertThat(LowestPosition.ofMariaDb(List.of("0-1-9,7-1-3", "0-1-4"), "0-1-9,7-1-3"))
                .isEqualTo("0-1-4");
    }

    @Test
    void takesWhatAllMySqlStandbysHave() {
        assertThat(LowestPosition.ofMySql(List.of("a-1:1-9,b-2:1-3", "a-1:1-4:6-7", "b-2:1-9,a-1:1-9"), "a-1:1-9"))
                .isEqualTo("a-1:1-4:6-7");
        assertThat(LowestPosition.ofMySql(List.of("a-1:1-9"), "a-1:1-9,b-2:1")).isEqualTo("a-1:1-9");
    }

    @Test
    void passesOverWhatThePrimaryItselfLacks() {
        assertThat(LowestPosition.ofMariaDb(List.of("0-1-14,3-9-5,5-1-7"), "0-1-11,0-2-20,5-1-8"))
                .isEqualTo("0-1-11,5-1-7");
        assertThat(LowestPosition.ofMySql(List.of("a-1:1-14"), "a-1:1-11,b-2:1-9"))
                .isEqualTo("a-1:1-11");
    }

    /** Its log begins somewhere behind: what is between would be in no list. */
    @Test
    void aPrimaryThatDoesNotKnowTheServerSaysNothingOfItsDomain() {
        assertThat(LowestPosition.ofMariaDb(List.of("0-1-100"), "0-2-150,0-3-170"))
                .isNull();
        assertThat(LowestPosition.ofMariaDb(List.of("0-1-100", "0-2-150"), "0-2-150,0-3-170"))
                .isNull();
    }

    /** The old primary was frozen, and went on behind the promotion: another standby got more from it. */
    @ParameterizedTest
    @EnumSource(
            value = ServerFlavor.class,
            names = {"MARIADB", "MYSQL"})
    void whatAnotherStandbyGotFromTheOldPrimaryIsMissingOnTheNewOne(ServerFlavor flavor) {
        boolean mariaDb = flavor == ServerFlavor.MARIADB;
        BlackBox box = new BlackBox(1 << 20, true, () -> 0);
        box.onStart(facts(flavor, 1, mariaDb ? "0-1-14" : "a-1:1-14", mariaDb ? "0-1-14" : ""));
        String has = mariaDb ? "0-1-11,0-2-20" : "a-1:1-11,b-2:1-9";
        String logged = mariaDb ? has : "";
        PrimaryFacts promoted = facts(flavor, 2, mariaDb ? "0-2-20" : has, logged);
        List<String> other = List.of(mariaDb ? "0-1-14" : "a-1:1-14");
        String from =
                String.valueOf(mariaDb ? LowestPosition.ofMariaDb(other, has) : LowestPosition.ofMySql(other, has));
        box.onStart(promoted.at(from));
        assertThat(box.isAnew(promoted)).as("it has all that was read").isFalse();
        ReportedPosition reported = new ReportedPosition(mariaDb ? "0-1-11" : has, logged, "", false, "host:3306:2");
        assertThat(box.loss(Survivor.of("s1", flavor, reported, "for the test")).gaps)
                .hasToString(mariaDb ? "0:12-14" : "a-1:12-14");
    }

    private static PrimaryFacts facts(ServerFlavor flavor, long server, String position, String logged) {
        String uuid = flavor == ServerFlavor.MARIADB ? "" : server == 1 ? "a-1" : "b-2";
        return new PrimaryFacts(flavor, server, uuid, true, "ROW", true, position, logged);
    }
}
