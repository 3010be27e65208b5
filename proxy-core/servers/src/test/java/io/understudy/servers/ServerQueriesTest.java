package io.understudy.servers;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.testkit.Fakes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerQueriesTest {
    @Test
    void aStatementWithParametersIsEndedTooAfterItsTime() throws Exception {
        List<Object> timeouts = new ArrayList<>();
        ResultSet none = Fakes.of(
                ResultSet.class, (proxy, method, arguments) -> method.getName().equals("next") ? false : null);
        PreparedStatement statement = Fakes.of(PreparedStatement.class, (proxy, method, arguments) -> {
            if (method.getName().equals("setQueryTimeout")) {
                timeouts.addAll(Arrays.asList(arguments));
            }
            return method.getName().equals("executeQuery") ? none : null;
        });
        Connection connection = Fakes.of(Connection.class, Map.of("prepareStatement", (Fakes.Result) sql -> statement));
        ServerQueries.endedAfter(7, connection).rows("SELECT ?", List.of(1), row -> row);
        assertThat(timeouts).containsExactly(7);
    }
}
