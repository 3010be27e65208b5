package io.understudy.demo.failover;

import io.understudy.demo.DemoProxy;
import io.understudy.demo.Output;
import io.understudy.demo.failover.FailoverServers.Primary;
import io.understudy.embedded.EmbeddedException;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.PairOptions;
import io.understudy.lost.LostSource;
import io.understudy.report.ReportText;
import io.understudy.switchover.ChangeOutcome;
import io.understudy.switchover.PlannedChange;
import io.understudy.switchover.Switchover;
import io.understudy.switchover.SwitchoverLimits;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** A planned change of the primary and a kill, under load; tells whether every claim holds. */
public final class FailoverDemo {
    private static final String PASSWORD = "failover";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** Time between the standby's disconnection and the death of the primary. */
    private static final Duration CUT_OFF = Duration.ofMillis(400);

    private static final SwitchoverLimits BOUNDS = new SwitchoverLimits(Duration.ofSeconds(5), Duration.ofSeconds(5));

    private final int sessions;
    private final int transactions;
    private final Output out;

    /**
     * The demo.
     *
     * @param sessions that write
     * @param transactions that get an OK before each change of the primary
     */
    public FailoverDemo(int sessions, int transactions, PrintWriter out) {
        this.sessions = sessions;
        this.transactions = transactions;
        this.out = new Output(out);
    }

    /** Runs the demo. Returns true if every claim holds. */
    public boolean run() throws Exception {
        boolean claimed;
        try (EmbeddedPair pair = EmbeddedPair.start(
                        PairOptions.defaults().withSemiSync(false).withRtt(Duration.ZERO));
                FailoverServers servers = FailoverServers.prepare(pair, PASSWORD);
                DemoProxy proxy = servers.proxy(PASSWORD)) {
            awaitReading(proxy, true);
            claimed = planned(servers, proxy);
            if (claimed) {
                servers.replicateBack();
                awaitReading(proxy, true);
                claimed = unplanned(servers, proxy);
            }
        }
        out.say("");
        return out.claimed(claimed, ", see above.");
    }

    private boolean planned(FailoverServers servers, DemoProxy proxy) throws Exception {
        out.say(
                "1. A planned change of the primary, under %d sessions, half of them with transactions of 3 rows",
                sessions);
        out.say("   (understudy switchover --to %s)", FailoverServers.SECOND);
        out.say("");
        ChangeOutcome outcome;
        try (WriteSessions load = sessions(proxy, FailoverServers.PLANNED)) {
            ensure(load.awaitMore(transactions, PATIENCE), "the load does not proceed");
            try (PlannedChange switchover =
                    Switchover.to(FailoverServers.SECOND, proxy.config(), proxy.admin(), BOUNDS, out.out())) {
                outcome = switchover.run();
            }
            boolean goesOn = outcome == ChangeOutcome.DONE && load.awaitMore(transactions, PATIENCE);
            load.close();
            Set<String> missing = missing(load, servers.rows(Primary.SECOND, FailoverServers.PLANNED));
            out.say("");
            out.say(
                    "   Transactions answered with an OK   %,d, of which the new primary lacks %,d",
                    load.answered().size(), missing.size());
            out.say("   Errors that the clients saw        %s", load.failures());
            return goesOn && missing.isEmpty();
        }
    }

    private boolean unplanned(FailoverServers servers, DemoProxy proxy) throws Exception {
        out.say("");
        out.say("2. The standby is cut off, %d ms later the primary is killed (kill -9)", CUT_OFF.toMillis());
        Set<String> answered;
        try (WriteSessions load = sessions(proxy, FailoverServers.UNPLANNED)) {
            ensure(load.awaitMore(transactions, PATIENCE), "the load does not proceed");
            servers.cutOff();
            // A time, not a condition: the standby is to lag.
            Thread.sleep(CUT_OFF.toMillis());
            servers.kill();
            load.close();
            answered = load.answered();
            out.say("   Transactions answered with an OK   %,d", answered.size());
            out.say("   Errors that the clients saw        %s", load.failures());
        }
        awaitReading(proxy, false);
        servers.awaitApplied();
        Set<String> missing = new HashSet<>(answered);
        missing.removeAll(servers.rows(Primary.FIRST, FailoverServers.UNPLANNED));
        out.say("   Of these the survivor lacks        %,d", missing.size());

        out.say("");
        out.say("3. understudy report lost --on %s", FailoverServers.FIRST);
        out.say("");
        LostSource source = new LostSource(proxy.admin(), proxy.config(), List.of());
        Map<String, Object> lost = source.lost(FailoverServers.FIRST);
        out.print(ReportText.LOST.of(lost).indent(3));
        long listed = number(lost, "count");
        long notCaptured = number(lost, "notCaptured");
        out.say("");
        out.say("   Listed as answered and missing     %,d (truly missing: %,d)", listed, missing.size());
        boolean rescued = rescue(servers, source, answered, notCaptured);
        boolean opened = open(servers, proxy);
        boolean equal = checksums(servers, notCaptured);
        return listed == missing.size() && !missing.isEmpty() && rescued && opened && equal;
    }

    private boolean rescue(FailoverServers servers, LostSource source, Set<String> answered, long notCaptured)
            throws Exception {
        Path folder = Files.createTempDirectory("understudy-demo");
        Path file = folder.resolve("lost.binlog");
        try {
            out.say("");
            out.say("4. understudy rescue --on %s --to lost.binlog", FailoverServers.FIRST);
            out.say("");
            Map<String, Object> rescue = source.rescue(FailoverServers.FIRST);
            try (OutputStream to = Files.newOutputStream(file)) {
                for (byte[] part = source.part(rescue); part.length > 0; part = source.part(rescue)) {
                    to.write(part);
                }
            }
            out.print(ReportText.rescue(rescue, "lost.binlog").indent(3));
            if (!isReplayPossible()) {
                out.say("   mariadb-binlog and mariadb are not installed, so the file is not replayed here.");
                return true;
            }
            servers.stopReplication();
            long begun = System.nanoTime();
            replay(file, servers.of(Primary.FIRST));
            Set<String> missing = new HashSet<>(answered);
            missing.removeAll(servers.rows(Primary.FIRST, FailoverServers.UNPLANNED));
            out.say("");
            out.say(
                    "   Replayed in %.2f s. Still missing on the new primary: %,d, which were not captured: %,d",
                    (System.nanoTime() - begun) / 1e9, missing.size(), notCaptured);
            return missing.size() == notCaptured;
        } finally {
            Files.deleteIfExists(file);
            Files.delete(folder);
        }
    }

    private boolean open(FailoverServers servers, DemoProxy proxy) throws Exception {
        out.say("");
        out.say("5. The survivor is promoted: SET GLOBAL read_only=0. The proxy follows by primary.candidates");
        try (WriteSessions load = sessions(proxy, FailoverServers.AFTER)) {
            servers.promote();
            long begun = System.nanoTime();
            boolean written = load.awaitMore(1, PATIENCE);
            out.say("   First write through the proxy      after %.2f s", (System.nanoTime() - begun) / 1e9);
            return written;
        }
    }

    private boolean checksums(FailoverServers servers, long notCaptured) throws Exception {
        servers.reviveKilled();
        boolean equal = servers.checksum(Primary.FIRST).equals(servers.checksum(Primary.SECOND));
        Set<String> there = servers.rows(Primary.SECOND, FailoverServers.UNPLANNED);
        there.removeAll(servers.rows(Primary.FIRST, FailoverServers.UNPLANNED));
        out.say("");
        out.say("6. The killed server is started again, read-only, to compare");
        out.say(
                "   CHECKSUM TABLE                     %s",
                equal
                        ? "equal on both servers"
                        : there.size() + " rows are on the killed server only (not captured: " + notCaptured
                                + " transactions that were answered, and those without an answer)");
        // Besides those not captured, only what each session had in progress may differ.
        return equal || !isReplayPossible() || there.size() <= WriteSessions.ROWS * (sessions + notCaptured);
    }

    private WriteSessions sessions(DemoProxy proxy, String table) {
        return WriteSessions.start(
                proxy.url("") + "&connectTimeout=5000&socketTimeout=20000", PASSWORD, table, sessions);
    }

    /** Waits until the black box reads the primary's binary log, or no longer does. */
    private static void awaitReading(DemoProxy proxy, boolean reading) throws InterruptedException {
        proxy.await(
                "lost",
                lost -> lost.get("primary") instanceof Map<?, ?> primary
                        && Boolean.valueOf(reading).equals(primary.get("read")),
                "the black box does " + (reading ? "not read" : "still read") + " the primary's binary log");
    }

    private static Set<String> missing(WriteSessions load, Set<String> rows) {
        Set<String> missing = load.answered();
        missing.removeAll(rows);
        return missing;
    }

    private static long number(Map<String, Object> lost, String key) {
        return lost.get("answeredAndMissing") instanceof Map<?, ?> part && part.get(key) instanceof Number number
                ? number.longValue()
                : -1;
    }

    private static void ensure(boolean condition, String otherwise) throws IOException {
        if (!condition) {
            throw new IOException(otherwise);
        }
    }

    /** Returns whether both programs are installed. */
    private static boolean isReplayPossible() {
        return Stream.of("mariadb-binlog", "mariadb").allMatch(FailoverDemo::onPath);
    }

    private static boolean onPath(String program) {
        String path = System.getenv("PATH");
        return path != null
                && Stream.of(path.split(File.pathSeparator)).anyMatch(folder -> new File(folder, program).canExecute());
    }

    /** Replays a rescue file as an operator would: {@code mariadb-binlog FILE | mariadb}. */
    private static void replay(Path file, EmbeddedServer to) throws IOException, InterruptedException {
        List<Process> pipe = ProcessBuilder.startPipeline(List.of(
                new ProcessBuilder("mariadb-binlog", file.toString()).redirectError(ProcessBuilder.Redirect.INHERIT),
                new ProcessBuilder("mariadb", "--no-defaults", "-h127.0.0.1", "-P" + to.port(), "-uroot", "--skip-ssl")
                        .redirectErrorStream(true)));
        String said = new String(pipe.get(1).getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (pipe.get(1).waitFor() != 0 || pipe.get(0).waitFor() != 0) {
            throw new EmbeddedException("the replay failed: " + said.strip());
        }
    }
}
