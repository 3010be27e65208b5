package io.understudy.plugins.binlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.AccountUse;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Primary;
import io.understudy.plugin.ServerFlavor;
import io.understudy.testkit.CapturedLog;
import io.understudy.testkit.Fakes;
import io.understudy.testkit.ManualExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BinlogFeedTest {
    private static final long MS = 1_000_000L;

    private final ManualExecutor executor = new ManualExecutor();
    private final FakePrimary primary = new FakePrimary(executor);
    private final BinlogFeed feed = new BinlogFeed(primary, primary, AccountUse.NONE, executor, executor::nanos);
    private final EventBuilder server = new EventBuilder(1, true);
    private long sequence = 10;

    /** A plugin's listener that records its calls. */
    private static final class Plugin implements BinlogListener {
        private final List<String> calls = new ArrayList<>();
        private final List<BinlogTransaction> transactions = new ArrayList<>();
        private String failIn = "";
        private long rest;

        @Override
        public void onTransaction(BinlogTransaction transaction) {
            calls.add(String.valueOf(transaction.gtid()));
            transactions.add(transaction);
            failIf("onTransaction");
        }

        @Override
        public void onStart(PrimaryFacts facts) {
            calls.add("start");
            failIf("onStart");
        }

        @Override
        public void onGap(BinlogTrouble trouble) {
            calls.add("gap " + trouble.reason().label());
            failIf("onGap");
        }

        long restNanos() {
            failIf("restNanos");
            return rest;
        }

        private void failIf(String where) {
            if (failIn.equals(where)) {
                throw new IllegalStateException("a bug");
            }
        }
    }

    private final Plugin first = new Plugin();
    private final Plugin second = new Plugin();

    private BinlogSubscription join(String name, Plugin plugin, boolean tables, long serverId) {
        return feed.subscribe(new BinlogNeeds(name, tables, serverId, plugin::restNanos), plugin);
    }

    private BinlogSubscription join(String name, Plugin plugin) {
        return join(name, plugin, false, 0);
    }

    private void settle() {
        executor.advance(Duration.ofMillis(10));
    }

    /** Joins a stream and asserts that the listener received its begin. */
    private BinlogSubscription joined(String name, Plugin plugin, boolean tables) {
        BinlogSubscription subscription = join(name, plugin, tables, 0);
        settle();
        if (primary.open().size() == 1 && plugin == first) {
            primary.last().feed(server.format("11.4.5-MariaDB"));
        }
        return subscription;
    }

    private ByteBuf begin() {
        return server.mariaDbGtid(0, ++sequence, 0x0c, 0);
    }

    private void transaction() {
        primary.last().feed(begin(), server.table(7, "shop", "orders"), server.xid());
    }

    private long allowed() {
        return primary.last().streaming().restNanos() / MS;
    }

    /** The account's remedy is that of its own error. */
    @Test
    void theAccountGetsTheWholeError() {
        List<String> refused = new ArrayList<>();
        BinlogFeed reporting = new BinlogFeed(
                primary,
                primary,
                new AccountUse() {
                    @Override
                    public void works() {}

                    @Override
                    public void refused(int code, String error) {
                        refused.add(code + " " + error);
                    }
                },
                executor,
                executor::nanos);
        List<String> told = new ArrayList<>();
        primary.refuse = "error 1045 (28000): Access denied; is the password right";
        reporting.subscribe(new BinlogNeeds("black-box", false, 0, () -> 0), new BinlogListener() {
            @Override
            public void onTransaction(BinlogTransaction transaction) {}

            @Override
            public void onStart(PrimaryFacts facts) {}

            @Override
            public void onGap(BinlogTrouble trouble) {
                told.add(trouble.message());
            }
        });
        settle();
        assertThat(refused).singleElement().asString().startsWith("1045 ").endsWith("; is the password right");
        assertThat(told).singleElement().asString().contains("is the password right; ");
        reporting.close();
    }

    @ParameterizedTest
    @CsvSource({"1045, true", "3118, true", "1226, true", "1053, false", "3024, false"})
    void onlyErrorsOfTheAccountPointToIt(int code, boolean account) {
        String remedy = BinlogErrors.remedy(
                BinlogTrouble.Reason.CONNECTION, "the primary cannot be queried: error " + code + ": no");
        assertThat(remedy.contains("the account of primary.monitor")).isEqualTo(account);
    }

    @Test
    void twoPluginsReadOneConnection() {
        join("commit-latency", first);
        join("gtid-domain", second);
        settle();
        assertThat(primary.dumps).hasSize(1);
        primary.last().feed(server.format("11.4.5-MariaDB"));
        transaction();
        assertThat(first.calls).containsExactly("start", "0-1-11");
        assertThat(second.calls).containsExactly("start", "0-1-11");
    }

    @Test
    void aLateSubscriberReceivesTheBeginAndThenWholeTransactionsOnly() {
        joined("commit-latency", first, false);
        transaction();
        primary.last().feed(begin());
        joined("gtid-domain", second, true);
        assertThat(second.calls).as("within a transaction").isEmpty();
        primary.last().feed(server.table(7, "shop", "orders"), server.xid());
        assertThat(second.calls).containsExactly("start");
        transaction();
        assertThat(second.calls).containsExactly("start", "0-1-13");
        assertThat(first.calls).containsExactly("start", "0-1-11", "0-1-12", "0-1-13");
        assertThat(first.transactions.get(1).tablesKnown())
                .as("it began before anyone asked for tables")
                .isFalse();
        assertThat(second.transactions.get(0).tables()).containsExactly("shop.orders");
        assertThat(second.transactions.get(0).tablesKnown()).isTrue();
        assertThat(primary.dumps).hasSize(1);
    }

    @Test
    void tablesAreReadWhileASubscriberNeedsThem() {
        joined("commit-latency", first, false);
        transaction();
        BinlogSubscription tables = joined("gtid-domain", second, true);
        transaction();
        primary.last().feed(begin());
        tables.close();
        primary.last().feed(server.table(7, "shop", "orders"), server.xid());
        transaction();
        assertThat(first.transactions)
                .extracting(BinlogTransaction::tables)
                .containsExactly(Set.of(), Set.of("shop.orders"), Set.of("shop.orders"), Set.of());
        assertThat(first.transactions)
                .extracting(BinlogTransaction::tablesKnown)
                .containsExactly(false, true, true, false);
    }

    @Test
    void aSubscriberThatLeavesReceivesNothingMoreAndTheStreamEndsWithTheLast() {
        BinlogSubscription one = joined("commit-latency", first, false);
        BinlogSubscription other = joined("gtid-domain", second, false);
        one.close();
        one.close();
        transaction();
        assertThat(first.calls).containsExactly("start");
        assertThat(second.calls).containsExactly("start", "0-1-11");
        assertThat(primary.open()).hasSize(1);
        other.close();
        assertThat(primary.open()).isEmpty();
        executor.advance(Duration.ofMinutes(5));
        assertThat(primary.dumps).as("nobody asks any more").hasSize(1);
        assertThat(second.calls).as("leaving is no gap").containsExactly("start", "0-1-11");
    }

    @Test
    void beginsAgainWithTheNextSubscriber() {
        joined("commit-latency", first, false).close();
        primary.facts = new PrimaryFacts(ServerFlavor.MARIADB, 2, "", true, "ROW", true, "0-2-7");
        join("gtid-domain", second);
        settle();
        assertThat(primary.dumps).hasSize(2);
        assertThat(primary.open()).hasSize(1);
        primary.last().feed(server.format("11.4.5-MariaDB"));
        transaction();
        assertThat(second.calls).as("a newcomer had no other server before").containsExactly("start", "0-1-11");
        assertThat(first.calls).containsExactly("start");
    }

    @Test
    void restsForTheShortestAllowedTime() {
        first.rest = 20 * MS;
        second.rest = 2 * MS;
        joined("gtid-domain", first, false);
        assertThat(allowed()).isEqualTo(20);
        BinlogSubscription quick = joined("commit-latency", second, false);
        assertThat(allowed()).isEqualTo(2);
        second.rest = 0;
        assertThat(allowed()).isZero();
        transaction();
        assertThat(first.transactions.get(0).punctual()).isTrue();
        quick.close();
        assertThat(allowed()).isEqualTo(20);
        transaction();
        assertThat(first.transactions.get(1).punctual()).isFalse();
    }

    @Test
    void aSubscriberThatJoinsWithoutAStreamReceivesTheReason() {
        primary.refuse = "connection refused";
        join("commit-latency", first);
        settle();
        join("gtid-domain", second);
        assertThat(second.calls).as("not by the thread that joins").isEmpty();
        settle();
        assertThat(first.calls).containsExactly("gap connection");
        assertThat(second.calls).containsExactly("gap connection");
        primary.refuse = null;
        executor.advance(Duration.ofSeconds(2));
        assertThat(first.calls).containsExactly("gap connection", "start");
        assertThat(second.calls).containsExactly("gap connection", "start");
        assertThat(primary.dumps).hasSize(1);
    }

    @Test
    void aGapAndAnotherServerAreReportedToAllAndLoggedOnce() {
        joined("commit-latency", first, false);
        joined("gtid-domain", second, false);
        primary.facts = new PrimaryFacts(ServerFlavor.MARIADB, 2, "", true, "ROW", true, "0-2-7");
        try (CapturedLog log = new CapturedLog()) {
            primary.last().streaming().onEnd("the server closed the connection");
            executor.advance(Duration.ofSeconds(2));
            assertThat(log.text()).containsOnlyOnce("no binary log from the primary");
            assertThat(log.text()).containsOnlyOnce("the primary is another server than before (server id 2)");
        }
        assertThat(first.calls).containsExactly("start", "gap connection", "start");
        assertThat(second.calls).isEqualTo(first.calls);
    }

    private static PrimaryFacts at(String position) {
        return new PrimaryFacts(ServerFlavor.MARIADB, 1, "", true, "ROW", true, position);
    }

    private static BinlogTransaction lent(long number) {
        return Transactions.of(
                "0-1-" + number, TransactionKind.WRITE, 0, 1, number, -1, 0, 0, Set.of("shop.orders"), true);
    }

    @Test
    void whatAnotherConnectionReadsIsPassedOnAndNotReadAgain() {
        joined("commit-latency", first, false);
        transaction();
        feed.lend(at("0-1-10"));
        assertThat(primary.open()).isEmpty();
        feed.lent(lent(11));
        joined("other", second, false);
        feed.lent(lent(12));
        assertThat(first.calls).containsExactly("start", "0-1-11", "gap connection", "start", "0-1-11", "0-1-12");
        assertThat(second.calls).containsExactly("start", "0-1-12");
        executor.advance(Duration.ofMinutes(5));
        assertThat(primary.dumps).hasSize(1);

        feed.takeBack("it ends");
        feed.takeBack("once");
        feed.lent(lent(13));
        settle();
        assertThat(primary.open()).hasSize(1);
        primary.last().feed(server.format("11.4.5-MariaDB"));
        transaction();
        assertThat(second.calls).containsExactly("start", "0-1-12", "gap connection", "start", "0-1-12");
    }

    @Test
    void whoJoinsALentStreamIsToldWhereItIs() {
        feed.lend(at("0-1-10,7-1-3"));
        feed.lent(lent(11));
        List<String> positions = new ArrayList<>();
        feed.subscribe(new BinlogNeeds("gtid-domain", false, 0, () -> 0), new BinlogListener() {
            @Override
            public void onTransaction(BinlogTransaction transaction) {}

            @Override
            public void onStart(PrimaryFacts facts) {
                positions.add(facts.position());
            }
        });
        assertThat(positions).as("not by the thread that joins").isEmpty();
        settle();
        assertThat(positions).containsExactly("0-1-11,7-1-3");
    }

    @Test
    void itStaysLentWhileNobodySubscribes() {
        joined("commit-latency", first, false).close();
        feed.lend(at("0-1-10"));
        joined("gtid-domain", second, false).close();
        feed.lent(lent(11));
        joined("commit-latency", first, false);
        feed.lent(lent(12));
        assertThat(first.calls).containsExactly("start", "start", "0-1-12");
        assertThat(second.calls).containsExactly("start");
        assertThat(primary.dumps).hasSize(1);
        feed.close();
        feed.takeBack("it ends");
        feed.lend(at("0-1-12"));
        settle();
        assertThat(primary.dumps).hasSize(1);
    }

    /** Events' bytes come from an exact position, and work with tables would hold up the other connection. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoNeedsMoreThanTheArrivalOfTransactionsHasAStreamOfItsOwn(boolean tables) {
        feed.lend(at("0-1-10"));
        joined("commit-latency", first, false);
        BinlogNeeds needs = new BinlogNeeds("other", tables, 0, () -> 0, tables ? null : EventBuilder.UNWANTED);
        BinlogSubscription more = feed.subscribe(needs, second);
        settle();
        assertThat(first.calls).containsExactly("start", "gap connection", "start");
        assertThat(second.calls).containsExactly("start");
        feed.lend(at("0-1-10"));
        assertThat(primary.open()).as("not while it is needed").hasSize(1);
        more.close();
        feed.lend(at("0-1-10"));
        assertThat(primary.open()).isEmpty();
    }

    @Test
    void aSubscriberThatJoinsAsTheStreamEndsReceivesTheGapOnce() {
        joined("commit-latency", first, false);
        join("gtid-domain", second);
        primary.last().streaming().onEnd("the server closed the connection");
        executor.advance(Duration.ofSeconds(2));
        assertThat(second.calls).containsExactly("gap connection", "start");
    }

    @ParameterizedTest
    @ValueSource(strings = {"onTransaction", "restNanos"})
    void aListenerThatThrowsIsExcludedUntilTheStreamBeginsAnew(String where) {
        Plugin faulty = new Plugin();
        joined("commit-latency", first, false);
        joined("faulty", faulty, false);
        joined("gtid-domain", second, false);
        faulty.failIn = where;
        try (CapturedLog log = new CapturedLog()) {
            transaction();
            assertThat(allowed()).isZero();
            transaction();
            assertThat(log.text())
                    .containsOnlyOnce("faulty failed in " + where)
                    .contains("a bug")
                    .contains("the stream continues");
        }
        assertThat(first.calls).containsExactly("start", "0-1-11", "0-1-12");
        assertThat(second.calls).isEqualTo(first.calls);
        assertThat(faulty.calls).endsWith("gap fault").doesNotContain("0-1-12");
        faulty.failIn = "";
        primary.last().streaming().onEnd("the server closed the connection");
        executor.advance(Duration.ofSeconds(2));
        assertThat(faulty.calls).endsWith("gap connection", "start");
        assertThat(primary.open()).hasSize(1);
    }

    @Test
    void aListenerThatThrowsInOnStartOrOnGapAffectsNoOther() {
        first.failIn = "onStart";
        join("faulty", first);
        join("gtid-domain", second);
        settle();
        primary.last().feed(server.format("11.4.5-MariaDB"));
        transaction();
        assertThat(first.calls).containsExactly("start", "gap fault");
        assertThat(second.calls).containsExactly("start", "0-1-11");

        first.failIn = "onGap";
        primary.last().streaming().onEnd("the server closed the connection");
        executor.advance(Duration.ofSeconds(2));
        assertThat(first.calls).endsWith("gap connection", "start");
        assertThat(second.calls).endsWith("gap connection", "start");
    }

    @Test
    void aServerIdIsTakenFromTheSubscriberThatConfiguresOne() {
        join("gtid-domain", first);
        join("commit-latency", second, false, 4711);
        settle();
        assertThat(primary.open()).hasSize(1);
        assertThat(primary.last().serverId).isEqualTo(4711);
        assertThat(first.calls).as("nothing was being read yet").containsExactly("start");
        assertThat(second.calls).containsExactly("start");
    }

    @Test
    void aServerIdThatComesLateIsAGapForTheOthers() {
        joined("gtid-domain", first, false);
        join("commit-latency", second, false, 4711);
        settle();
        assertThat(primary.open()).hasSize(1);
        assertThat(primary.last().serverId).isEqualTo(4711);
        assertThat(first.calls).containsExactly("start", "gap server_id", "start");
        assertThat(second.calls).endsWith("start").doesNotContain("gap server_id");

        Plugin third = new Plugin();
        try (CapturedLog log = new CapturedLog()) {
            join("other", third, false, 4712);
            settle();
            assertThat(log.text()).contains("other requests server id 4712", "as server id 4711");
        }
        assertThat(third.calls).containsExactly("start");
        assertThat(primary.last().serverId).isEqualTo(4711);
    }

    @Test
    void aListenerMayLeaveDuringACall() {
        List<BinlogSubscription> subscriptions = new ArrayList<>();
        subscriptions.add(feed.subscribe(new BinlogNeeds("once", false, 0, () -> 0), new BinlogListener() {
            @Override
            public void onTransaction(BinlogTransaction transaction) {
                subscriptions.get(0).close();
            }
        }));
        join("gtid-domain", second);
        settle();
        primary.last().feed(server.format("11.4.5-MariaDB"));
        transaction();
        transaction();
        assertThat(second.calls).containsExactly("start", "0-1-11", "0-1-12");
        assertThat(primary.open()).hasSize(1);
    }

    @Test
    void aClosedFeedReadsNothingAndAcceptsNoSubscriber() {
        joined("commit-latency", first, false);
        feed.close();
        assertThat(primary.open()).isEmpty();
        executor.advance(Duration.ofMinutes(5));
        assertThat(primary.dumps).hasSize(1);
        assertThatThrownBy(() -> join("gtid-domain", second))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("gtid-domain");
    }

    @Test
    @SuppressWarnings("unchecked")
    void withoutAnAccountTheTroubleSaysSo() throws Exception {
        AutoCloseable handle = () -> {};
        Primary none = Fakes.of(Primary.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "connector" -> primary;
            case "onChange", "onReachable" -> handle;
            case "accountUse" -> AccountUse.NONE;
            default -> null;
        });
        PluginContext shared = Fakes.of(PluginContext.class, Map.of("primary", none, "executor", executor));
        PluginContext context = Fakes.of(
                PluginContext.class,
                (p, method, arguments) -> ((Function<PluginContext, BinlogFeed>) arguments[1]).apply(shared));
        List<String> messages = new ArrayList<>();
        try (BinlogFeed without = BinlogFeed.of(context)) {
            without.subscribe(new BinlogNeeds("a plugin", false, 0, () -> 0), new BinlogListener() {
                @Override
                public void onTransaction(BinlogTransaction transaction) {}

                @Override
                public void onGap(BinlogTrouble trouble) {
                    messages.add(trouble.message());
                }
            });
            settle();
        }
        assertThat(messages).hasSize(1);
        assertThat(messages.get(0)).contains("primary.monitor");
    }
}
