package io.understudy.plugins.commitlatency;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.testkit.CapturedLog;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The first connection to a primary may take longer than a probe waits: that it failed once is not logged. */
class FirstConnectionTest {
    @Test
    void anUnknownStateIsReportedAtTheThirdFailure() {
        DataSource none = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    throw new SQLException("no connection within 1 s");
                });
        SemiSyncPoller poller =
                new SemiSyncPoller(none, () -> ServerFlavor.MARIADB, () -> false, () -> 0, sample -> {}, nanos -> {});
        try (CapturedLog log = new CapturedLog()) {
            poller.run();
            poller.run();
            assertThat(log.text()).isEmpty();
            poller.run();
            poller.run();
            assertThat(log.text()).containsOnlyOnce("is unknown, as the primary cannot be queried: no connection");
        }
    }

    /** The monitor has logged the cause. */
    @Test
    void anUnknownStateOfAnUnreachablePrimaryIsNotReported() {
        DataSource none = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    throw new SQLException("connection refused");
                });
        SemiSyncPoller poller =
                new SemiSyncPoller(none, () -> ServerFlavor.MARIADB, () -> true, () -> 0, sample -> {}, nanos -> {});
        try (CapturedLog log = new CapturedLog()) {
            for (int i = 0; i < 10; i++) {
                poller.run();
            }
            assertThat(log.text()).isEmpty();
        }
    }

    /** The dump connection logs that, or the primary's monitor. */
    @Test
    void attributionDoesNotReportALostConnection() {
        AttributionState state = new AttributionState(Attribution.AUTO, true);
        BinlogTrouble lost = new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "no connection within 1 s");
        try (CapturedLog log = new CapturedLog()) {
            state.trouble(lost);
            assertThat(log.text()).isEmpty();
            assertThat(state.active()).isEqualTo(Attribution.COUNTERS);
            state.trouble(lost);
            state.trouble(lost);
            assertThat(log.text()).isEmpty();
            assertThat(state.view().reason()).isEqualTo("no connection within 1 s");
            state.streaming();
            state.trouble(lost);
            state.streaming();
            assertThat(log.text()).containsOnlyOnce("attributed one by one").doesNotContain("WARN");
        }
    }

    @Test
    void aMissingPrivilegeIsReportedAtOnce() {
        AttributionState state = new AttributionState(Attribution.AUTO, true);
        try (CapturedLog log = new CapturedLog()) {
            state.trouble(new BinlogTrouble(BinlogTrouble.Reason.PRIVILEGE, "GRANT REPLICATION SLAVE"));
            assertThat(log.text()).contains("GRANT REPLICATION SLAVE");
        }
    }
}
