package io.understudy.plugins.gtiddomain;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Primary;
import io.understudy.plugins.gtiddomain.catalog.DictionaryRefresh;
import io.understudy.plugins.gtiddomain.progress.StandbyProgress;
import io.understudy.plugins.gtiddomain.tagging.Fixture;
import io.understudy.plugins.gtiddomain.tagging.Guard;
import io.understudy.plugins.gtiddomain.tagging.Mode;
import io.understudy.testkit.Fakes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class PollerTest {
    private final Fixture fixture = new Fixture(Mode.TAG, Guard.PIN);
    private long now = 1_000_000_000L;

    /** Time that the primary takes to list its tables. */
    private Duration reading = Duration.ZERO;

    private boolean refuses;
    private boolean mySql;
    private int saidNoDomains;
    private int reads;

    private final Poller poller = poller();

    @Test
    void aLargeDictionaryIsReadForATenthOfTheTime() {
        reading = Duration.ofSeconds(5);
        poller.run();
        assertThat(reads).isEqualTo(1);
        pollFor(Duration.ofMillis(44_900));
        assertThat(reads).isEqualTo(1);
        pollFor(Duration.ofMillis(200));
        assertThat(reads).isEqualTo(2);
    }

    @Test
    void aSmallDictionaryIsReadAgainASecondAfterAChange() {
        poller.run();
        pollFor(Duration.ofMillis(900));
        assertThat(reads).isEqualTo(1);
        pollFor(Duration.ofMillis(200));
        assertThat(reads).isEqualTo(2);
    }

    @Test
    void aReadThatFailsLateIsNotRepeatedAtOnce() {
        reading = Duration.ofSeconds(20);
        refuses = true;
        poller.run();
        assertThat(reads).isEqualTo(1);
        assertThat(poller.problem()).contains("too slow");
        pollFor(Duration.ofSeconds(179));
        assertThat(reads).isEqualTo(1);
        assertThat(poller.problem()).doesNotContain("too slow");
        pollFor(Duration.ofSeconds(2));
        assertThat(reads).isEqualTo(2);
    }

    /** The product may not be known yet when the plugin starts. */
    @Test
    void aMySqlServerIsNoFailedQuery() {
        mySql = true;
        poller.run();
        assertThat(poller.problem()).isEqualTo("the primary is a MySQL server, which has no GTID domains");
        assertThat(saidNoDomains).isEqualTo(1);
    }

    /** Polls ten times a second; before each poll the dictionary changes. */
    private void pollFor(Duration time) {
        long end = now + time.toNanos();
        int before = reads;
        while (now < end && reads == before) {
            now += Duration.ofMillis(100).toNanos();
            fixture.dictionary.changed();
            poller.run();
        }
    }

    private Poller poller() {
        Primary primary = Fakes.of(Primary.class, (proxy, method, arguments) -> dataSource());
        PluginContext context = Fakes.of(PluginContext.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "meters" -> fixture.registry;
            case "standbys" -> List.of();
            default -> throw new UnsupportedOperationException(method.getName());
        });
        DictionaryRefresh refresh = new DictionaryRefresh(fixture.dictionary, () -> now);
        StandbyProgress standbys = new StandbyProgress(context, fixture.indexes, table -> List.of(), () -> now);
        return new Poller(primary, () -> false, () -> {}, () -> saidNoDomains++, connection -> {
            refresh.read(connection);
            return standbys.probe(connection);
        });
    }

    private DataSource dataSource() {
        Statement statement = Fakes.of(
                Statement.class,
                (proxy, method, arguments) ->
                        method.getName().equals("executeQuery") ? query((String) arguments[0]) : null);
        Connection connection = Fakes.of(
                Connection.class,
                (proxy, method, arguments) -> method.getName().equals("createStatement") ? statement : null);
        return Fakes.of(DataSource.class, (proxy, method, arguments) -> connection);
    }

    private ResultSet query(String sql) throws SQLException {
        if (mySql && sql.contains("gtid_")) {
            throw new SQLException("Unknown system variable 'gtid_binlog_pos'", "HY000", 1193);
        }
        if (sql.contains("FROM information_schema.TABLES")) {
            reads++;
            now += reading.toNanos();
            if (refuses) {
                throw new SQLException("too slow");
            }
        }
        AtomicBoolean row = new AtomicBoolean(sql.contains("@@global"));
        String value = sql.contains("gtid_domain_id") ? "0" : "";
        return Fakes.of(ResultSet.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "next" -> row.getAndSet(false);
            case "getString" -> value;
            default -> null;
        });
    }
}
