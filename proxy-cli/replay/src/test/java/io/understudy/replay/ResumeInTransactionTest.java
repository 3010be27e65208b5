package io.understudy.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.replay.log.LogEvent;
import io.understudy.replay.log.StatementLog;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A kill while a statement of an open transaction was in flight: the target has rolled the transaction back. */
class ResumeInTransactionTest {
    private static final ReplayOptions OPTIONS = new ReplayOptions(
            Address.parse("standby:3306"),
            "player",
            Secret.parse(""),
            new ServerTlsConfig(ServerTlsMode.DISABLED, null, null, null),
            1,
            new LogFilter(false, Long.MIN_VALUE, Long.MAX_VALUE, null, null),
            8);

    @TempDir
    private Path folder;

    private static LogEvent event(String sql) {
        return new LogEvent(
                LogEvent.Kind.STATEMENT,
                7,
                "app",
                null,
                sql.getBytes(StandardCharsets.UTF_8),
                0,
                0,
                1,
                null,
                null,
                null,
                null);
    }

    private static StatementLog log(List<LogEvent> events) {
        Iterator<LogEvent> left = events.iterator();
        return (StatementLog) Proxy.newProxyInstance(
                StatementLog.class.getClassLoader(),
                new Class<?>[] {StatementLog.class},
                (proxy, method, args) -> method.getName().equals("next") && left.hasNext() ? left.next() : null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"INSERT INTO t VALUES (2)", "SAVEPOINT a", "SET @a = 1", "SHOW WARNINGS"})
    void theTransactionIsPlayedFromItsBegin(String inFlight) throws Exception {
        assertThat(resumed(inFlight)).containsEntry(7L, 1L);
    }

    private Map<Long, Long> resumed(String inFlight) throws Exception {
        List<LogEvent> events =
                List.of(event("BEGIN"), event("INSERT INTO t VALUES (1)"), event(inFlight), event("COMMIT"));
        EventHash hash = new EventHash();
        events.forEach(hash::add);
        Map<Long, Checkpoint.Session> sessions = new TreeMap<>();
        sessions.put(7L, new Checkpoint.Session(3, 1, 3));
        Path file = folder.resolve("replay.ckpt");
        Files.writeString(
                file, new Checkpoint(Checkpoint.Subject.of("/log", OPTIONS), 4, hash.value(), sessions).json());
        try (CheckpointLock lock = CheckpointLock.take(file)) {
            return Resume.read(lock, "/log", log(events), OPTIONS).sessions();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"COMMIT", "CREATE TABLE u (a INT)", "SET autocommit = 1", "BEGIN", "CALL p()"})
    void whatMayHaveCommittedIsNotPlayedAgain(String inFlight) throws Exception {
        assertThat(resumed(inFlight)).containsEntry(7L, 4L);
    }
}
