package io.understudy.plugins.mirror.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.Standby;
import io.understudy.plugin.StandbyState;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.sql.ParameterValues;
import io.understudy.sql.TableName;
import io.understudy.testkit.Fakes;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class CausalCheckTest {
    private final List<String> executed = new ArrayList<>();

    private static ResultSet row(Object... values) {
        Iterator<Boolean> next = List.of(true, false).iterator();
        return Fakes.of(ResultSet.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "next" -> next.next();
            case "getString", "getInt" -> values[(int) arguments[0] - 1];
            default -> null;
        });
    }

    private Connection connection() {
        Statement statement = Fakes.of(Statement.class, (proxy, method, arguments) -> {
            if (method.getName().equals("executeQuery")) {
                return row("0-1-5", "0", "NO_BACKSLASH_ESCAPES", "11.4");
            }
            if (method.getName().startsWith("execute")) {
                executed.add((String) arguments[0]);
                return true;
            }
            return null;
        });
        PreparedStatement prepared = Fakes.of(
                PreparedStatement.class,
                (proxy, method, arguments) ->
                        method.getName().equals("executeQuery") ? row("BASE TABLE", "InnoDB", 0) : null);
        return Fakes.of(Connection.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "createStatement" -> statement;
            case "prepareStatement" -> prepared;
            default -> null;
        });
    }

    /** The monitor, too, queries over the connections of that pool: a LIKE with a backslash would match nothing. */
    @Test
    void thePrimarysConnectionHasItsOwnSettingsAgainWhenNothingWasRead() {
        DataSource primary = Fakes.of(DataSource.class, (proxy, method, arguments) -> connection());
        TableWrites writes = new TableWrites();
        writes.onStart(new PrimaryFacts(ServerFlavor.MARIADB, 1, "", true, "ROW", true, "0-1-1"));
        CausalCheck check = new CausalCheck(primary, writes, () -> {});
        Standby standby = Fakes.of(
                Standby.class,
                Map.of("name", "s1", "isPrimary", false, "state", new StandbyState(true, true, null, false, 1, null)));
        String sql = "SELECT v FROM t WHERE v = 'a' AND w = ?";
        byte[] backslash = new byte[20];
        System.arraycopy(new byte[] {0, 1, (byte) 253, 0, 1, '\\'}, 0, backslash, 14, 6);
        VerifiedRead read = new VerifiedRead(
                standby,
                sql.getBytes(StandardCharsets.US_ASCII),
                new ParameterValues(backslash, 1, null),
                "shop",
                "'NO_BACKSLASH_ESCAPES'",
                List.of(new TableName("shop", "t")),
                1);
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(
                                check.compare(read, ServerFlavor.MARIADB).reason())
                        .isEqualTo("parameters"));
        assertThat(executed.get(executed.size() - 1)).contains("sql_mode = DEFAULT", "time_zone = DEFAULT");
    }
}
