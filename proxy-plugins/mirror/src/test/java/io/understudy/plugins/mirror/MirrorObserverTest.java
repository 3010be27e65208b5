package io.understudy.plugins.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.DigestNotes;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.SessionSettings;
import io.understudy.plugins.mirror.playback.FakeStandby;
import io.understudy.plugins.mirror.playback.MirrorConfigs;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.rules.KindTerm;
import io.understudy.rules.Match;
import io.understudy.rules.TableGlob;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import io.understudy.testkit.Fakes;
import io.understudy.testkit.ManualExecutor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@SuppressWarnings("NullAway") // absent keys are null
class MirrorObserverTest {
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final FakeStandby standby = new FakeStandby();
    private final ManualExecutor executor = new ManualExecutor();
    private final MirrorPlugin plugin = new MirrorPlugin();
    private final List<ByteBuf> copies = new ArrayList<>();
    private SessionObserver observer = SessionObserver.NONE;

    @BeforeEach
    void start() throws Exception {
        PluginContext context = Fakes.of(
                PluginContext.class,
                Map.of(
                        "meters",
                        meters,
                        "standbys",
                        List.of(standby),
                        "clock",
                        java.time.Clock.systemUTC(),
                        "executor",
                        executor,
                        "latency",
                        (io.understudy.plugin.LatencyRecorder) nanos -> {},
                        "primary",
                        Fakes.of(io.understudy.plugin.Primary.class, Map.of("dataSource", (Fakes.Result)
                                arguments -> null)),
                        "publish",
                        (Fakes.Result) arguments -> null,
                        "shared",
                        new DigestNotes(),
                        "publishOfStandby",
                        (Fakes.Result) arguments -> null,
                        "publishAction",
                        (Fakes.Result) arguments -> null));
        plugin.start(context, config(null));
        Map<String, Object> settings = new HashMap<>(Map.of(
                "known", true, "loginCollation", 45, "sqlModes", 0, "temporaryTables", false, "lockedTables", false));
        settings.put("characterSet", null);
        settings.put("timeZone", null);
        settings.put("sqlMode", null);
        settings.put("reading", null);
        Map<String, Object> session =
                new HashMap<>(Map.of("id", 1L, "user", "app", "settings", Fakes.of(SessionSettings.class, settings)));
        session.put("schema", "shop");
        session.put("clientAddress", null);
        observer = plugin.openSession(Fakes.of(SessionContext.class, session));
    }

    private static MirrorConfig config(@Nullable Integer maxPerSecond) {
        MirrorConfig.Rule all = new MirrorConfig.Rule("all", null, null, null, maxPerSecond, null);
        return MirrorConfigs.of(1, null, null, null, null, null, null, List.of(all));
    }

    @AfterEach
    void stop() {
        plugin.stop();
        assertThat(copies).allSatisfy(copy -> assertThat(copy.refCnt()).isZero());
    }

    private CommandView query(String sql) {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        StatementSummary summary = new SqlAnalyzer().summarize(text, 0, text.length, SqlModes.NONE);
        StatementKind kind = summary.kind();
        Object[] attached = new Object[1];
        Map<String, Object> view = new HashMap<>(Map.of(
                "code",
                3,
                "isStatement",
                true,
                "complete",
                true,
                "wroteInTransactionBefore",
                false,
                "receivedNanos",
                1L,
                "summary",
                summary,
                "kind",
                kind,
                "copyPacket",
                (Fakes.Result) arguments -> {
                    ByteBuf copy = Unpooled.copiedBuffer(text);
                    copies.add(copy);
                    return copy;
                },
                "attach",
                (Fakes.Result) arguments -> attached[0] = arguments[0],
                "attachment",
                (Fakes.Result) arguments -> attached[0]));
        view.put("prepared", null);
        return Fakes.of(CommandView.class, view);
    }

    private void respondedTo(CommandView command) {
        observer.onResponse(command, Fakes.of(ResponseView.class, Map.of("ok", true, "lastByteNanos", 2L)));
    }

    private double skipped(String reason) {
        Counter counter =
                meters.find("understudy.mirror.skipped").tag("reason", reason).counter();
        return counter == null ? 0 : counter.count();
    }

    @Test
    void aSessionThatEndsBeforeTheResponseReleasesItsCopies() {
        CommandView first = query("SELECT 1");
        CommandView second = query("SELECT 2");
        observer.onCommand(first);
        observer.onCommand(second);
        assertThat(copies)
                .hasSize(2)
                .allSatisfy(copy -> assertThat(copy.refCnt()).isEqualTo(1));
        observer.onClose("the client went away");
        assertThat(copies).allSatisfy(copy -> assertThat(copy.refCnt()).isZero());
    }

    @Test
    void aStatementSentBeforeTheResponseToSetIsNotMirrored() {
        CommandView set = query("SET sql_mode = 'ANSI_QUOTES'");
        CommandView behind = query("SELECT \"a\" FROM t");
        observer.onCommand(set);
        observer.onCommand(behind);
        assertThat(skipped("settings_in_flight")).isEqualTo(1);
        assertThat(copies).isEmpty();
        respondedTo(set);
        respondedTo(behind);
        observer.onCommand(query("SELECT a FROM t"));
        assertThat(copies).hasSize(1);
        observer.onClose("over");
    }

    /** A reload applies to running sessions. The bounds allow for permits that become free while the test runs. */
    @Test
    void aStatementAboveMaxPerSecondIsCountedAndNotCopied() {
        plugin.reload(config(2));
        long began = System.nanoTime();
        for (int i = 0; i < 500; i++) {
            observer.onCommand(query("SELECT " + i));
        }
        long seconds = (System.nanoTime() - began) / 1_000_000_000L + 2;
        assertThat(copies).hasSizeBetween(1, (int) (2 * seconds));
        assertThat(meters.get("understudy.mirror.dropped")
                        .tag("reason", "rate_limited")
                        .counter()
                        .count())
                .isEqualTo(500.0 - copies.size());
        observer.onClose("over");
    }

    /** Connector/J sends this form for every query with a timeout or a row limit. */
    @Test
    void setStatementForAReadIsMirroredAndForAWriteIsCounted() {
        observer.onCommand(query("SET STATEMENT max_statement_time=5, sql_select_limit=1 FOR SELECT a FROM t"));
        assertThat(copies).hasSize(1);
        observer.onCommand(query("SET STATEMENT max_statement_time=5 FOR DELETE FROM t"));
        assertThat(skipped("writes")).isEqualTo(1);
        observer.onCommand(query("SELECT a FROM t"));
        assertThat(copies).as("neither changes the session").hasSize(2);
        observer.onClose("over");
    }

    @Test
    void serverStateIsMirroredOnlyByARuleThatNamesIt() {
        List<String> texts = List.of(
                "SHOW TABLES",
                "DESCRIBE t",
                "SELECT * FROM information_schema.tables",
                "SELECT 1 FROM a JOIN Performance_Schema.threads",
                "SELECT user FROM mysql.user",
                "SELECT * FROM sys.version");
        texts.forEach(text -> observer.onCommand(query(text)));
        assertThat(copies).isEmpty();
        assertThat(skipped("show")).isEqualTo(2);
        assertThat(skipped("system_schema")).isEqualTo(4);

        Match named = new Match(null, null, null, List.of(TableGlob.parse("information_schema.*")), null, null, null);
        Match shows = new Match(null, null, null, null, List.of(KindTerm.parse("show")), null, null);
        Match globs = new Match(null, null, null, List.of(TableGlob.parse("*.user")), null, null, null);
        plugin.reload(MirrorConfigs.of(
                1,
                null,
                null,
                null,
                null,
                null,
                null,
                List.of(
                        new MirrorConfig.Rule("named", named, null, null, null, null),
                        new MirrorConfig.Rule("shows", shows, null, null, null, null),
                        new MirrorConfig.Rule("globs", globs, null, null, null, null))));
        texts.forEach(text -> observer.onCommand(query(text)));
        assertThat(copies).as("the table that is named, SHOW and DESCRIBE").hasSize(3);
        assertThat(skipped("system_schema")).isEqualTo(5);
        observer.onClose("over");
    }
}
