package io.understudy.plugins.mirror;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.Standby;
import io.understudy.plugins.mirror.verify.VerifiedRead;
import io.understudy.plugins.mirror.verify.Verifier;
import io.understudy.plugins.mirror.warmth.FloorPolling;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The plugin {@code mirror}. */
public final class MirrorPlugin implements ProxyPlugin<MirrorConfig> {
    private static final Logger log = LoggerFactory.getLogger(MirrorPlugin.class);
    private static final int TOP = 20;

    private final DigestTimes times = new DigestTimes();
    private final List<StandbyMirror> standbys = new ArrayList<>();
    private final RecentDdl schemaChanges = new RecentDdl();
    private volatile @Nullable MirrorRules rules;
    private volatile @Nullable MirrorMeters meters;
    private @Nullable MirrorConfig config;
    private @Nullable FloorPolling primary;
    private @Nullable PluginContext services;
    private volatile @Nullable Verifier verifier;
    private volatile @Nullable SampleRate verified;

    @Override
    public String id() {
        return "mirror";
    }

    @Override
    public Class<MirrorConfig> configType() {
        return MirrorConfig.class;
    }

    @Override
    public void start(PluginContext context, MirrorConfig wanted) {
        MirrorMeters made = new MirrorMeters(context.meters());
        meters = made;
        config = wanted;
        services = context;
        FloorPolling polling = new FloorPolling(context.primary());
        primary = polling;
        for (Standby standby : context.standbys()) {
            StandbyCollations collations = StandbyCollations.of(standby.name(), standby.dataSource());
            standbys.add(new StandbyMirror(
                    standby, context, made, wanted, times, collations, schemaChanges, polling.floor()));
        }
        MirrorRules first = new MirrorRules(wanted, standbys);
        rules = first;
        made.samples(first);
        standbys.forEach(StandbyMirror::start);
        standbys.forEach(standby -> context.publishOfStandby(standby.name(), "warmth", standby.probing()::view));
        if (standbys.isEmpty()) {
            log.warn("plugins.mirror is configured but there are no standbys: nothing is mirrored");
        } else {
            polling.start(context.executor());
        }
        verify(wanted.verify());
        context.publish("mirror", this::view);
        context.publishAction("mirror/{standby}/pause", path -> {
            standby(path.get(0)).pause().pauseByOperator();
            return Map.of("paused", path.get(0));
        });
        context.publishAction("mirror/{standby}/resume", path -> {
            standby(path.get(0)).pause().resumeByOperator();
            return Map.of("resumed", path.get(0));
        });
        context.publishAction("mirror/{standby}/skip/{table}", path -> {
            return standby(path.get(0)).skip(path.get(1), System.nanoTime());
        });
        context.publishAction("mirror/{standby}/unskip/{table}", path -> {
            standby(path.get(0)).skipped().end(path.get(1));
            return Map.of("mirrored", path.get(1));
        });
        context.publishAction("mirror/{standby}/boost/{table}", path -> {
            standby(path.get(0)).probing().boost(path.get(1), System.nanoTime());
            return Map.of("boosted", path.get(1), "seconds", TableLeases.LEASE_SECONDS);
        });
        context.publishAction("mirror/{standby}/unboost/{table}", path -> {
            standby(path.get(0)).probing().boosted().end(path.get(1));
            return Map.of("sampled", path.get(1));
        });
    }

    /** Begins or ends the checks. */
    private void verify(@Nullable SampleRate share) {
        Verifier running = verifier;
        boolean wanted = share != null && share.millionths() > 0 && !standbys.isEmpty();
        if (wanted && running == null && services != null) {
            verifier = new Verifier(services);
        } else if (!wanted && running != null) {
            verifier = null;
            running.close();
        }
        verified = share;
    }

    /** Has a share of the mirrored reads checked. Called when a statement was offered to its standbys. */
    void check(MirroredStatement statement) {
        Verifier running = verifier;
        SampleRate share = verified;
        if (running == null || share == null || !statement.mayBeProbe()) {
            return;
        }
        for (StandbyMirror standby : statement.rule().targets()) {
            if (share.takes(ThreadLocalRandom.current().nextInt())) {
                running.offer(new VerifiedRead(
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

    private StandbyMirror standby(String name) {
        return standbys.stream()
                .filter(standby -> standby.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no standby '" + name + "'; there are "
                        + standbys.stream().map(StandbyMirror::name).toList()));
    }

    @Override
    public void reload(MirrorConfig wanted) {
        MirrorConfig before = config;
        if (before != null
                && (!before.concurrency().equals(wanted.concurrency()) || before.order() != wanted.order())) {
            throw new IllegalArgumentException("concurrency and order change with a restart only");
        }
        MirrorRules next = new MirrorRules(wanted, standbys);
        standbys.forEach(standby -> standby.reload(wanted));
        rules = next;
        meters().samples(next);
        verify(wanted.verify());
        config = wanted;
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        return standbys.isEmpty() ? SessionObserver.NONE : new MirrorObserver(this, session);
    }

    @Override
    public void stop() {
        FloorPolling polling = primary;
        if (polling != null) {
            polling.stop();
        }
        verify(null);
        standbys.forEach(StandbyMirror::stop);
    }

    MirrorRules rules() {
        return java.util.Objects.requireNonNull(rules, "not started");
    }

    RecentDdl schemaChanges() {
        return schemaChanges;
    }

    MirrorMeters meters() {
        return java.util.Objects.requireNonNull(meters, "not started");
    }

    private Map<String, Object> view() {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("rules", rules().view());
        view.put("standbys", standbys.stream().map(StandbyMirror::view).toList());
        view.put("skipped", meters().skippedByReason());
        view.put("slowerOnStandby", times.slowest(TOP));
        Verifier running = verifier;
        if (running != null) {
            view.put("verify", running.view());
        }
        return view;
    }
}
