package io.understudy.plugins.gtiddomain;

import io.understudy.base.NoTask;
import io.understudy.plugin.PluginContext;
import io.understudy.plugins.gtiddomain.ownership.EarlierStatements;
import io.understudy.plugins.gtiddomain.ownership.TableOwnership;
import io.understudy.plugins.gtiddomain.steering.DomainRule;
import io.understudy.plugins.gtiddomain.tagging.ConflictLog;
import io.understudy.plugins.gtiddomain.tagging.Guard;
import io.understudy.plugins.gtiddomain.tagging.Mode;
import io.understudy.plugins.gtiddomain.tagging.Policy;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
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
    private final RunningDomains domains;
    private final LongSupplier nanos;
    private Future<?> olderSessions = NoTask.NONE;
    private volatile GtidDomainConfig config;
    private volatile Policy policy;
    /** Statements older than the ownership in force; null if that is only simulated. */
    private volatile @Nullable EarlierStatements earlier;

    /** @param domains with all parts that a policy uses */
    PolicyInForce(PluginContext context, GtidDomainConfig config, RunningDomains domains, LongSupplier nanos) {
        this.context = context;
        this.config = config;
        this.domains = domains;
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
        return wanted.needsEverySession() && context.olderSessions() > 0 ? wanted.advising() : wanted;
    }

    boolean everySessionIsObserved() {
        return context.olderSessions() == 0;
    }

    /** Takes up mode {@code tag}, if it is wanted and not possible yet, when the last such session has ended. */
    synchronized void awaitOlderSessions() {
        boolean asWanted = policy.tagging == (config.mode() == Mode.TAG);
        if (asWanted || olderSessions != NoTask.NONE) {
            return;
        }
        log.warn("gtid-domain: domains are counted and not set (mode advise) until the sessions have ended that began"
                + " before the plugin was added: what they write is not observed");
        long millis = config.poll().toMillis();
        olderSessions =
                context.executor().scheduleWithFixedDelay(this::tagWhenPossible, millis, millis, TimeUnit.MILLISECONDS);
    }

    private synchronized void tagWhenPossible() {
        if (context.olderSessions() == 0) {
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
        for (DomainRule rule : wanted.domainRules()) {
            domains.indexes.assign(Objects.requireNonNull(rule.domain()));
        }
        boolean simulated = wanted.mode() == Mode.ADVISE;
        TableOwnership.Scope scope =
                new TableOwnership.Scope(wanted.maxTables(), simulated, wanted.guard() != Guard.OFF);
        if (before != null && before.scope().equals(scope)) {
            return made(wanted, before);
        }
        TableOwnership ownership = new TableOwnership(
                domains.standbys.progress,
                scope,
                simulated ? domains.dictionary::mightLeaveDefault : domains::mayLeaveDefault,
                new ConflictLog(domains.meters, domains.indexes, nanos, simulated),
                simulated ? null : domains.handovers,
                before);
        EarlierStatements statements = simulated ? null : new EarlierStatements(ownership, before != null, nanos);
        Policy made = made(wanted, ownership);
        earlier = statements; // only of a policy that is not refused
        return made;
    }

    private Policy made(GtidDomainConfig wanted, TableOwnership ownership) {
        return new Policy(
                wanted.mode(),
                wanted.guard(),
                wanted.procedure(),
                wanted.domainRules(),
                domains.indexes,
                domains.meters,
                ownership,
                domains.dictionary);
    }

    /** Follows a reload, or throws and leaves all as it was. */
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
        policy = policy(possible(wanted), policy.ownership);
        config = wanted;
    }
}
