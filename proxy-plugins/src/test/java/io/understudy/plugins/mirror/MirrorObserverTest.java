package io.understudy.plugins.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.SessionSettings;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MirrorObserverTest {
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final FakeStandby standby = new FakeStandby();
    private final ManualExecutor executor = new ManualExecutor();
    private final MirrorPlugin plugin = new MirrorPlugin();
    private final List<ByteBuf> copies = new ArrayList<>();
    private SessionObserver observer = SessionObserver.NONE;

    /** Answers methods by name; everything else is an error. */
    @SuppressWarnings("unchecked")
    private static <T> T fake(Class<T> type, Map<String, Object> answers) {
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            if (!answers.containsKey(method.getName())) {
                throw new UnsupportedOperationException(method.getName());
            }
            Object answer = answers.get(method.getName());
            return answer instanceof Answer computed ? computed.to(arguments) : answer;
        });
    }

    private interface Answer {
        Object to(Object[] arguments);
    }

    @BeforeEach
    void start() {
        PluginContext context = fake(
                PluginContext.class,
                Map.of(
                        "meters",
                        meters,
                        "standbys",
                        List.of(standby),
                        "executor",
                        executor,
                        "latency",
                        (io.understudy.plugin.LatencyRecorder) nanos -> {},
                        "publish",
                        (Answer) arguments -> null,
                        "publishAction",
                        (Answer) arguments -> null));
        MirrorConfig.Rule all = new MirrorConfig.Rule("all", null, null, null, null, null);
        plugin.start(context, new MirrorConfig(1, null, null, null, null, null, null, List.of(all)));
        Map<String, Object> settings = new HashMap<>(Map.of(
                "known", true, "loginCollation", 45, "sqlModes", 0, "temporaryTables", false, "lockedTables", false));
        settings.put("characterSet", null);
        settings.put("timeZone", null);
        settings.put("sqlMode", null);
        Map<String, Object> session =
                new HashMap<>(Map.of("id", 1L, "user", "app", "settings", fake(SessionSettings.class, settings)));
        session.put("schema", "shop");
        session.put("clientAddress", null);
        observer = plugin.openSession(fake(SessionContext.class, session));
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
                (Answer) arguments -> {
                    ByteBuf copy = Unpooled.copiedBuffer(text);
                    copies.add(copy);
                    return copy;
                },
                "attach",
                (Answer) arguments -> attached[0] = arguments[0],
                "attachment",
                (Answer) arguments -> attached[0]));
        view.put("prepared", null);
        return fake(CommandView.class, view);
    }

    private void answered(CommandView command) {
        observer.onResponse(command, fake(ResponseView.class, Map.of("ok", true, "lastByteNanos", 2L)));
    }

    private double skipped(String reason) {
        Counter counter =
                meters.find("understudy.mirror.skipped").tag("reason", reason).counter();
        return counter == null ? 0 : counter.count();
    }

    @Test
    void aSessionThatEndsBeforeTheAnswerGivesItsCopiesBack() {
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
    void whatIsSentBehindAnUnansweredSetIsLeftOut() {
        CommandView set = query("SET sql_mode = 'ANSI_QUOTES'");
        CommandView behind = query("SELECT \"a\" FROM t");
        observer.onCommand(set);
        observer.onCommand(behind);
        assertThat(skipped("settings_in_flight")).isEqualTo(1);
        assertThat(copies).isEmpty();
        answered(set);
        answered(behind);
        observer.onCommand(query("SELECT a FROM t"));
        assertThat(copies).hasSize(1);
        observer.onClose("over");
    }
}
