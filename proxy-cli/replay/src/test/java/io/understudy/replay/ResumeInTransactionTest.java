package io.understudy.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.replay.Checkpoint.EventHash;
import io.understudy.replay.log.LogEvent;
import io.understudy.replay.log.StatementLog;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
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

    private static StatementLog log(List<String> statements) {
        StringBuilder log = new StringBuilder();
        statements.forEach(sql -> log.append("# Time: 260115  9:05:01\n# User@Host: app[app] @ host []\n")
                .append("# Thread_id: 7  Schema:   QC_hit: No\n# Query_time: 0.001000  Lock_time: 0.000000\n")
                .append("SET timestamp=1768467901;\n")
                .append(sql)
                .append(";\n"));
        return StatementLog.open(
                new ByteArrayInputStream(log.toString().getBytes(StandardCharsets.UTF_8)), ZoneOffset.UTC);
    }

    @ParameterizedTest
    @ValueSource(strings = {"INSERT INTO t VALUES (2)", "SAVEPOINT a", "SET @a = 1", "SHOW WARNINGS"})
    void theTransactionIsPlayedFromItsBegin(String inFlight) throws Exception {
        assertThat(resumed(inFlight)).containsEntry(7L, 1L);
    }

    private Map<Long, Long> resumed(String inFlight) throws Exception {
        List<String> statements = List.of("BEGIN", "INSERT INTO t VALUES (1)", inFlight, "COMMIT");
        EventHash hash = new EventHash();
        StatementLog read = log(statements);
        for (LogEvent event = read.next(); event != null; event = read.next()) {
            hash.add(event);
        }
        Map<Long, Checkpoint.Session> sessions = new TreeMap<>();
        sessions.put(7L, new Checkpoint.Session(3, 1, 3));
        Path file = folder.resolve("replay.ckpt");
        Files.writeString(
                file, new Checkpoint(Checkpoint.Subject.of("/log", OPTIONS), 4, hash.value(), sessions).json());
        try (CheckpointLock lock = CheckpointLock.take(file)) {
            return Resume.read(lock, "/log", log(statements), OPTIONS).sessions();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"COMMIT", "CREATE TABLE u (a INT)", "SET autocommit = 1", "BEGIN", "CALL p()"})
    void whatMayHaveCommittedIsNotPlayedAgain(String inFlight) throws Exception {
        assertThat(resumed(inFlight)).containsEntry(7L, 4L);
    }
}
