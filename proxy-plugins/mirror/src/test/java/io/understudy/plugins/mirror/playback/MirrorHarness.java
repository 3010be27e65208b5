package io.understudy.plugins.mirror.playback;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.understudy.base.ByteSize;
import io.understudy.plugin.PluginContext;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.statement.Commands;
import io.understudy.plugins.mirror.statement.StandbyCollations;
import io.understudy.plugins.mirror.statement.StatementSetting;
import io.understudy.plugins.mirror.tables.StandbyError;
import io.understudy.plugins.mirror.tables.TableDictionary;
import io.understudy.plugins.mirror.warmth.Floor;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.SqlModes;
import io.understudy.sql.TableName;
import io.understudy.testkit.Fakes;
import io.understudy.testkit.ManualExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** A mirror to a standby that a test scripts; no packet may be left when the test ends. */
@SuppressWarnings("NullAway") // absent keys are null
abstract class MirrorHarness {
    static int collationQueries;

    static final StandbyCollations COLLATIONS = new StandbyCollations(Runnable::run, () -> {
        collationQueries++;
        return Map.of(45, "NAMES utf8mb4 COLLATE utf8mb4_general_ci");
    });

    static final StatementSetting SETTING = new StatementSetting(null, 45, null, null, null, null);

    static final int BATCH = BatchSize.MIN;

    final MeterRegistry meters = new SimpleMeterRegistry();
    final FakeStandby standby = new FakeStandby();
    final ManualExecutor executor = new ManualExecutor();
    final List<ByteBuf> packets = new ArrayList<>();
    final List<Runnable> dictionaryQueries = new ArrayList<>();
    final List<Runnable> counterQueries = new ArrayList<>();

    /** Added to the age of connections. */
    Duration later = Duration.ZERO;

    Runnable beforeResponse = () -> {};

    /** The error of every read while the dictionary shows no table. */
    @Nullable
    StandbyError hidden;

    /** A dictionary in which every name is a table. */
    final class KnownTables implements TableDictionary {
        @Override
        public @Nullable Found find(TableName table) {
            beforeResponse.run();
            return hidden == null ? Found.table("InnoDB") : null;
        }

        @Override
        public @Nullable StandbyError errorOfReading(TableName table) {
            return hidden;
        }

        @Override
        public int modes() {
            return SqlModes.MARIADB;
        }

        @Override
        public void close() {}
    }

    @AfterEach
    void nothingLeaks() {
        assertThat(packets).allSatisfy(packet -> assertThat(packet.refCnt()).isZero());
        standby.memory.assertAllReturned();
    }

    StandbyMirror mirror(MirrorConfig config) {
        PluginContext context = Fakes.of(PluginContext.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "executor" -> executor;
            case "latency" -> (io.understudy.plugin.LatencyRecorder) nanos -> {};
            case "meters" -> meters;
            case "clock" -> java.time.Clock.systemUTC();
            default -> throw new UnsupportedOperationException(method.getName());
        });
        return new StandbyMirror(
                standby,
                context,
                new MirrorMeters(meters),
                config,
                new DigestTimes(),
                COLLATIONS,
                new RecentDdl(),
                new Floor(),
                KnownTables::new,
                dictionaryQueries::add,
                counterQueries::add,
                () -> System.nanoTime() + later.toNanos());
    }

    static MirrorConfig config(int concurrency, int statements, String bytes, Duration age) {
        return MirrorConfigs.of(
                concurrency,
                new MirrorConfig.Queue(statements, ByteSize.parse(bytes), age),
                null,
                null,
                null,
                null,
                null,
                null);
    }

    static MirrorConfig ordered(int concurrency, MirrorConfig.Order order) {
        return MirrorConfigs.of(concurrency, null, null, null, order, null, null, null);
    }

    void offer(StandbyMirror mirror, String sql, long session) {
        offer(mirror, sql, session, SETTING);
    }

    void offer(StandbyMirror mirror, String sql, long session, StatementSetting setting) {
        offer(mirror, sql, session, setting, List.of());
    }

    boolean offer(StandbyMirror mirror, String sql, long session, StatementSetting setting, List<TableName> tables) {
        ByteBuf packet = Commands.text(UnpooledByteBufAllocator.DEFAULT, CommandCode.QUERY, sql);
        packets.add(packet);
        boolean fit = mirror.offer(new MirroredStatement(
                packet,
                null,
                null,
                null,
                setting,
                tables,
                new MirrorRules.Bound(new MirrorConfig.Rule("all", null, null, null, null, null), List.of(mirror)),
                session,
                null,
                null,
                false,
                1,
                1000,
                System.nanoTime()));
        packet.release();
        return fit;
    }

    void run(StandbyMirror mirror) {
        // The second round is for statements that waited while a connection was found lost.
        for (int i = 0; i < 2; i++) {
            mirror.queue().drain();
            executor.runAll();
        }
    }

    double dropped(String reason) {
        return meters.get("understudy.mirror.dropped")
                .tag("reason", reason)
                .counter()
                .count();
    }

    double executed(String outcome) {
        var counter = meters.find("understudy.mirror.statements")
                .tag("outcome", outcome)
                .counter();
        return counter == null ? 0 : counter.count();
    }
}
