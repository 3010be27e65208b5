package io.understudy.sql;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.function.IntConsumer;

/** Prints CPU nanoseconds and allocated bytes per call for four statements of about 100 bytes. Not a test. */
final class SqlTimings {

    private static final byte[][] TEXTS = java.util.stream.Stream.of(
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
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static long sink;

    private SqlTimings() {}

    public static void main(String[] args) {
        SqlAnalyzer analyzer = new SqlAnalyzer();
        Lexer lexer = new Lexer();
        Summarizer summarizer = new Summarizer(lexer);
        PrintStream out = System.out;
        measure(
                out,
                "first keyword",
                i -> sink += FirstKeyword.of(TEXTS[i], 0, TEXTS[i].length).ordinal());
        measure(out, "lexer only", i -> {
            lexer.reset(TEXTS[i], 0, TEXTS[i].length, 0);
            while (lexer.next() != Lexer.END) {
                sink += lexer.folded;
            }
        });
        measure(out, "digest", i -> sink += analyzer.digest(TEXTS[i], 0, TEXTS[i].length, 0));
        measure(
                out,
                "summary, cached",
                i -> sink += analyzer.summarize(TEXTS[i], 0, TEXTS[i].length, 0).digest());
        measure(
                out,
                "summary, uncached",
                i -> sink +=
                        summarizer.run(TEXTS[i], 0, TEXTS[i].length, 0, 1, null).digest());
        measure(
                out,
                "normalise",
                i -> sink += analyzer.normalize(TEXTS[i], 0, TEXTS[i].length, 0).length());
    }

    private static void measure(PrintStream out, String what, IntConsumer call) {
        double best = Double.MAX_VALUE;
        double bytes = 0;
        int rounds = 200_000;
        for (int run = 0; run < 12; run++) {
            long allocated = THREADS.getCurrentThreadAllocatedBytes();
            long start = THREADS.getCurrentThreadCpuTime();
            for (int n = 0; n < rounds; n++) {
                call.accept(n & 3);
            }
            best = Math.min(best, (THREADS.getCurrentThreadCpuTime() - start) / (double) rounds);
            bytes = (THREADS.getCurrentThreadAllocatedBytes() - allocated) / (double) rounds;
        }
        out.printf("%-21s %7.1f ns  %7.1f B%n", what, best, bytes);
    }
}
