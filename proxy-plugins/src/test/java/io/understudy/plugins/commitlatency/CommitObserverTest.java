package io.understudy.plugins.commitlatency;

import static io.understudy.plugins.commitlatency.FakeAnswer.to;
import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.Interest;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionSettings;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CommitObserverTest {
    private final List<Commit> commits = new ArrayList<>();
    private final CommitObserver observer = new CommitObserver(session(), commits::add);

    private static SessionContext session() {
        SessionSettings settings = (SessionSettings) Proxy.newProxyInstance(
                CommitObserverTest.class.getClassLoader(), new Class<?>[] {SessionSettings.class}, (p, m, a) -> false);
        return (SessionContext) Proxy.newProxyInstance(
                CommitObserverTest.class.getClassLoader(),
                new Class<?>[] {SessionContext.class},
                (p, method, a) -> switch (method.getName()) {
                    case "id" -> 7L;
                    case "user" -> "app";
                    case "schema" -> "shop";
                    case "capabilities" -> 0L;
                    case "settings" -> settings;
                    default -> throw new AssertionError(method);
                });
    }

    private void run(FakeAnswer answer) {
        observer.onCommand(answer);
        observer.onResponse(answer, answer);
    }

    @Test
    void asksForGtids() {
        assertThat(observer.interests() & Interest.GTIDS).isNotZero();
    }

    @Test
    void aTransactionHasTheDigestOfItsFirstWrite() {
        FakeAnswer first = to("INSERT INTO orders VALUES (1)").affected(1).inTrans();
        run(to("BEGIN").inTrans());
        run(to("SELECT 1").rows(1).inTrans());
        run(first);
        run(to("UPDATE stock SET n = n - 1").affected(1).inTrans());
        run(to("COMMIT").gtid("0-1-5").at(10, 95));
        assertThat(commits)
                .containsExactly(new Commit(
                        CommitKind.COMMIT, 7, "app", "shop", first.summary().digestHex(), "0-1-5", 10, 95));
    }

    @Test
    void digestDoesNotOutliveItsTransaction() {
        run(to("BEGIN").inTrans());
        run(to("INSERT INTO orders VALUES (1)").affected(1).inTrans());
        run(to("ROLLBACK"));
        FakeAnswer later = to("DELETE FROM stock").affected(1);
        run(later);
        assertThat(commits).hasSize(1);
        assertThat(commits.get(0).digest()).isEqualTo(later.summary().digestHex());
    }

    @Test
    void resetForgetsTheTransaction() {
        run(to("BEGIN").inTrans());
        run(to("INSERT INTO orders VALUES (1)").affected(1).inTrans());
        observer.onReset();
        run(to("COMMIT"));
        assertThat(commits).isEmpty();
    }
}
