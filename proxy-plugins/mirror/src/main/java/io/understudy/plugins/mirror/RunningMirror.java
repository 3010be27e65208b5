package io.understudy.plugins.mirror;

import io.understudy.plugin.DigestNotes;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginRun;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.Standby;
import io.understudy.plugins.mirror.playback.DigestTimes;
import io.understudy.plugins.mirror.playback.MirrorMeters;
import io.understudy.plugins.mirror.playback.MirrorRules;
import io.understudy.plugins.mirror.playback.MirroredStatement;
import io.understudy.plugins.mirror.playback.QueryThread;
import io.understudy.plugins.mirror.playback.RecentDdl;
import io.understudy.plugins.mirror.playback.StandbyMirror;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.selection.SampleRate;
import io.understudy.plugins.mirror.selection.TableLeases;
import io.understudy.plugins.mirror.statement.StandbyCollations;
import io.understudy.plugins.mirror.tables.TableDictionary;
import io.understudy.plugins.mirror.verify.VerifiedRead;
import io.understudy.plugins.mirror.verify.Verifier;
import io.understudy.plugins.mirror.warmth.FloorPolling;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The work of {@link MirrorPlugin} from its start to its stop: the mirrors of all standbys and what they share.
 * Created, reloaded and stopped by the management thread; the rest is thread-safe.
 */
final class RunningMirror implements PluginRun<MirrorConfig> {
    private static final Logger log = LoggerFactory.getLogger(RunningMirror.class);
    private static final int TOP = 20;

    private final PluginContext context;
    private final DigestTimes times = new DigestTimes();
    private final List<StandbyMirror> standbys = new ArrayList<>();
    private final RecentDdl schemaChanges = new RecentDdl();
    private final MirrorMeters meters;
    private final FloorPolling primary;
    private final MirroredDigests digests;
    private final DigestNotes notes;
    private MirrorConfig config;
    private volatile MirrorRules rules;
    private volatile @Nullable Checks checks;

    /** What checks a share of the mirrored reads. */
    private record Checks(Verifier verifier, SampleRate share) {}

    RunningMirror(PluginContext context, MirrorConfig config) {
        this.context = context;
        this.config = config;
        meters = new MirrorMeters(context.meters());
        primary = new FloorPolling(context.primary(), QueryThread.named("mirror-floor"));
        digests = new MirroredDigests(times, this::rules);
        notes = context.shared(DigestNotes.class, shared -> new DigestNotes());
        for (Standby standby : context.standbys()) {
            StandbyCollations collations = StandbyCollations.of(standby.name(), standby.dataSource());
            standbys.add(new StandbyMirror(
                    standby,
                    context,
                    meters,
                    config,
                    times,
                    collations,
                    schemaChanges,
                    primary.floor(),
                    () -> TableDictionary.of(standby.dataSource()),
                    QueryThread.named("mirror-tables-" + standby.name()),
                    QueryThread.named("mirror-counters-" + standby.name()),
                    System::nanoTime));
        }
        rules = new MirrorRules(config, standbys);
    }

    @Override
    public void start() {
        meters.samples(rules);
        standbys.forEach(StandbyMirror::start);
        standbys.forEach(standby -> context.publishOfStandby(standby.name(), "warmth", standby.probing()::view));
        if (standbys.isEmpty()) {
            log.warn("plugins.mirror is configured but there are no standbys: nothing is mirrored");
        } else {
            primary.start(context.executor());
        }
        checkReads(config.verify());
        context.publish("mirror", this::view);
        notes.add("mirror", digests::of);
        action("pause", (standby, name) -> {
            standby.pause().pauseByOperator();
            return Map.of("paused", name);
        });
        action("resume", (standby, name) -> {
            standby.pause().resumeByOperator(standby.config().pauseAbove());
            return Map.of("resumed", name, "state", standby.pause().describe());
        });
        tableAction("skip", (standby, table) -> standby.skip(table, System.nanoTime()));
        tableAction("unskip", (standby, table) -> {
            standby.skipped().end(table);
            return Map.of("mirrored", table);
        });
        tableAction("boost", (standby, table) -> {
            standby.probing().boost(table, System.nanoTime());
            return Map.of("boosted", table, "seconds", TableLeases.LEASE_SECONDS);
        });
        tableAction("unboost", (standby, table) -> {
            standby.probing().boost().tables().end(table);
            return Map.of("sampled", table);
        });
    }

    /** Publishes what an operator can do with a standby. */
    private void action(String name, BiFunction<StandbyMirror, String, Object> action) {
        context.publishAction("mirror/{standby}/" + name, parameters -> {
            String standby = parameters.getOrDefault("standby", "");
            return action.apply(standby(standby), standby);
        });
    }

    /** Publishes what an operator can do with a table of a standby. */
    private void tableAction(String name, BiFunction<StandbyMirror, String, Object> action) {
        context.publishAction(
                "mirror/{standby}/" + name + "/{table}",
                parameters -> action.apply(
                        standby(parameters.getOrDefault("standby", "")), parameters.getOrDefault("table", "")));
    }

    private StandbyMirror standby(String name) {
        return standbys.stream()
                .filter(standby -> standby.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no standby '" + name + "'; there are "
                        + standbys.stream().map(StandbyMirror::name).toList()));
    }

    @Override
    public void reload(MirrorConfig wanted) {
        if (!config.concurrency().equals(wanted.concurrency()) || config.order() != wanted.order()) {
            throw new IllegalArgumentException("concurrency and order change with a restart only");
        }
        MirrorRules next = new MirrorRules(wanted, standbys);
        standbys.forEach(standby -> standby.reload(wanted));
        rules = next;
        meters.samples(next);
        checkReads(wanted.verify());
        config = wanted;
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        return standbys.isEmpty() ? SessionObserver.NONE : new MirrorObserver(this, session);
    }

    @Override
    public void stop() {
        notes.remove("mirror");
        primary.stop();
        checkReads(null);
        standbys.forEach(StandbyMirror::stop);
    }

    /** Returns the rules in force. */
    MirrorRules rules() {
        return rules;
    }

    /** Called for each query that a client sends to the primary. */
    void relayedQuery() {
        primary.floor().relayed(1);
    }

    RecentDdl schemaChanges() {
        return schemaChanges;
    }

    MirrorMeters meters() {
        return meters;
    }

    /** Begins or ends the checks of reads, or changes their share. */
    private void checkReads(@Nullable SampleRate share) {
        Checks before = checks;
        if (share != null && share.millionths() > 0 && !standbys.isEmpty()) {
            Verifier verifier = before == null ? new Verifier(context, primary.floor()::ownQuery) : before.verifier();
            checks = new Checks(verifier, share);
        } else if (before != null) {
            checks = null;
            before.verifier().close();
        }
    }

    /** Has a share of the reads checked. Called when a statement was offered to its standbys. */
    void verify(MirroredStatement statement) {
        Checks now = checks;
        if (now == null || !statement.mayBeProbe()) {
            return;
        }
        for (StandbyMirror standby : statement.rule().targets()) {
            if (!standby.pause().paused()
                    && now.share().takes(ThreadLocalRandom.current().nextInt())) {
                now.verifier()
                        .offer(new VerifiedRead(
                                standby.standby(),
                                statement.sql(),
                                statement.values(),
                                statement.setting().schema(),
                                statement.setting().sqlMode(),
                                statement.tables(),
                                statement.digest()));
            }
        }
    }

    private Map<String, Object> view() {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("rules", rules.view());
        view.put("standbys", standbys.stream().map(StandbyMirror::view).toList());
        view.put("skipped", meters.skippedByReason());
        view.put("slowerOnStandby", times.slowest(TOP));
        Checks now = checks;
        if (now != null) {
            view.put("verify", now.verifier().view());
        }
        return view;
    }
}
