package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import io.understudy.remote.AdminClient;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every plugin and every kind of session under load, while servers restart, clients are killed and strangers send
 * nonsense. Nothing that the process uses grows, and no row is lost or doubled. The build has two minutes of it,
 * besides the time in which servers restart, with less load; {@code -Dsoak.minutes=60} runs the hour.
 */
@Tag("long")
class SoakTest {
    private static final String TOKEN = "soak-0123456789abcdef";
    private static final int LOG_LINES = 200;

    /**
     * More descriptors than at half time, without a session. The program's own connections to the two servers (probes,
     * monitor, reader of the binary log) may be away at one of the two moments; a leak has one for each of hundreds.
     */
    private static final int DESCRIPTORS = 10;

    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final double seconds = 60 * Double.parseDouble(System.getProperty("soak.minutes", "2"));
    /** How long a writer rests between its commands. In the build other tests need the processors. */
    private final Duration pause = Duration.ofMillis(System.getProperty("soak.minutes") == null ? 25 : 4);

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
                  black-box: { memory: 2MiB }
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
                .ecp256()
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
        SoakLoad load = new SoakLoad(proxy.address(), pause);
        SoakDisturbances disturbances = new SoakDisturbances(seconds, pair, load.writers(), () -> configure(pair));
        SoakCurve curve = new SoakCurve();
        SoakPace pace = new SoakPace(seconds, disturbances, () -> curve.add(proxy.figures()));

        run(load, pace, seconds / 2);
        SoakProxy.Figures first = atRest(proxy);
        int rows = load.confirmedRows();
        run(load, pace, seconds);
        SoakProxy.Figures second = await("descriptors without a session: " + first.descriptors() + " at half time")
                .atMost(SOON)
                .until(
                        proxy::figures,
                        figures ->
                                figures.sessions() == 0 && figures.descriptors() < first.descriptors() + DESCRIPTORS);

        System.out.printf(
                Locale.ROOT,
                "soak without a session: %d descriptors, %d threads at half time; %d, %d at the end%n",
                first.descriptors(),
                first.threads(),
                second.descriptors(),
                second.threads());
        assertThat(load.confirmedRows()).as("rows of the second half").isGreaterThan(rows);
        report(pair, proxy, admin, load, disturbances, curve);
    }

    private static void run(SoakLoad load, SoakPace pace, double until) throws Exception {
        load.start();
        try {
            pace.continueUntil(until);
        } finally {
            load.stop();
        }
    }

    /** Returns what the process uses when the last session has ended and two samples have as many descriptors. */
    private static SoakProxy.Figures atRest(SoakProxy proxy) {
        AtomicLong before = new AtomicLong(-1);
        return await().atMost(SOON)
                .pollInterval(Duration.ofSeconds(1))
                .until(
                        proxy::figures,
                        figures -> figures.sessions() == 0
                                && before.getAndSet(figures.descriptors()) == figures.descriptors());
    }

    private static void report(
            EmbeddedPair pair,
            SoakProxy proxy,
            AdminClient admin,
            SoakLoad load,
            SoakDisturbances disturbances,
            SoakCurve curve)
            throws Exception {
        double heap = curve.growthMib(SoakProxy.Figures::heap);
        double direct = curve.growthMib(SoakProxy.Figures::direct);
        double threads = curve.growth(SoakProxy.Figures::threads);
        String metrics;
        try (InputStream in = admin.stream("metrics")) {
            metrics = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        List<String> problems = new ArrayList<>();
        for (SoakLedger ledger : load.ledgers()) {
            problems.addAll(ledger.problems(pair.primary()));
        }
        int exit = proxy.stop();
        List<String> log = proxy.logLines();
        System.out.printf(
                Locale.ROOT,
                "soak growth in the last two thirds: heap %+.1f MiB, direct %+.1f MiB, threads %+.1f%nsoak %s, %.0f"
                        + " mirrored%nsoak disturbances: %s%nsoak log: %d lines; problems: %d%n",
                heap,
                direct,
                threads,
                load.summary(),
                sum(metrics, "understudy_mirror_statements_total", "outcome=\"ok\""),
                disturbances.summary(),
                log.size(),
                problems.size());
        log.forEach(line -> System.out.println("soak log " + line));
        assertThat(problems).isEmpty();
        assertThat(load.ledgers()).as("every writer wrote").allMatch(ledger -> ledger.confirmedRows() > 0);
        assertThat(sum(metrics, "understudy_mirror_statements_total", "outcome=\"ok\""))
                .as("mirrored statements")
                .isPositive();
        // Two changes of the file at once are one reload.
        assertThat(sum(metrics, "understudy_config_reloads_total", "outcome=\"applied\""))
                .as("reloads")
                .isPositive();
        // The allocator keeps a chunk of 4 MiB that a peak has needed.
        assertThat(heap).as("growth of the heap, MiB").isLessThan(8);
        assertThat(direct).as("growth of direct memory, MiB").isLessThan(8);
        // Pools start their threads one by one, up to their size.
        assertThat(threads).as("growth of threads").isLessThan(6);
        assertThat(log).as("lines of the log").hasSizeLessThan(LOG_LINES);
        assertThat(exit).as("exit code").isZero();
    }

    private static double sum(String metrics, String name, String label) {
        Matcher line = Pattern.compile("(?m)^" + name + "\\{[^}]*" + label + "[^}]*} (\\S+)$")
                .matcher(metrics);
        double sum = 0;
        while (line.find()) {
            sum += Double.parseDouble(line.group(1));
        }
        return sum;
    }
}
