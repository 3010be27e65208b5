package io.understudy.plugins.commitlatency;

import static io.understudy.testkit.FakeExchange.to;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.Interest;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionSettings;
import io.understudy.testkit.FakeExchange;
import io.understudy.testkit.Fakes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CommitObserverTest {
    private final List<Commit> commits = new ArrayList<>();
    private final List<ProcedureCall> begun = new ArrayList<>();
    private final List<String> ended = new ArrayList<>();
    private final CommitObserver observer = new CommitObserver(session(), new CommitSink() {
        @Override
        public void committed(Commit commit) {
            commits.add(commit);
        }

        @Override
        public boolean began(ProcedureCall call) {
            return begun.add(call);
        }

        @Override
        public void ended(ProcedureCall call, long nanos, @Nullable String gtid) {
            assertThat(begun).contains(call);
            ended.add(nanos + " " + gtid);
        }
    });

    private static SessionContext session() {
        SessionSettings settings = Fakes.of(SessionSettings.class, (proxy, method, arguments) -> false);
        return Fakes.of(
                SessionContext.class,
                Map.of(
                        "id",
                        7L,
                        "serverThreadId",
                        70L,
                        "user",
                        "app",
                        "schema",
                        "shop",
                        "capabilities",
                        0L,
                        "settings",
                        settings));
    }

    private void run(FakeExchange response) {
        observer.onCommand(response);
        observer.onResponse(response, response);
    }

    @Test
    void requestsGtids() {
        assertThat(observer.interests() & Interest.GTIDS).isNotZero();
    }

    @Test
    void aTransactionHasTheDigestOfItsFirstWrite() {
        FakeExchange first = to("INSERT INTO orders VALUES (1)").affected(1).inTrans();
        run(to("BEGIN").inTrans());
        run(to("SELECT 1").rows(1).inTrans());
        run(first);
        run(to("UPDATE stock SET n = n - 1").affected(1).inTrans());
        run(to("COMMIT").gtid("0-1-5").at(10, 95));
        assertThat(commits)
                .containsExactly(new Commit(
                        CommitKind.COMMIT,
                        7,
                        70,
                        "app",
                        "shop",
                        Objects.requireNonNull(first.summary()).digestHex(),
                        "0-1-5",
                        10,
                        95));
    }

    @Test
    void aWriteWithSettingsOfItsOwnHasItsDigestAndKind() {
        FakeExchange write = to("SET STATEMENT max_statement_time=1 FOR INSERT INTO orders VALUES (1)")
                .affected(1);
        FakeExchange ddl = to("SET STATEMENT max_statement_time=1 FOR ALTER TABLE orders FORCE");
        FakeExchange call = to("SET STATEMENT max_statement_time=1 FOR CALL p()");
        run(write.gtid("0-1-5"));
        run(ddl.gtid("0-1-6"));
        run(call.gtid("0-1-7"));
        run(to("BEGIN").inTrans());
        FakeExchange first = to("SET STATEMENT max_statement_time=1 FOR DELETE FROM stock")
                .affected(1)
                .inTrans();
        run(first);
        run(to("COMMIT").gtid("0-1-8"));
        assertThat(commits).extracting(Commit::digest).containsExactly(hex(write), hex(ddl), hex(call), hex(first));
        assertThat(commits)
                .extracting(Commit::kind)
                .containsExactly(CommitKind.AUTOCOMMIT, CommitKind.DDL, CommitKind.AUTOCOMMIT, CommitKind.COMMIT);
        assertThat(begun).hasSize(1);
    }

    private static String hex(FakeExchange write) {
        return Objects.requireNonNull(write.summary()).digestHex();
    }

    @Test
    void digestDoesNotOutliveItsTransaction() {
        run(to("BEGIN").inTrans());
        run(to("INSERT INTO orders VALUES (1)").affected(1).inTrans());
        run(to("ROLLBACK"));
        FakeExchange later = to("DELETE FROM stock").affected(1);
        run(later);
        assertThat(commits).hasSize(1);
        assertThat(commits.get(0).digest())
                .isEqualTo(Objects.requireNonNull(later.summary()).digestHex());
    }

    @Test
    void everyStatementOfATextHasItsCommit() {
        FakeExchange text = to("INSERT INTO a VALUES (1); INSERT INTO b VALUES (2); SELECT 1")
                .at(10, 95)
                .earlierGtid("0-1-5", 20)
                .earlierGtid("0-1-6", 50);
        run(text);
        assertThat(commits).extracting(Commit::gtid).containsExactly("0-1-5", "0-1-6");
        assertThat(commits).extracting(Commit::sentNanos).containsExactly(10L, 20L);
        assertThat(commits).extracting(Commit::okNanos).containsExactly(20L, 50L);
        assertThat(commits)
                .extracting(Commit::digest)
                .containsOnly(Objects.requireNonNull(text.summary()).digestHex());
    }

    @Test
    void theFirstOfSeveralEndsTheOpenTransaction() {
        run(to("BEGIN").inTrans());
        run(to("INSERT INTO a VALUES (1)").affected(1).inTrans());
        run(to("COMMIT; INSERT INTO a VALUES (2)")
                .at(10, 95)
                .earlierGtid("0-1-5", 20)
                .earlierGtid("0-1-6", 50));
        assertThat(commits).extracting(Commit::kind).containsExactly(CommitKind.COMMIT, CommitKind.AUTOCOMMIT);
    }

    @Test
    void aCommitBeforeAFailedStatementCounts() {
        run(to("INSERT INTO a VALUES (1); INSERT INTO nowhere VALUES (2)")
                .at(10, 95)
                .earlierGtid("0-1-5", 20)
                .error(1146));
        assertThat(commits).extracting(Commit::gtid).containsExactly("0-1-5");
    }

    @Test
    void callsAreReportedWithTheirEnd() {
        run(to("CALL p()").at(10, 95).earlierGtid("0-1-5", 95));
        run(to("CALL p()").at(110, 195).error(1644));
        run(to("INSERT INTO a VALUES (1)").affected(1));
        assertThat(begun).hasSize(2);
        assertThat(begun).extracting(ProcedureCall::thread).containsOnly(70L);
        assertThat(ended).containsExactly("95 0-1-5", "195 null");
        observer.onCommand(to("CALL p()"));
        observer.onClose("gone");
        assertThat(ended).hasSize(3);
    }

    @Test
    void resetForgetsTheTransaction() {
        run(to("BEGIN").inTrans());
        run(to("INSERT INTO orders VALUES (1)").affected(1).inTrans());
        observer.onReset();
        run(to("COMMIT"));
        assertThat(commits).isEmpty();
    }

    /** MariaDB leaves the GTID out where only the session's domain has changed. */
    @Test
    void aCommitGetsTheGtidThatItsResponseHasLeftOut() {
        run(to("INSERT INTO orders VALUES (1)").affected(1).gtid("21-1-5"));
        run(to("INSERT INTO orders VALUES (2)").affected(1).omittedGtid("22-1-5"));
        run(to("UPDATE orders SET n = n").omittedGtid("23-1-5"));
        run(to("CALL twice()").affected(2).omittedGtid("24-1-5"));
        assertThat(commits).extracting(Commit::gtid).containsExactly("21-1-5", "22-1-5", "24-1-5");
        assertThat(ended).containsExactly("2000 24-1-5");
    }
}
