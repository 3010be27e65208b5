package io.understudy.unplanned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.ReportedPosition;
import io.understudy.switchover.StepFailure;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The standby {@code s1:3306:2}, and another one with server id 3 and UUID {@code c…}. */
class ReachedTest {
    private static final String A = "aaaaaaaa-0000-0000-0000-000000000001";
    private static final String B = "bbbbbbbb-0000-0000-0000-000000000002";
    private static final String C = "cccccccc-0000-0000-0000-000000000003";

    private static ReportedPosition other(String replicated, @Nullable String received) {
        return new ReportedPosition(replicated, "", received, true, "s2:3306:3");
    }

    private static String onMySql(String here, String there, String received) throws StepFailure {
        return onMySql(here, there, received, false);
    }

    private static String onMySql(String here, String there, String received, boolean wrote) throws StepFailure {
        ReportedPosition position = new ReportedPosition(here, "", "", true, "s1:3306:2");
        return new Reached(ServerFlavor.MYSQL, position).lacks(other(there, received), C, wrote);
    }

    private static Reached mariaDb(String replicated, String logged) {
        return new Reached(ServerFlavor.MARIADB, new ReportedPosition(replicated, logged, "", true, "s1:3306:2"));
    }

    /** A primary of which one has nothing yet is a new one, or begins with a tag. */
    @Test
    void whatAServerOfWhichItHasNothingHasWrittenIsMore() throws Exception {
        assertThat(onMySql(A + ":1-5", A + ":1-5", "")).isEmpty();
        assertThat(onMySql(A + ":1-5", A + ":1-5," + B + ":1-9", "")).isEqualTo(B + ":1-9");
        assertThat(onMySql(A + ":1-5", A + ":1-5", A + ":foo:1-2")).isEqualTo(A + ":foo:1-2");
    }

    @Test
    void whatTheOtherOneHasWrittenItselfIsMoreIfItWasAPrimary() throws Exception {
        assertThat(onMySql(A + ":1-5", A + ":1-5," + C + ":1-2:foo:1", "")).isEmpty();
        assertThat(onMySql(A + ":1-5," + C + ":1", A + ":1-5," + C + ":1-2", ""))
                .isEqualTo(C + ":2");
        assertThat(mariaDb("0-1-5", "0-1-5").lacks(other("0-3-6", ""), "", false))
                .isEmpty();
        assertThat(mariaDb("0-3-5", "0-1-4,0-3-5").lacks(other("0-3-6", ""), "", false))
                .isEqualTo("0-3-6");
        // The last primary, before its first transaction has come here.
        assertThat(onMySql(A + ":1-5", A + ":1-5," + C + ":1", "", true)).isEqualTo(C + ":1");
        assertThat(mariaDb("0-1-5", "0-1-5").lacks(other("0-3-6", ""), "", true))
                .isEqualTo("0-3-6");
    }

    /** It may have what clients were told in its relay logs alone. */
    @Test
    void whatTheOtherOneHasReceivedIsToBeKnown() {
        assertThatThrownBy(() -> mariaDb("0-1-5", "").lacks(other("0-1-5", null), "", false))
                .isInstanceOf(StepFailure.class)
                .hasMessageContaining("what it has received is not known", "GRANT SLAVE MONITOR");
    }

    @ParameterizedTest
    @CsvSource({
        "'0-1-5', '0-1-5', ''",
        "'0-1-5', '0-1-9', '0-1-9'",
        "'', '7-1-3', '7-1-3'",
        "'0-1-5,7-1-3', '0-3-4,0-1-8,7-1-3', '0-1-8,7-1-3'",
        "'0-1-5', '', ''",
        "'0-1-5', '0-2-9', ''", // its own
        "'0-2-9', '0-1-8,0-2-9', ''", // a primary once
    })
    void replicationGoesOnBehindWhatSessionsHaveApplied(String replicated, String logged, String expected) {
        assertThat(mariaDb(replicated, logged).resume())
                .isEqualTo(expected.isEmpty() ? "" : "SET GLOBAL gtid_slave_pos='" + expected + "'");
    }

    @Test
    void mySqlKnowsWhatItHas() {
        ReportedPosition position = new ReportedPosition(A + ":1-5", "", "", true, "s1:3306:2");
        assertThat(new Reached(ServerFlavor.MYSQL, position).resume()).isEmpty();
    }
}
