package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.it.FailoverPair.Said;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code failover} on a real pair whose primary dies while the standby lacks transactions. */
@Timeout(180)
class FailoverServerTest {
    static final Pattern NOT_CAPTURED = Pattern.compile("(\\d+) transactions that clients were told");

    @TempDir
    private Path folder;

    /** {@code -Dunderstudy.it.kills=20} for the figures. */
    static IntStream rounds() {
        return IntStream.rangeClosed(1, Integer.getInteger("understudy.it.kills", 1));
    }

    @ParameterizedTest
    @MethodSource("rounds")
    void whatWasAnsweredAndCapturedIsThere(int round) throws Exception {
        try (FailoverPair servers = FailoverPair.start(folder, ", BINLOG REPLAY, PROCESS, CONNECTION ADMIN")) {
            Writers writers = Writers.start(8, servers::connect);
            writers.awaitRows(500);
            servers.cutOff();
            writers.awaitMore(200); // which the standby lacks
            servers.pair.primary().kill();
            Set<String> answered = writers.join();

            CompletableFuture<String> waiting = servers.waitForPosition(600);
            Said said = servers.run("failover", "--to", "s1");
            assertThat(waiting).failsWithin(FailoverPair.PATIENCE); // the position could not be set meanwhile
            System.out.println(said.text());
            Matcher matcher = NOT_CAPTURED.matcher(said.text());
            int notCaptured = matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
            assertThat(said.status()).as(said.text()).isEqualTo(notCaptured == 0 ? 0 : 4);
            Set<String> missing = new HashSet<>(answered);
            missing.removeAll(FailoverPair.rows(servers.standby()));
            assertThat(missing).hasSize(notCaptured);
            assertThat(servers.standby().query("SELECT @@GLOBAL.read_only")).isEqualTo("0");
            assertThat(servers.standby().replication()).isEmpty();
            try (Connection app = servers.connect();
                    Statement statement = app.createStatement()) {
                statement.execute("INSERT INTO t VALUES (100, 1, 'after')");
            }
            assertThat(servers.standby().query("SELECT filler FROM shop.t WHERE w = 100"))
                    .isEqualTo("after");

            Said again = servers.run("failover", "--to", "s1");
            System.out.println(again.text());
            assertThat(again.status()).as(again.text()).isEqualTo(notCaptured == 0 ? 0 : 4);
            assertThat(again.text()).contains("was promoted before");
        }
    }
}
