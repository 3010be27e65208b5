package io.understudy.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.understudy.config.Address;
import io.understudy.testkit.CapturedLog;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The proxy follows the only writable candidate; anything else changes nothing and is reported. */
class CandidatesTest {
    private static final Address A = Address.parse("a:1");
    private static final Address B = Address.parse("b:1");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ScheduledExecutorService executor = Executors.newScheduledThreadPool(2);
    private final PrimaryAddress address = new PrimaryAddress(A, registry, Clock.systemUTC());
    /** WRITABLE, READ_ONLY, or the exception that the probe throws. */
    private final Map<Address, Object> servers = new ConcurrentHashMap<>();

    private final Candidates candidates =
            new Candidates(address, at -> () -> probe(servers.getOrDefault(at, "")), null, registry, executor);

    /** A probe that is under way, and ends as one of a read-only server. */
    private record UnderWay(CountDownLatch begun, CountDownLatch end) {
        private UnderWay() {
            this(new CountDownLatch(1), new CountDownLatch(1));
        }
    }

    private static PrimaryProbe.Result probe(Object server) throws SQLException, IOException {
        if (server instanceof UnderWay probed) {
            probed.begun.countDown();
            try {
                probed.end.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            return new PrimaryProbe.Result("11.4.5-MariaDB", null, true, null);
        }
        if (server instanceof IOException e) {
            throw e;
        }
        if (server instanceof SQLException e) {
            throw e;
        }
        return new PrimaryProbe.Result("11.4.5-MariaDB", null, server.equals("READ_ONLY"), null);
    }

    @BeforeEach
    void start() throws InterruptedException {
        servers.put(A, "WRITABLE");
        servers.put(B, "READ_ONLY");
        candidates.watch(List.of(A, B));
        candidates.awaitFirst(Duration.ofSeconds(10));
        assertThat(candidates.problem()).isNull();
        assertThat(address.get()).isEqualTo(A);
    }

    @AfterEach
    void stop() {
        candidates.close();
        executor.shutdownNow();
    }

    private double writable() {
        return registry.get("understudy.primary.candidates.writable").gauge().value();
    }

    @Test
    void theOtherIsFollowedWhenItIsTheOnlyWritableOne() {
        servers.put(A, "READ_ONLY");
        await().until(candidates::none);
        assertThat(candidates.problem()).contains("none of the candidates").contains("a:1 is read-only");
        assertThat(writable()).isZero();
        assertThat(address.get()).isEqualTo(A);
        servers.put(B, "WRITABLE");
        await().until(() -> address.get().equals(B));
        assertThat(candidates.problem()).isNull();
        assertThat(registry.get("understudy.primary.changes")
                        .tag("reason", "candidate")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    /** A standby that comes first would be read as if it were the primary, which is dead. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noneIsThePrimaryUntilOneIsWritable(boolean chosen) {
        PrimaryAddress first = new PrimaryAddress(A, registry, Clock.systemUTC());
        AtomicInteger changes = new AtomicInteger();
        servers.put(A, "READ_ONLY");
        servers.put(B, new ConnectException("refused"));
        try (Candidates later =
                new Candidates(first, at -> () -> probe(servers.getOrDefault(at, "")), null, registry, executor)) {
            later.watch(List.of(A, B));
            AutoCloseable unused = first.onChange((from, to) -> {
                assertThat(later.unknown()).isNull();
                changes.incrementAndGet();
            });
            await().until(later::none);
            assertThat(later.unknown()).contains("since this process started");
            if (chosen) {
                later.admit(A);
                later.chosen();
            } else {
                servers.put(A, "WRITABLE");
            }
            await().until(() -> changes.get() == 1);
            assertThat(first.get()).isEqualTo(A);
            assertThat(first.mayFollow()).isTrue();
            servers.put(A, "READ_ONLY");
            await().until(later::none);
            assertThat(later.unknown()).isNull();
            assertThat(changes).hasValue(1);
        }
    }

    /** All have been restarted, with read_only in their option files, or the primary comes up later than the proxy. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPrimaryThatWasDownAtTheStartIsNoOtherOne(boolean down) {
        PrimaryAddress first = new PrimaryAddress(A, registry, Clock.systemUTC());
        AtomicInteger changes = new AtomicInteger();
        AtomicInteger decisions = new AtomicInteger();
        servers.put(A, down ? new ConnectException("refused") : "READ_ONLY");
        try (Candidates later =
                new Candidates(first, at -> () -> probe(servers.getOrDefault(at, "")), null, registry, executor)) {
            later.afterDecision(() -> decisions.addAndGet(later.none() ? 0 : 1));
            later.watch(List.of(A, B));
            AutoCloseable unused = first.onChange((from, to) -> changes.incrementAndGet());
            await().until(later::none);
            assertThat(later.unknown()).isNotNull();
            servers.put(A, "WRITABLE");
            await().until(() -> later.unknown() == null && decisions.get() > 0);
            assertThat(changes).hasValue(0);
        }
    }

    /** Without candidates the address is the primary's. */
    @Test
    void withoutCandidatesItIsKnown() {
        assertThat(candidates.unknown()).isNull();
        try (Candidates none = new Candidates(address, at -> () -> probe("READ_ONLY"), null, registry, executor)) {
            none.watch(List.of());
            assertThat(none.unknown()).isNull();
            none.watch(List.of(A));
            await().until(none::none);
            assertThat(none.unknown()).isNull();
        }
    }

    /** The last probe of the chosen one is older than its promotion, and the old primary comes back. */
    @Test
    void anOldPrimaryThatComesBackIsNotFollowedByAnOldProbe() throws Exception {
        UnderWay old = new UnderWay();
        servers.put(A, new ConnectException("refused"));
        await().until(candidates::none);
        servers.put(B, old);
        old.begun.await();
        candidates.admit(B);
        address.change(B, PrimaryAddress.Reason.API, "for the test");
        candidates.chosen();
        servers.put(A, "WRITABLE");
        await().until(() -> "writable".equals(candidates.view().get(0).get("role")));
        assertThat(address.get()).isEqualTo(B);
        servers.put(B, "WRITABLE");
        old.end.countDown();
        await().until(() -> candidates.verdictLabel().equals("split"));
        assertThat(address.get()).isEqualTo(B);
        assertThat(changes(registry)).isZero();
    }

    /** Nobody was down that could have been it, wherever it is in the list. */
    @Test
    void theFirstOfTheListWasNoPrimaryBefore() {
        PrimaryAddress first = new PrimaryAddress(B, registry, Clock.systemUTC());
        servers.put(A, "READ_ONLY");
        try (Candidates later =
                new Candidates(first, at -> () -> probe(servers.getOrDefault(at, "")), null, registry, executor)) {
            later.watch(List.of(B, A));
            await().until(later::none);
            servers.put(A, "WRITABLE");
            await().until(() -> first.get().equals(A));
            assertThat(first.mayFollow()).isFalse();
        }
    }

    /** A session may still be with an older one than the last. */
    @Test
    void aServerThatWasSilentIsAbandonedUntilItIsThePrimaryAgain() {
        Address third = Address.parse("c:1");
        PrimaryAddress of = new PrimaryAddress(A, new SimpleMeterRegistry(), Clock.systemUTC());
        assertThat(of.change(B, PrimaryAddress.Reason.API, "a test")).isTrue();
        assertThat(of.isAbandoned(A)).isFalse();
        of.silentWhile(() -> true);
        assertThat(of.change(third, PrimaryAddress.Reason.API, "a test")).isTrue();
        assertThat(of.isAbandoned(B)).isTrue();
        assertThat(of.isAbandoned(A)).isFalse();
        assertThat(of.isAbandoned(third)).isFalse();
        of.silentWhile(() -> false);
        assertThat(of.change(A, PrimaryAddress.Reason.API, "a test")).isTrue();
        assertThat(of.isAbandoned(B)).isTrue();
        assertThat(of.isAbandoned(third)).isFalse();
        assertThat(of.change(B, PrimaryAddress.Reason.API, "a test")).isTrue();
        assertThat(of.change(A, PrimaryAddress.Reason.API, "a test")).isTrue();
        assertThat(of.isAbandoned(B)).isFalse();
    }

    /** The first of the list stood for it only until the writable one was known. */
    @Test
    void findingThePrimaryAtTheStartIsNoChangeAndNoWarning() {
        SimpleMeterRegistry own = new SimpleMeterRegistry();
        PrimaryAddress atStart = new PrimaryAddress(A, own, Clock.systemUTC());
        servers.put(A, "READ_ONLY");
        servers.put(B, "WRITABLE");
        try (CapturedLog log = new CapturedLog();
                Candidates starting =
                        new Candidates(atStart, at -> () -> probe(servers.getOrDefault(at, "")), null, own, executor)) {
            starting.watch(List.of(A, B));
            await().until(() -> atStart.get().equals(B));
            assertThat(log.text())
                    .contains("the primary is b:1: of the candidates")
                    .doesNotContain("WARN");
            assertThat(atStart.present().reason()).isNull();
            assertThat(atStart.mayFollow()).isFalse();
            assertThat(changes(own)).isZero();
            servers.put(B, "READ_ONLY");
            servers.put(A, "WRITABLE");
            await().until(() -> atStart.get().equals(A));
            assertThat(log.text()).containsPattern("WARN.* the primary is now a:1, no longer b:1");
            assertThat(changes(own)).isEqualTo(1);
        }
    }

    /** The file had the address of a server before, as one that has just died. */
    @Test
    void anotherPrimaryAmongCandidatesThatAReloadAddsIsAChange() {
        SimpleMeterRegistry own = new SimpleMeterRegistry();
        PrimaryAddress atStart = new PrimaryAddress(A, own, Clock.systemUTC());
        servers.put(A, "READ_ONLY");
        servers.put(B, "WRITABLE");
        try (CapturedLog log = new CapturedLog();
                Candidates added =
                        new Candidates(atStart, at -> () -> probe(servers.getOrDefault(at, "")), null, own, executor)) {
            added.watch(List.of());
            added.watch(List.of(A, B));
            await().until(() -> atStart.get().equals(B));
            assertThat(log.text()).containsPattern("WARN.* the primary is now b:1, no longer a:1");
            assertThat(atStart.present().reason()).isEqualTo(PrimaryAddress.Reason.CANDIDATE);
            assertThat(changes(own)).isEqualTo(1);
        }
    }

    private static double changes(SimpleMeterRegistry in) {
        return in.get("understudy.primary.changes")
                .tag("reason", "candidate")
                .counter()
                .count();
    }

    @Test
    void aPlannedTimeWithoutAWritableOneIsLoggedOnlyIfItStays() {
        AtomicBoolean held = new AtomicBoolean(true);
        address.setPlannedCheck(held::get);
        try (CapturedLog log = new CapturedLog()) {
            servers.put(A, "READ_ONLY");
            await().until(candidates::none);
            assertThat(log.text()).doesNotContain("WARN");
            held.set(false);
            await().until(() -> log.text().contains("none of the candidates is writable"));
        }
    }

    @Test
    void anOperatorsChoiceIsInTheReportAtOnce() {
        servers.put(A, "READ_ONLY");
        await().until(candidates::none);
        assertThat(candidates.problem()).contains("the proxy stays with a:1");
        candidates.admit(B);
        address.change(B, PrimaryAddress.Reason.API, "for the test");
        candidates.chosen();
        assertThat(candidates.problem()).contains("none of the candidates").contains("the proxy stays with b:1");
        assertThat(candidates.problem())
                .as("an old primary replicates from none, too")
                .contains("If no other server has been promoted since, and the primary is there");
    }

    @Test
    void twoWritableOnesChangeNothing() {
        servers.put(B, "WRITABLE");
        await().until(() -> candidates.problem() != null);
        assertThat(candidates.problem()).startsWith("split: a:1 and b:1 are all writable; the proxy stays with a:1");
        assertThat(writable()).isEqualTo(2);
        candidates.admit(B);
        servers.put(A, new IOException("Connection refused"));
        await().until(() -> address.get().equals(B));
        assertThatThrownBy(() -> candidates.admit(A)).hasMessageContaining("b:1 is writable");
        assertThatThrownBy(() -> candidates.admit(Address.parse("c:1"))).hasMessageContaining("primary.candidates");
    }

    /** A process that starts then does not know which of them was the primary. */
    @Test
    void nobodyIsLetInDuringASplitSinceTheStart() throws InterruptedException {
        servers.put(B, "WRITABLE");
        SimpleMeterRegistry own = new SimpleMeterRegistry();
        PrimaryAddress atStart = new PrimaryAddress(A, own, Clock.systemUTC());
        try (Candidates started =
                new Candidates(atStart, at -> () -> probe(servers.getOrDefault(at, "")), null, own, executor)) {
            started.watch(List.of(A, B));
            started.awaitFirst(Duration.ofSeconds(10));
            assertThat(started.unchosen()).contains("POST /api/primary");
            started.admit(B);
            atStart.change(B, PrimaryAddress.Reason.API, "for the test");
            started.chosen();
            assertThat(started.unchosen()).isNull();
        }
        PrimaryAddress again = new PrimaryAddress(A, new SimpleMeterRegistry(), Clock.systemUTC());
        try (Candidates started = new Candidates(
                again, at -> () -> probe(servers.getOrDefault(at, "")), null, new SimpleMeterRegistry(), executor)) {
            started.watch(List.of(A, B));
            started.awaitFirst(Duration.ofSeconds(10));
            assertThat(started.unchosen()).isNotNull();
            servers.put(A, "READ_ONLY");
            await().until(() -> started.unchosen() == null);
            assertThat(again.get()).isEqualTo(B);
        }
        assertThat(candidates.unchosen()).as("it had a primary before").isNull();
    }

    private static SQLException locked() {
        return new SQLException("Access denied, this account is locked", "HY000", 4151);
    }

    /** Begins to watch A and B, in this order, as a process that starts. */
    private Candidates started(PrimaryAddress of, AccountHealth health) throws InterruptedException {
        Candidates started = new Candidates(
                of, at -> () -> probe(servers.getOrDefault(at, "")), health, new SimpleMeterRegistry(), executor);
        started.watch(List.of(A, B));
        started.awaitFirst(Duration.ofSeconds(10));
        return started;
    }

    private static PrimaryAddress first() {
        return new PrimaryAddress(A, new SimpleMeterRegistry(), Clock.systemUTC());
    }

    private static AccountHealth health() {
        return new AccountHealth("primary.monitor", () -> "m", () -> "primary " + A, System::nanoTime);
    }

    /** It may be the primary of other proxies, and the writable one an old one that came back. */
    @ParameterizedTest
    @ValueSource(ints = {4151, 1045, 1040, 1129, 1130})
    void nobodyIsLetInAtTheStartWhileOneThatAnswersCannotBeQueried(int error) throws InterruptedException {
        servers.put(B, new SQLException("it lets nobody in", "HY000", error));
        PrimaryAddress first = first();
        AtomicInteger begun = new AtomicInteger();
        AutoCloseable unused = first.onChange((from, to) -> begun.incrementAndGet());
        try (Candidates started = started(first, health())) {
            assertThat(started.unchosen())
                    .contains("a:1 is writable", "b:1 is alive", "it lets nobody in", "let primary.monitor query b:1")
                    .contains("take that out of primary.candidates", "POST /api/primary")
                    .as("1040, 1129 and 1130 are no fault of the account")
                    .doesNotContain("account");
            assertThat(started.problem()).contains(started.unchosen());
            assertThat(started.verdictLabel()).isEqualTo("unclear");
            assertThat(started.unknown()).as("no binary log is read").isNotNull();
            servers.put(B, "READ_ONLY");
            await().until(() -> started.unchosen() == null && started.unknown() == null);
            assertThat(first.get()).isEqualTo(A);
            servers.put(B, locked());
            await().until(() -> started.view().toString().contains("unclear"));
            assertThat(started.unchosen()).as("it has known the primary since").isNull();
        }
    }

    /** On a slow machine the proxy begins to listen before. */
    @Test
    void nobodyIsLetInBeforeAllHaveBeenProbed() throws InterruptedException {
        UnderWay slow = new UnderWay();
        servers.put(B, slow);
        try (Candidates later = new Candidates(
                first(),
                at -> () -> probe(Objects.requireNonNull(servers.get(at))),
                null,
                new SimpleMeterRegistry(),
                executor)) {
            later.watch(List.of(A, B));
            later.awaitFirst(Duration.ofMillis(100));
            assertThat(later.unchosen()).contains("the first response of [b:1] is awaited");
            slow.end.countDown();
            await().until(() -> later.unchosen() == null);
            assertThat(later.unknown()).isNull();
        } finally {
            slow.end.countDown();
        }
    }

    /** The usual case after a crash. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDeadCandidateKeepsNoProcessFromStarting(boolean refuses) throws InterruptedException {
        servers.put(B, refuses ? new ConnectException("refused") : new SocketTimeoutException("connect timed out"));
        try (Candidates started = started(first(), health())) {
            assertThat(started.unchosen()).isNull();
            assertThat(started.problem()).isNull();
            assertThat(started.unknown()).isNull();
        }
    }

    private static SQLException late() {
        return new SQLException(
                "Connection timeout: connectTimeout (900ms) reached during authentication phase with b:1", "08000");
    }

    private static SQLException failed(int error) {
        return error == 0 ? late() : new SQLException("it lets nobody in", "HY000", error);
    }

    /** @param error 0: its answer comes too late */
    @ParameterizedTest
    @CsvSource({"4151, true", "4151, false", "1129, true", "1129, false", "1130, true", "0, true", "0, false"})
    void anOperatorChoosesTheOneThatCannotBeQueried(int error, boolean writable) throws InterruptedException {
        servers.put(A, writable ? "WRITABLE" : failed(error));
        servers.put(B, failed(error));
        PrimaryAddress first = first();
        AtomicInteger probed = new AtomicInteger();
        try (Candidates started = started(first, health())) {
            assertThat(started.unchosen()).contains("b:1 is alive");
            assertThat(started.admit(B)).as("without a probe").isTrue();
            first.change(B, PrimaryAddress.Reason.API, "for the test");
            started.chosen();
            started.afterDecision(probed::incrementAndGet);
            await().until(() -> probed.get() > 3); // of each one that began after the choice
            assertThat(first.get()).isEqualTo(B);
            assertThat(started.unchosen()).isNull();
            assertThat(started.problem()).startsWith("unclear: b:1 is alive").contains("stays with it");
        }
    }

    /** An outage where clients are let in elsewhere. An account concerns the monitor alone. */
    @ParameterizedTest
    @CsvSource({"1129, false", "1130, false", "0, false", "4151, true"})
    void oneThatLetsNobodyInIsNotUsable(int error, boolean usable) {
        String why = PrimaryMonitor.unusable(B, () -> probe(failed(error)));
        if (usable) {
            assertThat(why).isNull();
        } else {
            assertThat(why).startsWith("b:1 does not respond: ");
        }
    }

    /** The proxy follows none then, so it must not say that it does. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anOperatorChoosesBesideAPresentPrimaryThatCannotBeQueried(boolean known) throws InterruptedException {
        Address c = Address.parse("c:1");
        Address d = Address.parse("d:1");
        servers.put(A, known ? "WRITABLE" : locked());
        servers.put(d, "READ_ONLY");
        PrimaryAddress first = first();
        try (Candidates started = started(first, health())) {
            servers.put(A, locked());
            servers.put(B, failed(1129));
            servers.put(c, "WRITABLE");
            await().until(() -> roles(started).equals(List.of("unclear", "unclear")));
            started.watch(List.of(A, B, c, d));
            await().until(() -> roles(started).equals(List.of("unclear", "unclear", "writable", "read-only")));
            assertThat(started.unchosen()).isNull();
            assertThatThrownBy(() -> started.admit(d)).hasMessage("d:1 is read-only; choose one of [a:1, b:1, c:1]");
            assertThat(started.admit(B))
                    .as("clients are with A, so B is probed")
                    .isFalse();
            first.change(B, PrimaryAddress.Reason.API, "for the test");
            started.chosen();
            assertThat(started.problem()).startsWith("unclear: b:1 is alive");
        }
    }

    /** What {@link Candidates#unchosen} names may be chosen. */
    @Test
    void anOperatorChoosesTheOneThatCannotBeQueriedDuringASplit() throws InterruptedException {
        Address c = Address.parse("c:1");
        servers.put(B, "WRITABLE");
        servers.put(c, locked());
        try (Candidates started = new Candidates(
                first(), at -> () -> probe(servers.getOrDefault(at, "")), null, new SimpleMeterRegistry(), executor)) {
            started.watch(List.of(A, B, c));
            started.awaitFirst(Duration.ofSeconds(10));
            assertThat(started.unchosen()).contains("c:1 is alive", "choose one: POST /api/primary");
            assertThat(started.admit(c)).isTrue();
            assertThat(started.admit(B)).as("without a probe").isFalse();
        }
    }

    /** Others may work with it, and the writable one be an old one that came back. */
    @Test
    void aPresentPrimaryThatRefusesThisHostIsNotLeft() {
        servers.put(A, failed(1129));
        servers.put(B, "WRITABLE");
        await().until(() -> candidates.verdictLabel().equals("unclear")
                && candidates.view().toString().contains("writable"));
        assertThat(address.get()).isEqualTo(A);
        servers.put(A, new ConnectException("refused"));
        await().until(() -> address.get().equals(B));
    }

    /** Else no proxy could start before a standby that lacks the account. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theAccountOfTheStandbysTellsThatOneIsReadOnly(boolean firstOfTheList) throws InterruptedException {
        Address standby = firstOfTheList ? A : B;
        Address primary = firstOfTheList ? B : A;
        servers.put(standby, locked());
        servers.put(primary, "WRITABLE");
        PrimaryAddress first = first();
        Map<Address, Boolean> known = new ConcurrentHashMap<>();
        try (Candidates started = started(first, health())) {
            started.askStandbys(known::get);
            known.put(standby, false);
            await().during(Duration.ofMillis(600)).until(() -> started.unchosen() != null);
            known.put(standby, true);
            await().until(() -> started.unchosen() == null && started.unknown() == null);
            assertThat(first.get()).isEqualTo(primary);
            assertThat(started.problem()).isNull();
        }
    }

    /** No other one can be the primary. */
    @Test
    void theOnlyOneThatMayBeWritableIsServed() throws InterruptedException {
        servers.put(A, locked());
        try (Candidates started = started(first(), health())) {
            assertThat(started.unchosen()).isNull();
            assertThat(started.problem()).startsWith("unclear: a:1 is alive");
            servers.put(B, "WRITABLE");
            await().until(() -> started.view().toString().contains("writable"));
            assertThat(started.unchosen()).as("clients are with the other").isNull();
            servers.put(A, "WRITABLE");
            await().until(() -> started.unchosen() != null);
        }
    }

    /** Its clients are with it, whatever the others are. */
    @Test
    void theOneThatIsServedIsServedAgainAfterItsRestart() throws InterruptedException {
        servers.put(A, locked());
        servers.put(B, new ConnectException("refused"));
        try (Candidates started = started(first(), health())) {
            assertThat(started.unchosen()).isNull();
            servers.put(B, locked());
            await().until(() -> roles(started).equals(List.of("unclear", "unclear")));
            assertThat(started.unchosen()).isNull();
            servers.put(A, new ConnectException("refused"));
            await().until(started::none);
            servers.put(A, locked());
            await().until(() -> roles(started).equals(List.of("unclear", "unclear")));
            assertThat(started.unchosen()).isNull();
            assertThat(started.problem()).startsWith("unclear: a:1 is alive");
        }
    }

    @Test
    void aReloadKeepsNobodyFromTheOneThatIsServed() throws InterruptedException {
        Address c = Address.parse("c:1");
        UnderWay slow = new UnderWay();
        servers.put(A, locked());
        servers.put(c, slow);
        try (Candidates started = started(first(), health())) {
            assertThat(started.unchosen()).isNull();
            servers.put(B, locked());
            await().until(() -> roles(started).equals(List.of("unclear", "unclear")));
            started.watch(List.of(A, B, c));
            assertThat(started.unchosen()).as("before the first probe of c").isNull();
            slow.end.countDown();
            await().until(() -> roles(started).equals(List.of("unclear", "unclear", "read-only")));
            assertThat(started.unchosen()).isNull();
            assertThat(started.problem()).startsWith("unclear: a:1 is alive");
        } finally {
            slow.end.countDown();
        }
    }

    /** What it was served for is over, and the one that cannot be queried may be the primary of other proxies. */
    @Test
    void oneThatWasServedAndIsReadOnlyLetsNobodyFollowAnother() throws InterruptedException {
        Address c = Address.parse("c:1");
        servers.put(A, locked());
        servers.put(B, new ConnectException("refused"));
        PrimaryAddress first = first();
        try (Candidates started = started(first, health())) {
            servers.put(B, locked());
            servers.put(A, "READ_ONLY");
            await().until(() -> roles(started).equals(List.of("read-only", "unclear")));
            servers.put(c, "WRITABLE");
            started.watch(List.of(A, B, c));
            await().until(() -> roles(started).equals(List.of("read-only", "unclear", "writable")));
            assertThat(started.unchosen()).contains("b:1 is alive", "c:1 is writable");
            assertThat(first.get()).isEqualTo(A);
            servers.put(A, locked());
            await().until(() -> roles(started).equals(List.of("unclear", "unclear", "writable")));
            assertThat(started.unchosen()).contains("a:1 is alive", "b:1 is alive", "c:1 is writable");
            assertThat(started.unknown()).isNotNull();
        }
    }

    /** Nobody was let in there, so another one may have been the primary before it came back. */
    @ParameterizedTest
    @CsvSource({"1129, WRITABLE", "1130, WRITABLE", "1129, unclear"})
    void oneThatRefusesThisHostIsNotServed(int error, String other) throws InterruptedException {
        servers.put(A, failed(error));
        servers.put(B, new ConnectException("refused"));
        PrimaryAddress first = first();
        try (Candidates started = started(first, health())) {
            assertThat(started.problem()).startsWith("unclear: a:1 is alive");
            assertThat(started.unchosen()).as("no other one can be the primary").isNull();
            assertThat(started.unknown())
                    .as("B, which is dead, may be the primary")
                    .isNotNull();
            servers.put(B, other.equals("WRITABLE") ? other : locked());
            await().until(() -> started.unchosen() != null);
            assertThat(started.unchosen()).contains("a:1 is alive", "b:1 is", "POST /api/primary");
            assertThat(first.get()).isEqualTo(A);
        }
    }

    /** It was a standby before it could not be queried, so it lets nobody follow another. */
    @Test
    void aStandbyThatCannotBeQueriedIsNotServed() throws InterruptedException {
        servers.put(A, "READ_ONLY");
        servers.put(B, new ConnectException("refused"));
        try (Candidates started = started(first(), health())) {
            servers.put(A, locked());
            await().until(() -> started.verdictLabel().equals("unclear"));
            assertThat(started.unknown()).isNotNull();
            servers.put(B, "WRITABLE");
            await().until(() -> started.unchosen() != null);
        }
    }

    private static List<Object> roles(Candidates of) {
        return of.view().stream()
                .map(each -> Objects.requireNonNull(each.get("role")))
                .toList();
    }

    /** The driver gives up a login that takes long: that is no fault of the account. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLateAnswerIsAwaitedAndNotTheAccountsFault(boolean once) throws InterruptedException {
        servers.put(B, late());
        AccountHealth health = health();
        Candidates later = new Candidates(
                first(),
                at -> () -> {
                    try {
                        return probe(servers.getOrDefault(at, ""));
                    } finally {
                        if (once && at.equals(B)) {
                            servers.put(B, "READ_ONLY");
                        }
                    }
                },
                health,
                new SimpleMeterRegistry(),
                executor);
        try (later) {
            later.watch(List.of(A, B));
            later.awaitFirst(Duration.ofSeconds(10));
            if (once) {
                assertThat(later.unchosen()).isNull();
                assertThat(later.problem()).isNull();
            } else {
                assertThat(later.unchosen()).contains("b:1 is alive", "(no response in time)");
            }
            assertThat(health.problem()).isNull();
        }
    }

    /** Each login takes longer than a probe waits, so that what comes late is preceded by silence. */
    @Test
    void aLateAnswerCountsDuringTheSilenceOfTheNextLogin() throws InterruptedException {
        long begun = System.nanoTime();
        AtomicBoolean answered = new AtomicBoolean();
        PrimaryProbe slow = () -> {
            boolean answers = System.nanoTime() - begun > Duration.ofSeconds(2).toNanos();
            return probe(answers && !answered.getAndSet(true) ? late() : new SocketTimeoutException("no response"));
        };
        PrimaryAddress first = first();
        Candidates started = new Candidates(
                first,
                at -> at.equals(B) ? slow : () -> probe("WRITABLE"),
                health(),
                new SimpleMeterRegistry(),
                executor);
        try (started) {
            started.watch(List.of(A, B));
            started.awaitFirst(Duration.ofSeconds(10));
            assertThat(started.unchosen()).contains("b:1 is alive");
            assertThat(started.unknown()).isNotNull();
            await().until(() -> started.unchosen() == null); // it is silent since
            assertThat(started.view().toString()).contains("unreachable");
        }
    }

    /** On a busy machine the first probe may have no response in time. */
    @Test
    void oneThatIsSilentAtFirstIsNotLost() throws InterruptedException {
        AtomicBoolean probed = new AtomicBoolean();
        PrimaryProbe slow = () -> probe(probed.getAndSet(true) ? "WRITABLE" : new SocketTimeoutException());
        try (CapturedLog log = new CapturedLog();
                Candidates started = new Candidates(
                        new PrimaryAddress(A, new SimpleMeterRegistry(), Clock.systemUTC()),
                        at -> at.equals(A) ? slow : () -> probe("READ_ONLY"),
                        null,
                        new SimpleMeterRegistry(),
                        executor)) {
            started.watch(List.of(A, B));
            started.awaitFirst(Duration.ofSeconds(10));
            assertThat(started.problem()).isNull();
            assertThat(log.text()).contains("a:1 is writable").doesNotContain("none of the candidates");
        }
    }

    @Test
    void aPresentPrimaryThatCannotBeQueriedIsNotLeft() {
        servers.put(A, new SQLException("Access denied", "28000", 1045));
        servers.put(B, "WRITABLE");
        await().until(() -> candidates.problem() != null
                && candidates.problem().startsWith("unclear: a:1 is alive")
                && candidates.problem().contains("Access denied"));
        assertThat(address.get()).isEqualTo(A);
        servers.put(A, "READ_ONLY");
        await().until(() -> address.get().equals(B));
    }

    /** The check logs in to the primary alone, and says nothing of the others. */
    @Tag("long")
    @Test
    void anotherCandidateThatRefusesTheAccountIsOneProblemOfItsOwn() throws InterruptedException {
        SimpleMeterRegistry own = new SimpleMeterRegistry();
        AtomicLong later = new AtomicLong();
        AccountHealth health = new AccountHealth("primary.monitor", () -> "m", () -> "primary " + A, later::get);
        AtomicInteger probes = new AtomicInteger();
        servers.put(B, new SQLException("Access denied", "28000", 1045));
        PrimaryProbe refusing = () -> {
            try {
                return probe(servers.get(B));
            } finally {
                probes.incrementAndGet();
            }
        };
        try (CapturedLog log = new CapturedLog();
                Candidates refused = new Candidates(
                        new PrimaryAddress(A, own, Clock.systemUTC()),
                        at -> at.equals(B) ? refusing : () -> probe("WRITABLE"),
                        health,
                        own,
                        executor)) {
            refused.watch(List.of(A, B));
            refused.awaitFirst(Duration.ofSeconds(10));
            await().until(() -> probes.get() > 1);
            later.addAndGet(AccountHealth.GRACE.toNanos());
            for (int check = 0; check < 2; check++) {
                health.loggedIn();
                assertThat(health.problem()).as("check %s", check).isNotNull();
                int before = probes.get();
                await().until(() -> probes.get() > before + 1);
                assertThat(health.sentence())
                        .startsWith("candidate b:1 refuses the account of primary.monitor ('m') with error 1045");
                later.addAndGet(LoginCheck.INTERVAL.toNanos());
            }
            assertThat(log.text())
                    .containsOnlyOnce("refuses the account of primary.monitor")
                    .doesNotContain("again");
            servers.put(B, "READ_ONLY");
            await().until(() -> log.text().contains("candidate b:1 accepts the account of primary.monitor again"));
            assertThat(health.problem()).isNull();
        }
    }

    @Test
    void otherCandidatesAreWatchedAfterAReload() throws InterruptedException {
        Address c = Address.parse("c:1");
        servers.put(c, "WRITABLE");
        servers.put(A, new IOException("Connection refused"));
        candidates.watch(List.of(B, c));
        candidates.awaitFirst(Duration.ofSeconds(10));
        await().until(() -> address.get().equals(c));
    }
}
