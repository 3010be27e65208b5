package io.understudy.plugins.blackbox.log;

import io.understudy.base.Secret;
import java.io.PrintStream;
import java.nio.file.Path;

/** A process that prints the number of each transaction that is on disk, until it is killed. */
final class KilledWriter extends LogHarness {
    private KilledWriter() {}

    public static void main(String[] arguments) throws Exception {
        boolean synced = Boolean.parseBoolean(arguments[1]);
        Secret key = arguments[3].isEmpty() ? null : Secret.parse(arguments[3]);
        PrintStream out = new PrintStream(System.out, true);
        try (TransactionLog log = TransactionLog.open(Path.of(arguments[0]), SIZE, synced, key, new Lines())) {
            for (long number = Long.parseLong(arguments[2]); ; number++) {
                if (log.needsStart()) {
                    log.start(at("0-1-" + (number - 1)), false);
                }
                append(log, number, "x".repeat((int) (number % 5_000)) + number);
                if (number % 3 != 0) {
                    log.flush();
                    out.println(number);
                }
            }
        }
    }
}
