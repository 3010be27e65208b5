package io.understudy.plugins.gtiddomain;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.rules.KindTerm;
import io.understudy.rules.Match;
import io.understudy.rules.NameGlob;
import io.understudy.rules.TableGlob;
import io.understudy.testkit.FakeClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The plugin's parts without servers: the test acts as the poller and advances the clock. */
final class Fixture {
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    final DomainIndexes indexes = new DomainIndexes(0);
    final DomainMeters meters = new DomainMeters(registry, indexes);
    final Progress progress = new Progress(indexes);
    final Accounts accounts = new Accounts();
    final Dictionary dictionary = new Dictionary(() -> 0, 0);
    final Orphans orphans = new Orphans();
    final List<String> conflicts = new ArrayList<>();
    Policy policy;

    Fixture(Mode mode, Guard guard, DomainRule... rules) {
        for (DomainRule rule : rules) {
            Long domain = rule.domain();
            if (domain != null) {
                indexes.assign(domain);
            }
        }
        policy = policy(mode, guard, null, rules);
        Catalog.Builder catalog = new Catalog.Builder();
        for (String table : List.of("shop.orders", "shop.items", "shop.archive", "shop.big", "shop.child")) {
            catalog.table(table, true);
        }
        catalog.table("shop.view", false);
        catalog.foreignKey("shop.child", "shop.items");
        dictionary.learned(catalog.build(), 0);
        dictionary.prune(name -> false);
    }

    Policy policy(Mode mode, Guard guard, @Nullable String procedure, DomainRule... rules) {
        GtidDomainConfig config = new GtidDomainConfig(
                mode, guard, 0L, procedure, Duration.ZERO, Duration.ofSeconds(1), 100, true, List.of(rules));
        TableOwnership ownership = new TableOwnership(
                progress,
                100,
                mode == Mode.ADVISE,
                dictionary,
                (kind, table, digest, index, otherDigest, other) -> {
                    conflicts.add(kind.label() + " " + table + " " + indexes.label(index) + "/" + indexes.label(other));
                    meters.conflict(kind);
                },
                HandoverListener.IGNORED,
                null);
        return new Policy(config, indexes, meters, ownership, dictionary);
    }

    static DomainRule ddl(long domain) {
        return new DomainRule(
                "ddl", new Match(null, null, null, null, List.of(KindTerm.parse("ddl")), null, null), domain);
    }

    static DomainRule table(String table, long domain) {
        return new DomainRule(
                table, new Match(null, null, null, List.of(TableGlob.parse(table)), null, null, null), domain);
    }

    static DomainRule user(String user, long domain) {
        return new DomainRule(
                user, new Match(List.of(NameGlob.parse(user)), null, null, null, null, null, null), domain);
    }

    /** Makes every standby apply everything. */
    void caughtUp() {
        long ended = progress.endEpoch();
        progress.reached(ended, new GtidPosition(Map.of()));
        progress.standbysAt(List.of(new GtidPosition(Map.of())));
    }

    static Fixture tagging(Guard guard) {
        Fixture fixture = new Fixture(Mode.TAG, guard, Fixture.ddl(10), Fixture.table("archive", 11));
        fixture.accounts.proven("app");
        fixture.caughtUp();
        return fixture;
    }

    FakeClient client(String user) {
        return new FakeClient(
                user, session -> new DomainObserver(session, () -> policy, accounts, meters, dictionary, orphans));
    }

    double count(String domain, String rule, String outcome) {
        var counter = registry.find("understudy.gtid.domain.statements")
                .tags("domain", domain, "rule", rule, "outcome", outcome)
                .counter();
        return counter == null ? 0 : counter.count();
    }
}
