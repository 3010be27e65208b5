package io.understudy.plugins.gtiddomain;

import io.understudy.base.NoTask;
import io.understudy.plugin.PluginContext;
import io.understudy.plugins.gtiddomain.catalog.Dictionary;
import io.understudy.plugins.gtiddomain.ownership.EarlierStatements;
import io.understudy.plugins.gtiddomain.ownership.Handovers;
import io.understudy.plugins.gtiddomain.ownership.TableOwnership;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.Progress;
import io.understudy.plugins.gtiddomain.tagging.ConflictLog;
import io.understudy.plugins.gtiddomain.tagging.DomainMeters;
import io.understudy.plugins.gtiddomain.tagging.Guard;
import io.understudy.plugins.gtiddomain.tagging.Mode;
import io.understudy.plugins.gtiddomain.tagging.Policy;
import io.understudy.plugins.gtiddomain.tagging.TaggedRule;
import io.understudy.plugins.gtiddomain.tagging.TaggingRules;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policy that sessions follow: what the configuration wants, or mode {@code advise} as long as some sessions write
 * unobserved, and so unguarded. Thread-safe.
 */
final class PolicyInForce {
    private static final Logger log = LoggerFactory.getLogger(PolicyInForce.class);

    private final PluginContext context;
    private final DomainIndexes indexes;
    private final DomainMeters meters;
    private final Dictionary dictionary;
    private final Progress progress;
    private final Handovers handovers;
    private final Predicate<String> mayLeaveDefault;
    private final IntSupplier unobserved;
    private final LongSupplier nanos;
    private Future<?> olderSessions = NoTask.NONE;
    private volatile GtidDomainConfig config;
    private volatile Policy policy;
    /** Statements older than the ownership in force; null if that is only simulated. */
    private volatile @Nullable EarlierStatements earlier;

    /** @param unobserved returns the number of sessions that this plugin does not observe */
    PolicyInForce(
            PluginContext context,
            GtidDomainConfig config,
            DomainIndexes indexes,
            DomainMeters meters,
            Dictionary dictionary,
            Progress progress,
            Handovers handovers,
            Predicate<String> mayLeaveDefault,
            IntSupplier unobserved,
            LongSupplier nanos) {
        this.context = context;
        this.config = config;
        this.indexes = indexes;
        this.meters = meters;
        this.dictionary = dictionary;
        this.progress = progress;
        this.handovers = handovers;
        this.mayLeaveDefault = mayLeaveDefault;
        this.unobserved = unobserved;
        this.nanos = nanos;
        policy = policy(possible(config), null);
    }

    Policy policy() {
        return policy;
    }

    GtidDomainConfig config() {
        return config;
    }

    @Nullable
    EarlierStatements earlier() {
        return earlier;
    }

    /** Returns what a configuration comes to while some sessions are not observed: their writes are unguarded. */
    private GtidDomainConfig possible(GtidDomainConfig wanted) {
        return wanted.needsEverySession() && unguarded() > 0 ? wanted.advising() : wanted;
    }

    boolean everySessionIsObserved() {
        return config.needsObservers() && unguarded() == 0;
    }

    /** Returns the number of sessions that write unobserved. */
    private int unguarded() {
        return context.olderSessions() + unobserved.getAsInt();
    }

    /** Takes up mode {@code tag}, if it is wanted and not possible yet, when the last such session has ended. */
    synchronized void awaitOlderSessions() {
        boolean asWanted = policy.tagging == (config.mode() == Mode.TAG);
        if (asWanted || olderSessions != NoTask.NONE) {
            return;
        }
        log.warn("gtid-domain: domains are counted and not set (mode advise) until the sessions have ended that began"
                + " before the plugin was added, or while it had neither rules nor mode tag: what they write is not"
                + " observed");
        long millis = config.poll().toMillis();
        olderSessions =
                context.executor().scheduleWithFixedDelay(this::tagWhenPossible, millis, millis, TimeUnit.MILLISECONDS);
    }

    private synchronized void tagWhenPossible() {
        if (unguarded() == 0) {
            stop();
            policy = policy(config, policy.ownership);
            log.info("gtid-domain: every session is observed now: mode {}", config.mode());
        }
    }

    synchronized void stop() {
        olderSessions.cancel(false);
        olderSessions = NoTask.NONE;
    }

    private Policy policy(GtidDomainConfig wanted, @Nullable TableOwnership before) {
        TaggingRules tags = wanted.tags();
        for (TaggedRule rule : tags.rules()) {
            indexes.assign(rule.domain());
        }
        boolean simulated = wanted.mode() == Mode.ADVISE;
        TableOwnership.Scope scope =
                new TableOwnership.Scope(wanted.maxTables(), simulated, wanted.guard() != Guard.OFF);
        if (before != null && before.scope().equals(scope)) {
            return new Policy(tags, indexes, meters, before, dictionary);
        }
        TableOwnership ownership = new TableOwnership(
                progress,
                scope,
                simulated ? dictionary::mightLeaveDefault : mayLeaveDefault::test,
                new ConflictLog(meters, indexes, nanos, simulated),
                simulated ? null : handovers,
                before);
        EarlierStatements statements = simulated ? null : new EarlierStatements(ownership, before != null, nanos);
        Policy made = new Policy(tags, indexes, meters, ownership, dictionary);
        earlier = statements; // only of a policy that is not refused
        return made;
    }

    /**
     * Follows a reload, or throws and leaves all as it was. A session that begins meanwhile is observed as soon as, and
     * as long as, one of the two configurations wants it.
     */
    synchronized void reload(GtidDomainConfig wanted) {
        GtidDomainConfig before = config;
        if (!before.defaultDomain().equals(wanted.defaultDomain())) {
            throw new IllegalArgumentException("defaultDomain: takes effect after a restart");
        }
        if (!before.poll().equals(wanted.poll()) || !before.learn().equals(wanted.learn())) {
            throw new IllegalArgumentException("poll, learn: take effect after a restart");
        }
        if (before.mode() == Mode.TAG && before.guard() == Guard.OFF && wanted.guard() != Guard.OFF) {
            throw new IllegalArgumentException(
                    "guard: cannot be switched on while running, since what was written in which"
                            + " domain was not followed; restart the proxy");
        }
        if (wanted.needsObservers()) {
            config = wanted;
        }
        try {
            policy = policy(possible(wanted), policy.ownership);
            config = wanted;
        } catch (RuntimeException refusal) {
            config = before;
            throw refusal;
        }
    }
}
