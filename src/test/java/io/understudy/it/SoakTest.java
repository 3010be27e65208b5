package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import io.understudy.report.AdminClient;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every plugin and every kind of session under load, while servers restart, clients are killed and strangers send
 * nonsense: {@code -Dsoak.minutes=60}. Nothing that the process uses grows, and no row is lost or doubled.
 */
@EnabledIfSystemProperty(named = "soak.minutes", matches = "[0-9.]+")
class SoakTest {
    private static final String TOKEN = "soak-0123456789abcdef";
    private static final int LOG_LINES = 200;
    private static final double SAMPLE_SECONDS = 10;
    private static final int LEAST_SAMPLES = 30;
    private static final long TICK_NANOS = 100_000_000;
    private static final Duration SOON = Duration.ofSeconds(60);

    /** What a session is to the driver; each kind has two writers. */
    private static final List<String> KINDS = List.of(
            "?sslMode=disable",
            "?sslMode=disable&useServerPrepStmts=true",
            "?sslMode=trust",
            "?sslMode=disable&useCompression=true&useServerPrepStmts=true",
            "?sslMode=trust&useCompression=true");

    @TempDir
    private Path folder;

    private final double seconds = 60 * Double.parseDouble(System.getProperty("soak.minutes", "1"));
    private int reloads;

    private void configure(EmbeddedPair pair) throws IOException {
        Path fresh = Files.writeString(folder.resolve("soak.yaml.new"), """
                listen:
                  address: "127.0.0.1:0"
                  tls: { mode: optional, certificate: '%1$s/p.pem', key: '%1$s/p.key' }
                primary:
                  address: 127.0.0.1:%2$d
                  monitor: { user: understudy, password: %4$s }
                standbys:
                  - { name: s1, address: "127.0.0.1:%3$d", user: understudy_mirror, password: %4$s }
                admin: { address: "127.0.0.1:0", token: %5$s }
                limits: { handshakeTimeout: 5s, drainTimeout: 10s }
                plugins:
                  mirror:
                    rules: [ { name: all, sample: %6$d%% } ]
                    verify: 5%%
                    writes: lookups
                  commit-latency: { slow: 10s }
                  gtid-domain:
                    mode: tag
                    rules: [ { name: odd, match: { user: other }, domain: 11 } ]
                  query-log: { digests: 200 }
                  capture:
                    directory: '%1$s/capture'
                    literals: keep
                    minFree: 64MiB
                    fileSize: 8MiB
                    totalSize: 64MiB
                  black-box: { memory: 16MiB, file: '%1$s/black-box' }
                """.formatted(
                        folder,
                        pair.primary().port(),
                        pair.standby().port(),
                        MirrorProxy.PASSWORD,
                        TOKEN,
                        reloads++ % 2 == 0 ? 100 : 50));
        Files.move(fresh, config(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private Path config() {
        return folder.resolve("soak.yaml");
    }

    private EmbeddedPair pair() {
        EmbeddedPair pair = EmbeddedPair.start(PairOptions.defaults()
                .withSemiSyncTimeout(Duration.ofSeconds(1))
                .withPrimary(ServerOptions.of(1)
                        .withArguments("--innodb-flush-log-at-trx-commit=2", "--max-connect-errors=1000000")));
        MirroredPair.prepare(pair);
        pair.primary()
                .execute("CREATE TABLE shop.ledger (id BIGINT AUTO_INCREMENT PRIMARY KEY, w INT, n INT, amount INT,"
                        + " KEY (w, n))");
        pair.createAccount(
                "understudy",
                MirrorProxy.PASSWORD,
                "SELECT, TRIGGER, SHOW VIEW, PROCESS, REPLICATION SLAVE, REPLICA MONITOR, BINLOG MONITOR ON *.*");
        pair.createAccount("app", MirrorProxy.PASSWORD, "ALL ON shop.*", "BINLOG REPLAY ON *.*");
        pair.createAccount("other", MirrorProxy.PASSWORD, "ALL ON shop.*", "BINLOG REPLAY ON *.*");
        pair.awaitCaughtUp(SOON);
        return pair;
    }

    private void certificate() throws Exception {
        X509Bundle certificate = new CertificateBuilder()
                .rsa2048()
                .subject("CN=127.0.0.1")
                .addSanIpAddress("127.0.0.1")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        Files.writeString(folder.resolve("p.pem"), certificate.getCertificatePEM());
        Files.writeString(folder.resolve("p.key"), certificate.getPrivateKeyPEM());
    }

    @Test
    void nothingGrowsAndNothingIsLost() throws Exception {
        certificate();
        Path log = folder.resolve("soak.log");
        try (EmbeddedPair pair = pair()) {
            configure(pair);
            try (SoakProxy proxy = SoakProxy.start(config(), log)) {
                soak(pair, proxy);
            }
        }
    }

    private void soak(EmbeddedPair pair, SoakProxy proxy) throws Exception {
        AdminClient admin = new AdminClient("127.0.0.1:" + proxy.adminPort(), TOKEN);
        admin.act("capture/start");
        List<SoakLedger> ledgers = new ArrayList<>();
        List<SoakWriter> writers = new ArrayList<>();
        for (int i = 0; i < 2 * KINDS.size(); i++) {
            SoakLedger ledger = new SoakLedger(i);
            ledgers.add(ledger);
            writers.add(new SoakWriter(
                    ledger,
                    "jdbc:mariadb://127.0.0.1:" + proxy.address().getPort() + "/shop",
                    KINDS.get(i % KINDS.size()) + "&user=" + (i == 0 ? "other" : "app") + "&password="
                            + MirrorProxy.PASSWORD));
        }
        SoakIntruder intruder = new SoakIntruder(proxy.address());
        List<Thread> threads = new ArrayList<>();
        writers.forEach(writer -> threads.add(new Thread(writer, "soak-writer")));
        threads.add(new Thread(intruder, "soak-intruder"));
        threads.add(new Thread(intruder::readSlowly, "soak-slow-reader"));
        threads.forEach(Thread::start);

        SoakDisturbances disturbances = new SoakDisturbances(seconds, pair, writers, () -> configure(pair));
        SoakCurve curve = new SoakCurve();
        try {
            double interval = Math.min(SAMPLE_SECONDS, seconds / LEAST_SAMPLES);
            double next = interval;
            long begun = System.nanoTime();
            double elapsed = 0;
            while (elapsed < seconds) {
                LockSupport.parkNanos(TICK_NANOS);
                elapsed = (System.nanoTime() - begun) / 1e9;
                disturbances.continueAt(elapsed);
                if (elapsed >= next) {
                    curve.add(elapsed, proxy.figures());
                    next += interval;
                }
            }
        } finally {
            writers.forEach(SoakWriter::stop);
            intruder.stop();
            for (Thread thread : threads) {
                thread.join(SOON.toMillis());
            }
        }
        assertThat(threads).noneMatch(Thread::isAlive);
        await().atMost(SOON).until(() -> proxy.figures().sessions() == 0);
        report(pair, proxy, admin, ledgers, writers, intruder, disturbances, curve);
    }

    private static void report(
            EmbeddedPair pair,
            SoakProxy proxy,
            AdminClient admin,
            List<SoakLedger> ledgers,
            List<SoakWriter> writers,
            SoakIntruder intruder,
            SoakDisturbances disturbances,
            SoakCurve curve)
            throws Exception {
        double heap = curve.growthMib(SoakProxy.Figures::heap);
        double direct = curve.growthMib(SoakProxy.Figures::direct);
        double descriptors = curve.growth(SoakProxy.Figures::descriptors);
        double threads = curve.growth(SoakProxy.Figures::threads);
        String metrics;
        try (InputStream in = admin.stream("metrics")) {
            metrics = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        List<String> problems = new ArrayList<>();
        for (SoakLedger ledger : ledgers) {
            problems.addAll(ledger.problems(pair.primary()));
        }
        int exit = proxy.stop();
        List<String> log = proxy.logLines();
        System.out.printf(
                Locale.ROOT,
                "soak growth in the last two thirds: heap %+.1f MiB, direct %+.1f MiB, descriptors %+.1f, threads"
                        + " %+.1f%nsoak rows: %d confirmed, %d ambiguous, %d undone; %d reads, %d connections, %d"
                        + " intruders, %.0f mirrored%nsoak disturbances: %s%nsoak log: %d lines; problems: %d%n",
                heap,
                direct,
                descriptors,
                threads,
                ledgers.stream().mapToInt(SoakLedger::confirmedRows).sum(),
                ledgers.stream().mapToInt(SoakLedger::ambiguousRows).sum(),
                ledgers.stream().mapToInt(SoakLedger::undoneRows).sum(),
                writers.stream().mapToLong(SoakWriter::reads).sum(),
                writers.stream().mapToLong(SoakWriter::reconnects).sum(),
                intruder.visits(),
                mirrored(metrics),
                disturbances.summary(),
                log.size(),
                problems.size());
        assertThat(problems).isEmpty();
        assertThat(disturbances.allDone()).as(disturbances.summary()).isTrue();
        assertThat(mirrored(metrics)).as("mirrored statements").isPositive();
        assertThat(heap).as("growth of the heap, MiB").isLessThan(8);
        assertThat(direct).as("growth of direct memory, MiB").isLessThan(8);
        assertThat(descriptors).as("growth of descriptors").isLessThan(10);
        // Pools start their threads one by one, up to their size.
        assertThat(threads).as("growth of threads").isLessThan(6);
        assertThat(log).as("lines of the log").hasSizeLessThan(LOG_LINES);
        assertThat(exit).as("exit code").isZero();
    }

    private static double mirrored(String metrics) {
        Matcher line = Pattern.compile("(?m)^understudy_mirror_statements_total\\{[^}]*outcome=\"ok\"[^}]*} (\\S+)$")
                .matcher(metrics);
        double sum = 0;
        while (line.find()) {
            sum += Double.parseDouble(line.group(1));
        }
        return sum;
    }
}
