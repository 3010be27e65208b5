package io.understudy.plugins.mirror.playback;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.Standby;
import io.understudy.plugin.StandbyState;
import io.understudy.testkit.CapturedLog;
import io.understudy.testkit.Fakes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What is said about a standby's account that can do more than read. */
class MirrorAccountTest {
    private static final String READS = "GRANT SELECT, SHOW VIEW ON `shop`.* TO `m`@`%`";
    private static final String WRITES = "GRANT SELECT, INSERT, DELETE ON `shop`.* TO `m`@`%`";

    private final List<Runnable> queries = new ArrayList<>();
    private List<String> grants = List.of(READS);
    private boolean reachable = true;
    private boolean refused;
    private int asked;

    private final Standby standby = Fakes.of(Standby.class, (proxy, method, arguments) -> switch (method.getName()) {
        case "name" -> "s1";
        case "state" -> new StandbyState(reachable, true, null, false, 1, null);
        case "dataSource" -> Fakes.of(DataSource.class, (source, call, none) -> connection());
        default -> throw new UnsupportedOperationException(method.getName());
    });
    private final MirrorAccount account = new MirrorAccount(standby, queries::add);

    private Connection connection() throws SQLException {
        asked++;
        if (refused) {
            throw new SQLException("refused");
        }
        Iterator<String> lines = grants.iterator();
        ResultSet rows = Fakes.of(ResultSet.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "next" -> lines.hasNext();
            case "getString" -> lines.next();
            default -> null;
        });
        Statement statement = Fakes.of(
                Statement.class, (proxy, method, arguments) -> method.getName().equals("executeQuery") ? rows : null);
        return Fakes.of(
                Connection.class,
                (proxy, method, arguments) -> method.getName().equals("createStatement") ? statement : null);
    }

    private void sweep(long minutesFromNow) {
        account.sweep(System.nanoTime() + TimeUnit.MINUTES.toNanos(minutesFromNow));
        List<Runnable> due = List.copyOf(queries);
        queries.clear();
        due.forEach(Runnable::run);
    }

    @Test
    void anAccountThatCanWriteIsNamedWithTheRevokeAtTheStart() {
        grants = List.of("GRANT USAGE ON *.* TO `m`@`%`", WRITES);
        try (CapturedLog log = new CapturedLog()) {
            sweep(0);
            sweep(0);
            assertThat(log.text())
                    .containsOnlyOnce("can do more than read")
                    .contains("standby s1", "DELETE, INSERT ON `shop`.*")
                    .contains("REVOKE DELETE, INSERT ON `shop`.* FROM `m`@`%`");
        }
        assertThat(account.excess()).containsExactly("DELETE, INSERT ON `shop`.*");
        assertThat(asked).as("once while nothing has changed").isOne();
    }

    @Test
    void whatIsNotKnownIsNotNothing() {
        refused = true;
        sweep(0);
        assertThat(account.excess()).isNull();
        refused = false;
        sweep(1);
        assertThat(account.excess()).isEmpty();
    }

    @Test
    void itIsQueriedAgainAfterAnOutageAndFromTimeToTime() {
        sweep(0);
        reachable = false;
        sweep(0);
        grants = List.of(WRITES);
        reachable = true;
        sweep(0);
        assertThat(account.excess()).as("another server may be there").hasSize(1);
        grants = List.of(READS);
        sweep(11);
        assertThat(account.excess()).isEmpty();
        assertThat(asked).isEqualTo(3);
    }
}
