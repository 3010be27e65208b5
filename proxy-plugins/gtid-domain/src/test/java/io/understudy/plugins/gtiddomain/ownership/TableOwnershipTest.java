package io.understudy.plugins.gtiddomain.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.plugins.gtiddomain.progress.Progress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TableOwnershipTest {
    private final DomainIndexes indexes = new DomainIndexes(0);
    private final Progress progress = new Progress(indexes);
    private final List<TableOwnership> ownerships = new ArrayList<>();

    TableOwnershipTest() {
        indexes.assign(10);
        indexes.assign(11);
    }

    private TableOwnership ownership(int maxTables, @Nullable TableOwnership before) {
        return ownership(maxTables, false, before);
    }

    private TableOwnership ownership(int maxTables, boolean simulated, @Nullable TableOwnership before) {
        TableOwnership ownership = new TableOwnership(
                progress, new TableOwnership.Scope(maxTables, simulated, true), table -> true, met -> {}, null, before);
        ownerships.add(ownership);
        return ownership;
    }

    private PendingWrite decide(TableOwnership ownership, String table, int wanted) {
        return ownership.decide(new TableEntry[] {ownership.entry(table)}, wanted, true, Work.TABLES, 1);
    }

    private void poll(String primary, String... standbys) {
        progress.ask();
        progress.answer(GtidPosition.parse(primary));
        standbysAt(standbys);
    }

    private void standbysAt(String... standbys) {
        List<GtidPosition> positions = new ArrayList<>();
        for (String standby : standbys) {
            positions.add(GtidPosition.parse(standby));
        }
        progress.standbysAt(positions);
        for (TableOwnership ownership : ownerships) {
            ownership.settle();
            ownership.makeRoom(table -> !table.equals("s.gone"));
        }
    }

    @Test
    void theSlowestStandbyDecidesAndOnlyForItsDomain() {
        TableOwnership ownership = ownership(10, null);
        poll("0-1-5", "0-1-5", "0-1-5");
        decide(ownership, "s.a", 1).release();
        decide(ownership, "s.b", 2).release();

        poll("0-1-5,10-1-1,11-1-1", "0-1-5,10-1-1,11-1-1", "0-1-5,11-1-1");

        assertThat(decide(ownership, "s.a", 0).index()).isEqualTo(1);
        assertThat(decide(ownership, "s.b", 0).index()).isZero();
    }

    @Test
    void aPositionQueriedBeforeTheResponseProvesNothing() {
        TableOwnership ownership = ownership(10, null);
        poll("0-1-5", "0-1-5");
        PendingWrite pending = decide(ownership, "s.a", 1);
        progress.ask();
        pending.release();
        progress.answer(GtidPosition.parse("0-1-5"));
        standbysAt("0-1-5");

        assertThat(ownership.ownersOf("s.a")).isEqualTo(1 << 1);
        poll("0-1-5,10-1-1", "0-1-5");
        assertThat(ownership.ownersOf("s.a")).isEqualTo(1 << 1);
        standbysAt("0-1-5,10-1-1");
        assertThat(ownership.ownersOf("s.a")).isZero();
    }

    @Test
    void beyondTheLimitTablesStayInTheDefaultDomainUntilOthersAreFree() {
        TableOwnership ownership = ownership(2, null);
        poll("0-1-5", "0-1-5");
        decide(ownership, "s.a", 1).release();
        decide(ownership, "s.b", 1).release();

        assertThat(decide(ownership, "s.c", 1).index()).isZero();
        assertThat(ownership.full()).isTrue();
        poll("0-1-6,10-1-2", "0-1-6,10-1-2");
        assertThat(ownership.entry("s.c").name).isEqualTo("s.c");
        assertThat(ownership.size()).isLessThanOrEqualTo(2);
    }

    /** Tables that are created and dropped every day would fill it otherwise. */
    @Test
    void aTableThatStaysInTheDefaultDomainMakesRoomOnceItIsGone() {
        TableOwnership ownership = ownership(2, null);
        poll("0-1-5", "0-1-5");
        for (String table : List.of("s.gone", "s.kept")) {
            TableEntry[] entries = {ownership.entry(table)};
            ownership
                    .force(entries, 0, Conflict.TRANSACTION, Work.TABLES, 1, true)
                    .release();
        }
        assertThat(ownership.full()).isTrue();
        poll("0-1-7", "0-1-7");
        assertThat(ownership.full()).isFalse();
        assertThat(ownership.kept("s.kept")).isEqualTo(Conflict.TRANSACTION);
    }

    @Test
    void anEntryDroppedMeanwhileIsResolvedAgain() {
        TableOwnership ownership = ownership(1, null);
        poll("0-1-5", "0-1-5");
        TableEntry stale = ownership.entry("s.a");
        poll("0-1-5", "0-1-5");
        assertThat(stale.dropped()).isTrue();

        PendingWrite pending = ownership.decide(new TableEntry[] {stale}, 1, true, Work.TABLES, 1);
        PendingWrite forced = ownership.force(new TableEntry[] {stale}, 0, Conflict.TRANSACTION, Work.TABLES, 1, true);

        assertThat(pending.entries).doesNotContain(stale);
        assertThat(forced.entries).doesNotContain(stale);
        assertThat(stale.idle()).isTrue();
    }

    @Test
    void anOwnershipGrantsNothingWhileItsPredecessorsWritesAreInFlight() {
        TableOwnership before = ownership(10, null);
        poll("0-1-5", "0-1-5");
        PendingWrite old = decide(before, "s.a", 0);
        TableOwnership after = ownership(10, before);

        after.settle();
        poll("0-1-6", "0-1-6");
        assertThat(decide(after, "s.a", 1).index()).isZero();
        old.release();
        after.settle();
        assertThat(decide(after, "s.b", 1).index()).isZero();
        poll("0-1-7", "0-1-7");
        assertThat(decide(after, "s.c", 1).index()).isEqualTo(1);
    }

    /** Such a domain may be long past, and a standby built without it. */
    @Test
    void aDomainThatAStandbyDoesNotHaveIsNamed() {
        TableOwnership ownership = ownership(10, null);
        poll("0-1-5,5-1-100", "0-1-5");
        assertThat(decide(ownership, "s.a", 1).index()).isZero();
        assertThat(ownership.problem()).contains("domain 5", "DELETE_DOMAIN_ID=(5)");
        poll("0-1-5", "0-1-5");
        assertThat(decide(ownership, "s.b", 1).index()).isEqualTo(1);
        assertThat(ownership.problem()).isNull();
    }

    @Test
    void twoThreadsAreNeverGrantedAFreeTableForDifferentDomains() throws Exception {
        int threads = 4;
        TableOwnership ownership = ownership(10_000, null);
        poll("0-1-5", "0-1-5");
        int tables = 500;
        Map<String, Set<Integer>> granted = new ConcurrentHashMap<>();
        CountDownLatch start = new CountDownLatch(1);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int wanted = thread % 3;
                done.add(executor.submit(() -> {
                    start.await();
                    for (int table = 0; table < tables; table++) {
                        PendingWrite pending = decide(ownership, "s.t" + table, wanted);
                        granted.computeIfAbsent("s.t" + table, t -> ConcurrentHashMap.newKeySet())
                                .add(pending.index());
                        pending.release();
                    }
                    return null;
                }));
            }
            start.countDown();
            for (Future<?> one : done) {
                one.get();
            }
        } finally {
            executor.shutdownNow();
        }

        assertThat(granted)
                .hasSize(tables)
                .allSatisfy((table, domains) -> assertThat(domains).hasSize(1));
        assertThat(ownership.inFlight()).isZero();
    }

    @Test
    void positionsAreParsedAsServersWriteThem() {
        GtidPosition position = GtidPosition.parse("0-34067-911, 1-34067-1,0-2-912");

        assertThat(position.sequence(0)).isEqualTo(912);
        assertThat(position.sequence(7)).isZero();
        assertThat(position.covers(GtidPosition.parse("0-1-912"))).isTrue();
        assertThat(position.covers(GtidPosition.parse("7-1-1"))).isFalse();
        assertThat(GtidPosition.parse(null).covers(GtidPosition.parse(""))).isTrue();
    }

    private List<String> logged(TableOwnership ownership, int index, long sequence, String... tables) {
        return found(ownership, index, sequence, tables).tables();
    }

    private LoggedWrites.Found found(TableOwnership ownership, int index, long sequence, String... tables) {
        return ownership.logged.observe(List.of(tables), indexes.domain(index), index, sequence);
    }

    @Test
    void anUnannouncedWriteOwnsItsTableUntilItIsApplied() {
        TableOwnership ownership = ownership(10, null);
        poll("0-1-5", "0-1-5");

        assertThat(logged(ownership, 1, 1, "s.audit")).containsExactly("s.audit");

        PendingWrite follows = decide(ownership, "s.audit", 2);
        assertThat(follows.index()).isEqualTo(1);
        follows.release();
        poll("0-1-5,10-1-2", "0-1-5,10-1-2");
        assertThat(decide(ownership, "s.audit", 2).index()).isEqualTo(2);
    }

    /** A passive proxy sees what the active one tags, and the default domain before that. */
    @Test
    void tablesThatAnotherProxyWritesAreFollowedAndCanBeTakenOver() {
        TableOwnership ownership = ownership(10, null);
        poll("0-1-5", "0-1-5");
        logged(ownership, 0, 6, "s.a");
        poll("0-1-6", "0-1-6");
        logged(ownership, 1, 1, "s.a");
        poll("0-1-6,10-1-1", "0-1-6,10-1-1");

        PendingWrite own = decide(ownership, "s.a", 1);
        assertThat(own.index()).isEqualTo(1);
        own.release();
        poll("0-1-6,10-1-2", "0-1-6,10-1-2");
        logged(ownership, 1, 3, "s.a");
        poll("0-1-6,10-1-3", "0-1-6,10-1-3");
        assertThat(decide(ownership, "s.a", 1).index()).as("both tag it alike").isEqualTo(1);
    }

    /** The other proxy asks the standbys itself, and may know of what they applied before this one does. */
    @Test
    void aHandoverByAnotherProxyIsNoConflictBeforeThisOneKnowsWhatIsApplied() {
        TableOwnership ownership = ownership(10, null);
        poll("0-1-5", "0-1-5");
        logged(ownership, 0, 6, "s.a");
        logged(ownership, 1, 1, "s.a");

        PendingWrite own = decide(ownership, "s.a", 1);
        assertThat(own.index()).as("two domains own it in this proxy's eyes").isZero();
        own.release();
        poll("0-1-7,10-1-1", "0-1-7,10-1-1");
        assertThat(decide(ownership, "s.a", 1).index()).isEqualTo(1);
    }

    /** Two tables at once, while what was before the start has not been applied. */
    @Test
    void aRestartBesideAnotherProxyKeepsNoTableInTheDefaultDomainForGood() {
        TableOwnership ownership = ownership(10, null);
        ownership.inheritance.hold();
        ownership.settle();
        logged(ownership, 1, 1, "s.a");
        TableEntry[] both = {ownership.entry("s.a"), ownership.entry("s.b")};
        PendingWrite own = ownership.decide(both, 1, true, Work.TABLES, 1);
        assertThat(own.index()).isZero();
        own.release();
        ownership.inheritance.free();
        poll("0-1-5,10-1-1", "0-1-5,10-1-1");

        assertThat(ownership.decide(both, 1, true, Work.TABLES, 1).index()).isEqualTo(1);
    }

    @Test
    void aTableThatSessionsAndSomebodyElseWriteStaysInTheDefaultDomain() {
        TableOwnership ownership = ownership(10, null);
        poll("0-1-5", "0-1-5");
        decide(ownership, "s.a", 1).release();
        poll("0-1-5,10-1-1", "0-1-5,10-1-1");
        logged(ownership, 0, 6, "s.a");
        poll("0-1-6,10-1-1", "0-1-6,10-1-1");

        assertThat(decide(ownership, "s.a", 1).index()).isZero();
    }

    /** A rule wants it, and nothing was ever tagged: somebody asks why. */
    @Test
    void aTableThatStaysInTheDefaultDomainIsNamedOnceARuleWantsIt() {
        TableOwnership ownership = ownership(10, null);
        poll("0-1-5", "0-1-5");
        ownership
                .decide(new TableEntry[] {ownership.entry("s.a")}, 0, true, Work.CALLS, 1)
                .release();
        poll("0-1-6", "0-1-6");
        assertThat(ownership.report.contested(10)).isEmpty();
        assertThat(decide(ownership, "s.a", 1).index()).isZero();

        assertThat(ownership.report.contested(10)).singleElement().satisfies(found -> {
            assertThat(found.table()).isEqualTo("s.a");
            assertThat(found.kept()).isEqualTo(Conflict.UNKNOWN_TABLES);
        });
    }

    @Test
    void aTableThatHiddenCodeWritesStaysInTheDefaultDomain() {
        TableOwnership ownership = ownership(10, null);
        poll("0-1-5", "0-1-5");
        PendingWrite named = decide(ownership, "s.a", 0);
        assertThat(logged(ownership, 0, 6, "s.hidden", "s.a")).containsExactly("s.hidden");
        named.release();
        poll("0-1-6", "0-1-6");

        assertThat(decide(ownership, "s.hidden", 1).index()).isZero();
    }

    /** Their position is not in the binary log yet. */
    @Test
    void nothingIsGrantedWhileStatementsRunThatBeganBefore() {
        TableOwnership ownership = ownership(10, null);
        ownership.inheritance.hold();
        ownership.settle();
        poll("0-1-5", "0-1-5");
        ownership.settle();
        poll("0-1-5", "0-1-5");
        assertThat(decide(ownership, "s.a", 1).index()).isZero();
        ownership.inheritance.free();
        ownership.settle();
        poll("0-1-6", "0-1-5");
        assertThat(decide(ownership, "s.b", 1).index()).as("not applied yet").isZero();
        poll("0-1-6", "0-1-6");
        assertThat(decide(ownership, "s.c", 1).index()).isEqualTo(1);
    }

    @Test
    void tablesOfWhichOneIsFollowedNoMoreAreUnknownAsAWhole() {
        TableOwnership ownership = ownership(2, null);
        poll("0-1-5", "0-1-5");
        TableEntry stale = ownership.entry("s.b");
        ownership.entry("s.a");
        poll("0-1-5", "0-1-5");
        assertThat(stale.dropped()).isTrue();
        PendingWrite held = decide(ownership, "s.a", 0);
        PendingWrite other = decide(ownership, "s.c", 0);

        PendingWrite pending = ownership.decide(new TableEntry[] {held.entries[0], stale}, 1, true, Work.TABLES, 1);

        assertThat(pending.index()).isZero();
        assertThat(pending.entries).containsExactly(ownership.unknown());
        assertThat(other.index()).isZero();
    }

    @Test
    void anAnnouncedWriteIsNotReported() {
        TableOwnership ownership = ownership(10, null);
        poll("0-1-5", "0-1-5");
        PendingWrite pending = decide(ownership, "s.a", 1);

        assertThat(logged(ownership, 1, 1, "s.a")).isEmpty();
        pending.release();
        assertThat(logged(ownership, 1, 1, "s.a")).isEmpty();
        assertThat(logged(ownership, 2, 1, "s.a")).containsExactly("s.a");
        poll("0-1-5,10-1-1,11-1-1", "0-1-5,10-1-1,11-1-1");
        assertThat(logged(ownership, 1, 1, "s.a")).isEmpty();
    }

    @Test
    void anAnnouncedCallExplainsTablesThatNoStatementNamed() {
        TableOwnership ownership = ownership(10, null);
        poll("0-1-5", "0-1-5");
        PendingWrite call = ownership.decide(new TableEntry[] {ownership.unknown()}, 0, true, Work.CALLS, 1);

        LoggedWrites.Found found = found(ownership, 0, 6, "s.called");

        assertThat(found.tables()).containsExactly("s.called");
        assertThat(found.expected()).isTrue();
        assertThat(found(ownership, 1, 1, "s.called").expected()).isFalse();
        call.release();
        poll("0-1-6,10-1-1", "0-1-6,10-1-1");
        assertThat(found(ownership, 0, 7, "s.other").expected()).isFalse();
    }

    /** It applies again what the guard had seen applied: a table must not change its domain before it has. */
    @Test
    void aStandbyThatGoesBackTakesTheTablesBack() {
        TableOwnership ownership = ownership(10, null);
        poll("0-1-5", "0-1-5", "0-1-5");
        decide(ownership, "s.a", 1).release();
        poll("0-1-5,10-1-3", "0-1-5,10-1-3", "0-1-5,10-1-3");
        assertThat(ownership.ownersOf("s.a")).isZero();

        standbysAt("0-1-5,10-1-3", "0-1-5,10-1-2");
        PendingWrite follows = decide(ownership, "s.a", 2);
        assertThat(follows.index()).isEqualTo(1);
        follows.release();
        poll("0-1-5,10-1-4", "0-1-5,10-1-4", "0-1-5,10-1-4");
        assertThat(decide(ownership, "s.a", 2).index()).isEqualTo(2);
        standbysAt("0-1-4,10-1-4", "0-1-5,10-1-4");
        assertThat(decide(ownership, "s.new", 1).index())
                .as("what was before the start is not applied any more")
                .isZero();
    }

    @Test
    void writesOfAFailedQueryGetTheirBoundFromTheNextOne() {
        TableOwnership ownership = ownership(10, null);
        poll("0-1-5", "0-1-5");
        decide(ownership, "s.a", 1).release();
        progress.ask();
        standbysAt("0-1-5,10-1-9");
        assertThat(ownership.ownersOf("s.a")).isEqualTo(1 << 1);
        poll("0-1-5,10-1-9", "0-1-5,10-1-9");
        assertThat(ownership.ownersOf("s.a")).isZero();
    }

    /** The binary log may be read before or after the query that gives an announced write its bound. */
    @Test
    void aLoggedWriteBehindAnAnnouncedOneCountsByItsOwnSequenceNumber() {
        TableOwnership ownership = ownership(10, null);
        poll("0-1-5", "0-1-5");
        decide(ownership, "s.a", 0).release();
        progress.ask();
        logged(ownership, 0, 7, "s.a");
        progress.answer(GtidPosition.parse("0-1-6"));
        standbysAt("0-1-6");
        assertThat(ownership.ownersOf("s.a")).isEqualTo(1);
        logged(ownership, 0, 6, "s.a");
        standbysAt("0-1-7");
        assertThat(ownership.ownersOf("s.a")).isZero();
    }

    /** A client's own domain has no sequence number that all its writes share. */
    @Test
    void writesInDomainsOfClientsAreAppliedWithThePrimarysWholePosition() {
        TableOwnership ownership = ownership(10, null);
        poll("0-1-5", "0-1-5");
        TableEntry[] table = {ownership.entry("s.a")};
        ownership
                .force(table, DomainIndexes.FOREIGN, Conflict.UNSTEERABLE, Work.TABLES, 1, false)
                .release();
        poll("0-1-5,77-1-3", "0-1-5,77-1-2");
        assertThat(ownership.ownersOf("s.a")).isEqualTo(1 << DomainIndexes.FOREIGN);
        standbysAt("0-1-5,77-1-3");
        assertThat(ownership.ownersOf("s.a")).isZero();
    }

    /** A reload to advise and back while an ALTER runs in a domain. */
    @Test
    void anOwnershipAlsoAwaitsTheWritesBeforeASimulatedOne() {
        TableOwnership first = ownership(10, null);
        poll("0-1-5", "0-1-5");
        PendingWrite alter = decide(first, "s.big", 1);
        TableOwnership simulated = ownership(10, true, first);
        simulated.settle();
        TableOwnership again = ownership(10, simulated);
        again.settle();
        poll("0-1-6", "0-1-6");

        assertThat(again.ownersOf("s.big")).isNotZero();
        alter.release();
        again.settle();
        poll("0-1-6,10-1-1", "0-1-6");
        assertThat(again.ownersOf("s.big")).as("not applied yet").isNotZero();
        poll("0-1-6,10-1-1", "0-1-6,10-1-1");
        assertThat(again.ownersOf("s.big")).isZero();
    }

    /** It may have begun before the guard, so it is not judged. */
    @Test
    void aLoggedWriteOfAHeldStartOwnsItsTable() {
        TableOwnership ownership = ownership(10, null);
        ownership.inheritance.hold();
        poll("0-1-5", "0-1-5");
        assertThat(logged(ownership, 1, 1, "s.a")).isEmpty();
        assertThat(logged(ownership, 1, 1, "s.b")).isEmpty();
        assertThat(ownership.ownersOf("s.a")).isEqualTo(1 | 1 << 1);
        ownership.inheritance.free();
        poll("0-1-5,10-1-1", "0-1-5,10-1-1");
        assertThat(ownership.ownersOf("s.a")).isZero();
        assertThat(ownership.kept("s.a")).isNull();
        standbysAt("0-1-5");
        assertThat(ownership.ownersOf("s.a")).as("a standby went back").isEqualTo(1 | 1 << 1);
    }

    /** It began when what was there before the guard had ended: so nobody but another writer sent it. */
    @Test
    void aLoggedWriteAfterTheStartIsJudgedAlthoughTheStandbysAreBehind() {
        TableOwnership ownership = ownership(10, null);
        poll("0-1-5", "0-1-4");
        assertThat(logged(ownership, 0, 5, "s.a")).as("before the start").isEmpty();
        decide(ownership, "s.a", 0).release();

        assertThat(logged(ownership, 1, 1, "s.a")).containsExactly("s.a");
        assertThat(ownership.kept("s.a")).isEqualTo(Conflict.UNSEEN);
        assertThat(logged(ownership, 1, 2, "s.b")).containsExactly("s.b");
        poll("0-1-6,10-1-3", "0-1-6,10-1-1");
        assertThat(ownership.ownersOf("s.b"))
                .as("some standby has not applied it")
                .isEqualTo(1 << 1);
    }

    @Test
    void aLoggedWriteBeyondTheLimitIsOneOfUnknownTables() {
        TableOwnership ownership = ownership(2, null);
        poll("0-1-5", "0-1-5");
        PendingWrite first = decide(ownership, "s.a", 1);
        decide(ownership, "s.b", 1);
        assertThat(logged(ownership, 2, 1, "s.c")).isEmpty();

        first.release();
        poll("0-1-5,10-1-1,11-1-1", "0-1-5,10-1-1");
        PendingWrite next = decide(ownership, "s.a", 1);
        assertThat(next.index()).as("s.a may be that table").isZero();
        next.release();
        poll("0-1-6,10-1-1,11-1-1", "0-1-6,10-1-1,11-1-1");
        assertThat(decide(ownership, "s.a", 1).index()).isEqualTo(1);
    }

    /** The poller makes room while the log's reader waits for the monitor. */
    @Test
    void aLoggedWriteOfATableThatIsDroppedMeanwhileIsNotLost() throws Exception {
        TableOwnership ownership = ownership(1, null);
        poll("0-1-5", "0-1-5");
        TableEntry stale = ownership.entry("s.a");
        Thread reader = new Thread(() -> logged(ownership, 1, 1, "s.a"));
        synchronized (ownership) {
            reader.start();
            await().atMost(Duration.ofSeconds(30)).until(() -> reader.getState() == Thread.State.BLOCKED);
            ownership.makeRoom(table -> true);
            assertThat(stale.dropped()).isTrue();
        }
        reader.join(30_000);

        assertThat(ownership.ownersOf("s.a")).isEqualTo(1 << 1);
    }

    /** All event loops take the monitor for each write, and who listens logs and counts. */
    @Test
    void conflictsAreReportedWithoutTheMonitor() {
        List<String> held = new ArrayList<>();
        List<Conflict> met = new ArrayList<>();
        AtomicReference<TableOwnership> own = new AtomicReference<>();
        TableOwnership ownership = new TableOwnership(
                progress,
                new TableOwnership.Scope(10, false, true),
                table -> true,
                conflict -> {
                    met.add(conflict.kind());
                    if (Thread.holdsLock(own.get())) {
                        held.add(conflict.kind().label());
                    }
                },
                null,
                null);
        own.set(ownership);
        ownerships.add(ownership);
        poll("0-1-5", "0-1-5");
        TableEntry[] unknown = {ownership.unknown()};
        decide(ownership, "s.a", 1);
        decide(ownership, "s.a", 2).move(2, 1);
        decide(ownership, "s.a", 0);
        decide(ownership, "s.b", 1);
        ownership.force(unknown, 2, Conflict.WRITTEN_ANYWAY, Work.UNKNOWN, 1, false);
        ownership.logged.observe(List.of("s.b"), 0, DomainIndexes.DEFAULT, 6);
        assertThat(met)
                .contains(
                        Conflict.PINNED,
                        Conflict.REFUSED,
                        Conflict.TWO_DOMAINS,
                        Conflict.UNKNOWN_TABLES,
                        Conflict.UNSEEN);
        assertThat(held).isEmpty();
    }
}
