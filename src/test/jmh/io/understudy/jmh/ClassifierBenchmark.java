package io.understudy.jmh;

import io.understudy.sql.FirstKeyword;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** Measures the analysis of a statement of about 100 bytes: mean of four. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ClassifierBenchmark {
    private static final int STATEMENTS = 4;

    private final byte[][] texts = Stream.of(
                    "SELECT o.id, o.total, c.name FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.id"
                            + " = 4711",
                    "INSERT INTO orders (customer_id, total, created, state) VALUES (4711, 12.50, '2026-01-01"
                            + " 10:00', 'new')",
                    "UPDATE customers SET last_seen = NOW(), visits = visits + 1 WHERE id IN (1, 2, 3, 4, 5) AND"
                            + " state = 'x'",
                    "SELECT `id`, `name`, COUNT(*) FROM `shop`.`items` WHERE `price` BETWEEN 10 AND 20 GROUP BY"
                            + " `name` LIMIT 9")
            .map(sql -> sql.getBytes(StandardCharsets.US_ASCII))
            .toArray(byte[][]::new);
    private final SqlAnalyzer analyzer = new SqlAnalyzer();

    @Benchmark
    @OperationsPerInvocation(STATEMENTS)
    public void firstKeyword(Blackhole sink) {
        for (byte[] text : texts) {
            StatementKind kind = FirstKeyword.of(text, 0, text.length);
            sink.consume(kind);
        }
    }

    @Benchmark
    @OperationsPerInvocation(STATEMENTS)
    public void digest(Blackhole sink) {
        for (byte[] text : texts) {
            sink.consume(analyzer.digest(text, 0, text.length, 0));
        }
    }

    @Benchmark
    @OperationsPerInvocation(STATEMENTS)
    public void cachedSummary(Blackhole sink) {
        for (byte[] text : texts) {
            StatementSummary summary = analyzer.summarize(text, 0, text.length, 0);
            sink.consume(summary);
        }
    }
}
