package io.understudy.plugins.mirror;

import io.micrometer.core.instrument.Counter;
import io.netty.buffer.PooledByteBufAllocator;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.Interest;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.rules.SessionRules;
import io.understudy.sql.StatementSummary;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Chooses a session's statements for mirroring: by rule, then by sample, then by what they are. A chosen one is copied when
 * it passes and queued when the primary has answered it without an error, so that what fails on the primary is never tried
 * on a standby.
 */
final class MirrorObserver implements SessionObserver {
    /** A statement that was chosen and waits for the primary's answer. */
    private static final class Chosen {
        private final io.netty.buffer.ByteBuf packet;
        private final MirrorRules.Bound rule;
        private final StatementSetting setting;
        private final @Nullable PreparedStatement prepared;
        private final byte @Nullable [] types;
        private final long digest;

        Chosen(
                io.netty.buffer.ByteBuf packet,
                MirrorRules.Bound rule,
                StatementSetting setting,
                @Nullable PreparedStatement prepared,
                byte @Nullable [] types,
                long digest) {
            this.packet = packet;
            this.rule = rule;
            this.setting = setting;
            this.prepared = prepared;
            this.types = types;
            this.digest = digest;
        }
    }

    private final MirrorPlugin plugin;
    private final SessionContext session;
    private final int sessionHash;
    private MirrorRules rules;
    private SessionRules<MirrorRules.Bound> sessionRules;
    private StatementSetting setting;

    MirrorObserver(MirrorPlugin plugin, SessionContext session) {
        this.plugin = plugin;
        this.session = session;
        this.sessionHash = spread(session.id());
        this.rules = plugin.rules();
        this.sessionRules = rules.set().forSession(session);
        this.setting = StatementSetting.of(session);
    }

    /** Consecutive numbers to evenly spread ones: the finaliser of SplittableRandom, by its published constants. */
    private static int spread(long id) {
        long z = (id ^ id >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return (int) ((z ^ z >>> 31) >>> 32);
    }

    @Override
    public int interests() {
        return Interest.COMMANDS | Interest.STATEMENTS | Interest.RESPONSES;
    }

    @Override
    public void onCommand(CommandView command) {
        if (!command.isStatement()) {
            return;
        }
        MirrorRules.Bound rule = chosenBy(command);
        if (rule == null) {
            return;
        }
        StatementSummary summary = command.summary();
        String unfit = command.complete()
                ? MirrorFitness.unfit(summary, rules.functions())
                : summary == null ? "too_long" : MirrorFitness.unfit(summary, rules.functions());
        if (unfit == null) {
            unfit = MirrorFitness.unfit(session.settings(), command);
        }
        PreparedStatement prepared = command.prepared();
        if (unfit == null && !command.complete()) {
            unfit = "too_long";
        }
        if (unfit == null && prepared != null && prepared.longDataPending()) {
            unfit = "long_data";
        }
        if (unfit != null || summary == null) {
            skipped(unfit == null ? "unparsed" : unfit).increment();
            return;
        }
        if (!rule.limit().take(System.nanoTime())) {
            rule.targets().forEach(standby -> standby.drop(DropReason.RATE_LIMITED));
            return;
        }
        command.attach(new Chosen(
                command.copyPacket(PooledByteBufAllocator.DEFAULT),
                rule,
                currentSetting(),
                prepared,
                prepared == null ? null : prepared.parameterTypes(),
                summary.digest()));
    }

    private MirrorRules.@Nullable Bound chosenBy(CommandView command) {
        MirrorRules current = plugin.rules();
        if (current != rules) {
            rules = current;
            sessionRules = current.set().forSession(session);
        }
        MirrorRules.Bound rule = sessionRules.match(command);
        if (rule == null) {
            return null;
        }
        int random = rule.rule().by() == MirrorConfig.By.SESSION
                ? sessionHash
                : ThreadLocalRandom.current().nextInt();
        return rule.rule().sample().takes(random) ? rule : null;
    }

    private StatementSetting currentSetting() {
        if (!setting.describes(session)) {
            setting = StatementSetting.of(session);
        }
        return setting;
    }

    private Counter skipped(String reason) {
        return plugin.meters().skipped(reason);
    }

    @Override
    public void onResponse(CommandView command, ResponseView response) {
        if (!(command.attachment() instanceof Chosen chosen)) {
            return;
        }
        command.attach(null);
        try {
            if (!response.ok()) {
                skipped("failed_on_primary").increment();
                return;
            }
            MirroredStatement statement = new MirroredStatement(
                    chosen.packet,
                    chosen.prepared,
                    chosen.types,
                    chosen.setting,
                    chosen.rule,
                    session.id(),
                    chosen.digest,
                    response.lastByteNanos() - command.receivedNanos(),
                    response.lastByteNanos());
            for (StandbyMirror standby : chosen.rule.targets()) {
                standby.offer(statement);
            }
        } finally {
            chosen.packet.release();
        }
    }
}
