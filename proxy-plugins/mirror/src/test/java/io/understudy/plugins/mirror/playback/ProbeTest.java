package io.understudy.plugins.mirror.playback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.statement.Commands;
import io.understudy.plugins.mirror.statement.StatementSetting;
import io.understudy.plugins.mirror.tables.StandbyError;
import io.understudy.plugins.mirror.warmth.ProbeResult;
import io.understudy.protocol.CommandCode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Probes on one connection to a standby. */
@SuppressWarnings("NullAway") // absent keys are null
class ProbeTest {
    private static final String OVERDUE = "overdue";
    private static final String SQL = "SELECT a FROM t";
    private static final String PROBE = "ANALYZE FORMAT=JSON " + SQL;
    private static final StatementSetting SETTING = new StatementSetting(null, 45, null, null, null, null);

    private final FakeStandby standby = new FakeStandby();
    private final FakeStandby.Connection connection =
            (FakeStandby.Connection) ((CompletableFuture<?>) standby.connect()).join();
    private final List<ProbeResult> results = new ArrayList<>();
    private final List<String> outcomes = new ArrayList<>();
    private ServerFlavor flavor = ServerFlavor.MARIADB;
    private ByteBuf packet = Unpooled.EMPTY_BUFFER;
    private final Playback playback = new Playback(
            connection,
            Map.of(45, "NAMES utf8mb4"),
            (statement, standbys) -> new Probe(statement, flavor, 1, (probed, share, result) -> results.add(result)),
            new Playback.Listener() {
                @Override
                public void step(Runnable step) {
                    step.run();
                }

                @Override
                public void executed(
                        MirroredStatement statement, String outcome, @Nullable StandbyError error, long nanos) {
                    outcomes.add(outcome);
                }

                @Override
                public void notReproducible(MirroredStatement statement, @Nullable StandbyError error) {
                    outcomes.add("not reproducible");
                }

                @Override
                public boolean failed(MirroredStatement statement, String reason) {
                    outcomes.add("failed");
                    return reason.equals(OVERDUE);
                }

                @Override
                public long timeoutNanos() {
                    return Long.MAX_VALUE;
                }
            });

    /** Plays a statement whose settings are in force, and forgets what made them so. */
    private void play() {
        packet = Commands.text(UnpooledByteBufAllocator.DEFAULT, CommandCode.QUERY, SQL);
        MirrorRules.Bound rule =
                new MirrorRules.Bound(new MirrorConfig.Rule("all", null, null, null, null, null), List.of());
        MirroredStatement statement = new MirroredStatement(
                packet, null, null, null, SETTING, List.of(), rule, 1, null, null, false, 1, 1000, System.nanoTime());
        standby.responding = false;
        boolean first = connection.texts.isEmpty();
        playback.play(statement);
        if (first) {
            connection.respondOne(); // SET of the first statement's settings
        }
    }

    private List<String> sent() {
        return connection.texts.stream()
                .filter(text -> !text.startsWith("SET "))
                .toList();
    }

    private void row(String... values) {
        for (String value : values) {
            byte[] text = value.getBytes(StandardCharsets.UTF_8);
            ByteBuf row = Unpooled.buffer().writeByte(text.length).writeBytes(text);
            connection.pending.element().onRow(row, 0, row.readableBytes(), row.readableBytes());
            connection.respondOne();
        }
    }

    @Test
    void theProbeIsSentInPlaceOfTheStatement() {
        play();
        row("{\"query_block\": {\"table\": {\"table_name\": \"t\", \"r_engine_stats\": {\"pages_read_count\": 3}}}}");
        assertThat(sent()).containsExactly(PROBE);
        assertThat(outcomes).containsExactly("ok");
        assertThat(results).extracting(ProbeResult::pages).containsExactly(3L);
    }

    @Test
    void aRefusedProbeIsFollowedByTheStatementBeforeAnythingElse() {
        play();
        assertThat(playback.awaitsStep()).isTrue();
        standby.errorCode = 1345;
        connection.respondOne();
        standby.errorCode = 0;
        assertThat(sent()).containsExactly(PROBE, SQL);
        assertThat(outcomes).isEmpty();
        connection.respondOne();
        assertThat(outcomes).containsExactly("ok");
        assertThat(results).extracting(ProbeResult::outcome).containsExactly(ProbeResult.Outcome.REFUSED);
        assertThat(playback.awaitsStep()).isFalse();
    }

    @Test
    void aPacketThatTheCounterKeepsFromBeingSentIsReleased() {
        play();
        flavor = ServerFlavor.MYSQL;
        standby.commandFault = new IllegalStateException("no memory");
        assertThatThrownBy(this::play).hasMessage("no memory");
        assertThat(packet.refCnt())
                .as("references, of which one is the statement's")
                .isEqualTo(1);
    }

    @Test
    void aProbeThatTookTooLongIsNotRepeated() {
        play();
        standby.errorCode = 1969;
        connection.respondOne();
        assertThat(sent()).containsExactly(PROBE);
        assertThat(outcomes).containsExactly("timeout");
        assertThat(results).extracting(ProbeResult::outcome).containsExactly(ProbeResult.Outcome.TIMEOUT);
    }

    @Test
    void aProbeThatTookTooLongOnMySqlWasNotRefused() {
        flavor = ServerFlavor.MYSQL;
        play();
        row("40");
        standby.errorCode = 3024;
        connection.respondOne();
        standby.errorCode = 0;
        row("900");
        assertThat(outcomes).containsExactly("timeout");
        assertThat(results).extracting(ProbeResult::outcome).containsExactly(ProbeResult.Outcome.TIMEOUT);
    }

    /** By the proxy, when the statement overrides the standby's limit: its pages are not known either. */
    @Test
    void aProbeThatIsKilledWasNotRefused() {
        play();
        standby.errorCode = 1317;
        connection.respondOne();
        standby.errorCode = 0;
        assertThat(results).extracting(ProbeResult::outcome).containsExactly(ProbeResult.Outcome.TIMEOUT);
        flavor = ServerFlavor.MYSQL;
        play();
        row("40");
        standby.errorCode = 1317;
        connection.respondOne();
        standby.errorCode = 0;
        row("900");
        assertThat(results)
                .extracting(ProbeResult::outcome)
                .containsOnly(ProbeResult.Outcome.TIMEOUT)
                .hasSize(2);
    }

    @Test
    void aProbeWhoseConnectionIsKilledWasNotCounted() {
        play();
        connection.pending.remove().onFailure(OVERDUE);
        assertThat(results).extracting(ProbeResult::outcome).containsExactly(ProbeResult.Outcome.TIMEOUT);
        results.clear();
        flavor = ServerFlavor.MYSQL;
        play();
        row("40");
        connection.pending.remove().onFailure(OVERDUE);
        connection.pending.remove().onFailure("closed");
        assertThat(results).extracting(ProbeResult::outcome).containsExactly(ProbeResult.Outcome.TIMEOUT);
        results.clear();
        play();
        connection.pending.remove().onFailure("the standby is away");
        assertThat(results).isEmpty();
    }

    @Test
    void anEmptyResponseIsNotACountOfZero() {
        play();
        connection.respondOne();
        assertThat(results).extracting(ProbeResult::outcome).containsExactly(ProbeResult.Outcome.UNREADABLE);
    }

    @Test
    void mySqlCountsBetweenTwoReadingsOfItsCounter() {
        flavor = ServerFlavor.MYSQL;
        play();
        assertThat(sent()).hasSize(3).element(1).isEqualTo(SQL);
        row("40");
        connection.respondOne();
        row("47");
        assertThat(results).containsExactly(ProbeResult.counted(7));
        assertThat(outcomes).containsExactly("ok");
    }

    @Test
    void mySqlWithoutThePrivilegeHasNoCounters() {
        flavor = ServerFlavor.MYSQL;
        play();
        connection.respondOne();
        connection.respondOne();
        connection.respondOne();
        assertThat(results).extracting(ProbeResult::outcome).containsExactly(ProbeResult.Outcome.NO_COUNTERS);
        assertThat(outcomes).containsExactly("ok");
    }
}
