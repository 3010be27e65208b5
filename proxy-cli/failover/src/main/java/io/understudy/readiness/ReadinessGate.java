package io.understudy.readiness;

import io.understudy.config.Address;
import io.understudy.config.LoadedConfig;
import io.understudy.config.MonitorConfig;
import io.understudy.config.PagesConfig;
import io.understudy.config.PrimaryConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.pages.PagesAccount;
import io.understudy.plugin.StandbyFigures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether one standby may be promoted. Reads both servers and changes nothing.
 *
 * @param expected the figures of {@link ProxyFigures} that a running proxy with this configuration has
 * @param primary the present primary; see {@link io.understudy.server.ConfiguredPrimary} for when no proxy knows it
 * @param time for all of it; what is not read by then counts as not known
 */
public record ReadinessGate(
        LoadedConfig loaded,
        StandbyFigures expected,
        StandbyConfig standby,
        Address primary,
        Limits limits,
        Duration time) {
    private static final Logger LOG = LoggerFactory.getLogger(ReadinessGate.class);

    /** The bounds that apply unless others are given. */
    public static final Limits LIMITS =
            new Limits(Duration.ofSeconds(10), Duration.ofSeconds(2), Duration.ofSeconds(10));

    /** The default of the time for all of it, which servers with some thousands of tables need. */
    public static final Duration TIME = Duration.ofSeconds(30);

    /** Between the two readings: replication applies within it what only seemed to differ. */
    private static final Duration PAUSE = Duration.ofMillis(300);

    /** A standby that lags longer is a finding itself. */
    private static final Duration CATCH_UP = LIMITS.noticedLag();

    /**
     * Returns the gate for a standby.
     *
     * @throws IllegalArgumentException if the configuration has no such standby
     */
    public static ReadinessGate of(
            LoadedConfig loaded, StandbyFigures expected, String name, Address primary, Limits limits, Duration time) {
        return new ReadinessGate(loaded, expected, loaded.config().standby(name), primary, limits, time);
    }

    /**
     * Asks the proxy while it reads both servers, and returns the verdict.
     *
     * @param question for what a running proxy knows of this standby
     */
    public ReadinessReport report(ProxyFigures.Question question) throws InterruptedException {
        return report(question, null);
    }

    /**
     * Asks the proxy while it reads both servers, and returns the verdict.
     *
     * @param question for what a running proxy knows of this standby
     * @param older a report of the same servers, whose definitions are taken for the present ones; null to read all
     */
    ReadinessReport report(ProxyFigures.Question question, @Nullable ReadinessReport older)
            throws InterruptedException {
        long begun = System.nanoTime();
        PrimaryConfig config = loaded.config().primary();
        ServerLink.Login login = login(standby, config);
        OtherIds others = OtherIds.besides(standby, loaded.config().standbys(), login);
        try (ServerLink standbyLink = new ServerLink("standby", standby.address(), standby.tls(), login);
                ServerLink primaryLink = new ServerLink("primary", primary, config.tls(), login)) {
            long half = begun + time.toNanos() / 2;
            long end = begun + time.toNanos();
            Situation.Round keptBefore =
                    older == null ? Situation.Round.NONE : older.situation().before();
            Situation.Round keptNow =
                    older == null ? Situation.Round.NONE : older.situation().now();
            ServerLink.Reading standbyBefore = standbyLink.read(half, keptBefore.standby());
            ServerLink.Reading primaryBefore = primaryLink.read(half, keptBefore.primary());
            ProxyFigures proxy = question.ask();
            Situation.Round before = new Situation.Round(standbyBefore.await(half), primaryBefore.await(half));
            long pause = Math.min(PAUSE.toNanos(), end - System.nanoTime());
            TimeUnit.NANOSECONDS.sleep(pause);
            // What the primary had in the first reading counts as missing only if it is not on its way.
            standbyLink.awaitApplied(before, Math.min(end - PAUSE.toNanos(), System.nanoTime() + CATCH_UP.toNanos()));
            ServerLink.Reading standbyNow = again(standbyLink, standbyBefore, keptNow.standby(), end);
            ServerLink.Reading primaryNow = again(primaryLink, primaryBefore, keptNow.primary(), end);
            Situation.Round now = new Situation.Round(standbyNow.await(end), primaryNow.await(end));
            return judge(before, now, proxy, others, Duration.ofNanos(System.nanoTime() - begun));
        }
    }

    /** A server that has hung for half of the time is not asked again. */
    private static ServerLink.Reading again(
            ServerLink link, ServerLink.Reading before, ServerFacts older, long deadline) {
        return before.done().isDone() ? link.read(deadline, older) : before;
    }

    private ReadinessReport judge(
            Situation.Round before, Situation.Round now, ProxyFigures proxy, OtherIds others, Duration took) {
        UnderstudyConfig config = loaded.config();
        PagesConfig pages = config.pages();
        Situation situation = new Situation(
                before,
                now,
                standby.name(),
                primary.toString(),
                pages == null ? Set.of() : Set.of(pages.user()),
                proxy,
                expected,
                limits);
        // What mends a standby, as making it read-only, would harm the primary.
        List<Check> checks = ReplicationChecks.isTheSameServer(now)
                ? List.of(Check.REPLICATES)
                : StateChecks.isInCluster(now) ? List.of(Check.REACHABLE, Check.CLUSTER) : List.of(Check.values());
        List<Finding> findings = findings(checks, situation);
        if (checks.contains(Check.RECEIVED)) {
            others.find(new Findings(Check.REPLICATES.word(), now, situation, findings));
        }
        if (config.switchover() != null) {
            findings.replaceAll(finding -> EventsCheck.isMovedBySwitchover(finding) ? finding.asNote() : finding);
        }
        return new ReadinessReport(standby, situation, LagCheck.Lag.of(situation), findings, took);
    }

    /** Returns what the checks find. One that fails leaves the verdict open, and the findings of the others. */
    static List<Finding> findings(List<Check> checks, Situation situation) {
        List<Finding> findings = new ArrayList<>();
        for (int i = 0; i < checks.size(); i++) {
            try {
                findings.addAll(checks.get(i).findings(situation));
            } catch (RuntimeException e) {
                LOG.warn("Check {} of the readiness of {} failed", i + 1, situation.standby(), e);
                findings.add(StateChecks.fault(
                        "check " + (i + 1),
                        "judged what it had read: " + e.getMessage(),
                        "one of its checks has no result"));
            }
        }
        return findings;
    }

    /**
     * The monitor's account alone, which exists on both servers: another one may do less, and would hide that this one
     * is refused. The mirror's where there is none.
     */
    private static ServerLink.Login login(StandbyConfig standby, PrimaryConfig primary) {
        MonitorConfig monitor = primary.monitor();
        return monitor == null
                ? new ServerLink.Login(standby.user(), standby.password(), "the account of primary.monitor")
                : new ServerLink.Login(monitor.user(), monitor.password(), PagesAccount.account(monitor.user()));
    }
}
