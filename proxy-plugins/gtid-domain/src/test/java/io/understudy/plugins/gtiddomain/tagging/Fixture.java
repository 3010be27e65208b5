package io.understudy.plugins.gtiddomain.tagging;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.base.RepeatedWarning;
import io.understudy.plugins.gtiddomain.catalog.Catalog;
import io.understudy.plugins.gtiddomain.catalog.Dictionary;
import io.understudy.plugins.gtiddomain.ownership.Orphans;
import io.understudy.plugins.gtiddomain.ownership.TableOwnership;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.plugins.gtiddomain.progress.Progress;
import io.understudy.plugins.gtiddomain.steering.DomainRule;
import io.understudy.plugins.gtiddomain.steering.LeverObserver;
import io.understudy.plugins.gtiddomain.steering.Levers;
import io.understudy.plugins.gtiddomain.steering.SteeringMeters;
import io.understudy.rules.KindTerm;
import io.understudy.rules.Match;
import io.understudy.rules.NameGlob;
import io.understudy.rules.TableGlob;
import io.understudy.testkit.FakeClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The plugin's parts without servers: the test acts as the poller and advances the clock. */
public final class Fixture {
    public final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    public final DomainIndexes indexes = new DomainIndexes(0);
    public final DomainMeters meters = new DomainMeters(registry, indexes);
    public final Progress progress = new Progress(indexes);
    /** The time in nanoseconds. */
    public long now;

    public final Accounts accounts = new Accounts(() -> now);
    public final Dictionary dictionary = new Dictionary(() -> 0, 0);
    public final Orphans orphans = new Orphans();
    public final ObservedThreads threads = new ObservedThreads();
    public final List<String> conflicts = new ArrayList<>();
    public Policy policy;

    public Fixture(Mode mode, Guard guard, DomainRule... rules) {
        for (DomainRule rule : rules) {
            indexes.assign(Objects.requireNonNull(rule.domain()));
        }
        policy = policy(mode, guard, null, rules);
        accounts.setFreshIndex(DomainIndexes.DEFAULT);
        Catalog.Builder catalog = new Catalog.Builder();
        for (String table : List.of("shop.orders", "shop.items", "shop.archive", "shop.big", "shop.child")) {
            catalog.table(table, true);
        }
        catalog.table("shop.view", false);
        catalog.foreignKey("shop.child", "shop.items");
        dictionary.learned(catalog.build(), 0);
        dictionary.prune(name -> false);
    }

    public Policy policy(Mode mode, Guard guard, @Nullable String procedure, DomainRule... rules) {
        TableOwnership ownership = new TableOwnership(
                progress,
                new TableOwnership.Scope(100, mode == Mode.ADVISE, guard != Guard.OFF),
                dictionary::mayLeaveDefault,
                met -> {
                    conflicts.add(met.kind().label() + " " + met.table() + " " + indexes.label(met.index()) + "/"
                            + indexes.label(met.otherIndex()));
                    meters.conflict(met.kind());
                },
                null,
                null);
        return new Policy(mode, guard, procedure, List.of(rules), indexes, meters, ownership, dictionary);
    }

    public static DomainRule ddl(long domain) {
        return new DomainRule(
                "ddl",
                new Match(null, null, null, null, List.of(KindTerm.parse("ddl")), null, null),
                domain,
                null,
                null);
    }

    public static DomainRule table(String table, long domain) {
        return new DomainRule(
                table,
                new Match(null, null, null, List.of(TableGlob.parse(table)), null, null, null),
                domain,
                null,
                null);
    }

    public static DomainRule user(String user, long domain) {
        return new DomainRule(
                user, new Match(List.of(NameGlob.parse(user)), null, null, null, null, null, null), domain, null, null);
    }

    /** Makes every standby apply everything. */
    public void caughtUp() {
        progress.ask();
        progress.answer(new GtidPosition(Map.of()));
        progress.standbysAt(List.of(new GtidPosition(Map.of())));
        policy.ownership.settle();
    }

    /** Forgets names of earlier catalogues, as the poller does. */
    public void prune() {
        dictionary.prune(name -> policy.ownership.ownersOf(name) != 0 || policy.ownership.kept(name) != null);
    }

    public static Fixture tagging(Guard guard) {
        Fixture fixture = new Fixture(Mode.TAG, guard, Fixture.ddl(10), Fixture.table("archive", 11));
        fixture.accounts.proven("app");
        fixture.caughtUp();
        return fixture;
    }

    public FakeClient client(String user) {
        SharedTagging shared = new SharedTagging(
                accounts, meters, dictionary, orphans, threads, new RepeatedWarning(System::nanoTime));
        Levers none = new Levers(List.of(), false, new SteeringMeters(registry));
        return new FakeClient(
                user,
                session -> new DomainObserver(session, () -> policy, shared, new LeverObserver(session, () -> none)));
    }

    public double count(String domain, String rule, String outcome) {
        var counter = registry.find("understudy.gtid.domain.statements")
                .tags("domain", domain, "rule", rule, "outcome", outcome)
                .counter();
        return counter == null ? 0 : counter.count();
    }
}
