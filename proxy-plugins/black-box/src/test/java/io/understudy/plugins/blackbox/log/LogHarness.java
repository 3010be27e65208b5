package io.understudy.plugins.blackbox.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.base.Secret;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.TransactionKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/** A directory for a log, and what is written there and read back. */
abstract class LogHarness {
    static final long SIZE = 64 << 20;
    static final Secret KEY = Secret.parse("a key of fair length");
    static final byte[] FORMAT = "format".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path directory;

    @Nullable
    Secret key;

    boolean synced = true;

    /** What a log holds, as lines: {@code start 0-1-10}, {@code 0-1-11 events}, {@code missed 0-1-12}. */
    static class Lines implements LogVisitor {
        final List<String> all = new ArrayList<>();
        final List<LogPlace> places = new ArrayList<>();
        final List<LogDamage> damage = new ArrayList<>();

        @Override
        public void start(LogStart start) {
            all.add("start " + start.facts().position());
        }

        @Override
        public void transaction(LoggedTransaction transaction, LogPlace place) {
            assertThat(transaction.format()).isEqualTo(FORMAT);
            String number = transaction.gtid().substring(4);
            assertThat(transaction.token()).isEqualTo(Long.parseLong(number) % 2 == 0 ? "order-" + number : null);
            places.add(place);
            try {
                byte[] events = place.read();
                assertThat(events).hasSize(transaction.length());
                all.add(transaction.gtid() + " " + new String(events, StandardCharsets.ISO_8859_1));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void missed(String gtid, boolean applied) {
            all.add("missed " + gtid);
        }

        @Override
        public void damage(LogDamage found) {
            damage.add(found);
        }
    }

    static LogStart at(String position) {
        return new LogStart(
                1,
                false,
                new PrimaryFacts(ServerFlavor.MARIADB, 1, "", true, "ROW", true, position, position),
                "",
                Map.of("host:3306:2", 1L, "a host:3306:3", 2L),
                Map.of("a host:3306:3", new LogStart.Seen("[0-1-8 bin.1:7]", "0-1-7,0-3-1")),
                Set.of("what s1 lacked", "what s2 lacked"));
    }

    TransactionLog open(LogVisitor visitor) throws LogException {
        return TransactionLog.open(directory, SIZE, synced, key, visitor);
    }

    /** Opens it as after a restart, and closes it. */
    Lines reopened() throws IOException {
        Lines lines = new Lines();
        open(lines).close();
        return lines;
    }

    static LogPlace append(TransactionLog log, long number, String events) throws LogException {
        byte[] bytes = events.getBytes(StandardCharsets.ISO_8859_1);
        return log.append(
                new LoggedTransaction(
                        "0-1-" + number,
                        TransactionKind.WRITE,
                        1,
                        FORMAT,
                        bytes.length,
                        number % 2 == 0 ? "order-" + number : null),
                List.of(bytes));
    }

    List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(each -> each.toString().endsWith(".log")).sorted().toList();
        }
    }
}
