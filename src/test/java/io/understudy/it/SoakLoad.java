package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The clients of a soak: writers of every kind of session, strangers, and one that reads slowly. */
final class SoakLoad {
    /** What a session is to the driver; each kind has two writers. */
    private static final List<String> KINDS = List.of(
            "?sslMode=disable",
            "?sslMode=disable&useServerPrepStmts=true",
            "?sslMode=trust",
            "?sslMode=disable&useCompression=true&useServerPrepStmts=true",
            "?sslMode=trust&useCompression=true");

    /** So many that each kind of stranger comes more often than descriptors may vary: most wait for a timeout. */
    private static final int INTRUDERS = 4;

    private static final Duration END = Duration.ofSeconds(60);

    private final List<SoakLedger> ledgers = new ArrayList<>();
    private final List<SoakWriter> writers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final SoakIntruder intruder;

    /** @param pause of a writer between its commands */
    SoakLoad(InetSocketAddress proxy, Duration pause) {
        for (int i = 0; i < 2 * KINDS.size(); i++) {
            SoakLedger ledger = new SoakLedger(i);
            ledgers.add(ledger);
            writers.add(new SoakWriter(
                    ledger,
                    "jdbc:mariadb://127.0.0.1:" + proxy.getPort() + "/shop",
                    KINDS.get(i % KINDS.size()) + "&user=" + (i == 0 ? "other" : "app") + "&password="
                            + MirrorProxy.PASSWORD,
                    pause));
        }
        intruder = new SoakIntruder(proxy);
    }

    /** Starts all clients, again if they have stopped. */
    void start() {
        writers.forEach(SoakWriter::start);
        intruder.start();
        writers.forEach(writer -> begin(writer, "soak-writer"));
        for (int i = 0; i < INTRUDERS; i++) {
            begin(intruder, "soak-intruder");
        }
        begin(intruder::readSlowly, "soak-slow-reader");
    }

    private void begin(Runnable client, String name) {
        Thread thread = new Thread(client, name);
        threads.add(thread);
        thread.start();
    }

    /** Stops all clients and waits for their end. */
    void stop() throws InterruptedException {
        writers.forEach(SoakWriter::stop);
        intruder.stop();
        for (Thread thread : threads) {
            thread.join(END.toMillis());
        }
        assertThat(threads).noneMatch(Thread::isAlive);
        threads.clear();
    }

    List<SoakLedger> ledgers() {
        return ledgers;
    }

    List<SoakWriter> writers() {
        return writers;
    }

    int confirmedRows() {
        return ledgers.stream().mapToInt(SoakLedger::confirmedRows).sum();
    }

    /** Returns what the clients did, in a line. */
    String summary() {
        return String.format(
                Locale.ROOT,
                "rows: %d confirmed, %d ambiguous, %d undone; %d reads, %d connections, %d intruders",
                confirmedRows(),
                ledgers.stream().mapToInt(SoakLedger::ambiguousRows).sum(),
                ledgers.stream().mapToInt(SoakLedger::undoneRows).sum(),
                writers.stream().mapToLong(SoakWriter::reads).sum(),
                writers.stream().mapToLong(SoakWriter::reconnects).sum(),
                intruder.visits());
    }
}
