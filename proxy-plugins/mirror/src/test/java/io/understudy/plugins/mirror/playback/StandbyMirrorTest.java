package io.understudy.plugins.mirror.playback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.base.ByteSize;
import io.understudy.plugin.StandbyState;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.tables.StandbyError;
import io.understudy.plugins.mirror.warmth.Floor;
import io.understudy.sql.TableName;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The queue of one standby and what becomes of its statements. */
class StandbyMirrorTest extends MirrorHarness {
    @Test
    void anAgeShorterThanABatchMayWaitIsRefused() {
        assertThatThrownBy(() -> new MirrorConfig.Queue(10, ByteSize.parse("1MiB"), Duration.ofMillis(49)))
                .hasMessageContaining("age: expected at least 50ms");
        assertThatThrownBy(() -> new MirrorConfig.Queue(10, ByteSize.parse("0B"), Duration.ofMillis(50)))
                .hasMessageContaining("at least 1 byte");
        assertThat(new MirrorConfig.Queue(10, ByteSize.parse("1MiB"), Duration.ofMillis(50)).age())
                .isEqualTo(Duration.ofMillis(50));
    }

    @Test
    void aStatementWhoseNamesWereForgottenInTheQueueIsDropped() {
        MirrorConfig config = config(1, 10, "1MiB", Duration.ofMinutes(5));
        StandbyMirror mirror = mirror(config);
        List<TableName> orders = List.of(new TableName("shop", "orders"));
        offer(mirror, "SELECT 1 FROM orders", 1, SETTING, orders);
        dictionaryQueries.remove(0).run();
        mirror.reload(config);
        run(mirror);
        assertThat(executed("ok")).isZero();
        assertThat(dropped("dictionary_unread")).isEqualTo(1);
        dictionaryQueries.remove(0).run();
        offer(mirror, "SELECT 2 FROM orders", 1, SETTING, orders);
        run(mirror);
        assertThat(executed("ok")).isEqualTo(1);
    }

    /** They wait for the primary too: when it is frozen, names of tables are still asked for. */
    @Test
    void countersAreReadByAThreadOfTheirOwn() {
        MirrorConfig config = config(1, 100, "1MiB", Duration.ofMinutes(5));
        mirror(config).probing().update(config, new Floor(), System.nanoTime() + 2_000_000_000L);
        assertThat(counterQueries).hasSize(1);
        assertThat(dictionaryQueries).isEmpty();
    }

    /** Another version may be back under its address, with collations that the one before did not have. */
    @Test
    void aStandbyThatWasAwayIsAskedForItsCollationsAgain() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        mirror.start();
        offer(mirror, "SELECT 1", 1);
        run(mirror);
        int queries = collationQueries;
        StandbyState present = standby.state;
        standby.state = StandbyState.UNKNOWN;
        executor.runPeriodic();
        standby.state = present;
        executor.runPeriodic();
        standby.connections.get(0).close();
        offer(mirror, "SELECT 2", 1);
        run(mirror);
        executor.runPeriodic();
        run(mirror);
        assertThat(collationQueries).isEqualTo(queries + 1);
        mirror.stop();
    }

    @Test
    void sendsStatementsOverAReadOnlySession() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 1", 1);
        run(mirror);
        assertThat(standby.received.subList(0, 4).toString())
                .contains("READ ONLY")
                .contains("READ COMMITTED");
        assertThat(standby.statements()).contains("SELECT 1");
        assertThat(executed("ok")).isEqualTo(1);
        mirror.stop();
    }

    @Test
    void countsStatementsThatDoNotFitTheQueue() {
        standby.responding = false;
        StandbyMirror mirror = mirror(config(1, 3, "1MiB", Duration.ofMinutes(5)));
        for (int i = 0; i < 10; i++) {
            offer(mirror, "SELECT " + i, 1);
        }
        assertThat(dropped("queue_full")).isEqualTo(7);
        mirror.stop();
        assertThat(dropped("standby_down")).isEqualTo(3);
    }

    @Test
    void dropsStatementsAboveTheBytes() {
        standby.responding = false;
        StandbyMirror mirror = mirror(config(1, 100, "100B", Duration.ofMinutes(5)));
        for (int i = 0; i < 10; i++) {
            offer(mirror, "SELECT '" + "x".repeat(30) + "'", 1);
        }
        assertThat(dropped("bytes_full")).isEqualTo(8);
        mirror.stop();
    }

    @Test
    void anErrorOnTheStandbyIsCountedAndTheNextStatementRuns() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 1", 1);
        run(mirror);
        standby.errorCode = 1146;
        offer(mirror, "SELECT * FROM gone", 1);
        run(mirror);
        standby.errorCode = 1969;
        offer(mirror, "SELECT slow", 1);
        run(mirror);
        assertThat(executed("error")).isEqualTo(1);
        assertThat(executed("timeout")).isEqualTo(1);
        mirror.stop();
    }

    @Test
    void statementsQueuedBeforeTheFirstConnectionAreSentByTheSweep() {
        StandbyMirror mirror = mirror(config(1, 100, "1MiB", Duration.ofMinutes(5)));
        mirror.start();
        offer(mirror, "SELECT 1", 1);
        executor.runPeriodic();
        executor.runAll();
        assertThat(standby.statements()).contains("SELECT 1");
        mirror.stop();
    }

    @Test
    void namesThatBecomeKnownAfterTheStopLeaveNothingBehind() {
        StandbyMirror mirror = mirror(config(1, 100, "1MiB", Duration.ofMinutes(5)));
        beforeResponse = mirror::stop;
        List<TableName> orders = List.of(new TableName("shop", "orders"));
        offer(mirror, "SELECT 1 FROM orders", 1, SETTING, orders);
        dictionaryQueries.remove(0).run();
        offer(mirror, "SELECT 2 FROM orders", 1, SETTING, orders);
        assertThat(mirror.view()).containsEntry("waitingStatements", 0);
    }

    /** The dictionary hides what the account must not read: the alert on failing statements has to see that too. */
    @Test
    void aMissingGrantCountsAsAnErrorAndAMissingTableAsDropped() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        List<TableName> orders = List.of(new TableName("shop", "orders"));
        hidden = new StandbyError(1142, "SELECT command denied to user 'm'@'%' for table 'orders'");
        offer(mirror, "SELECT 1 FROM orders", 1, SETTING, orders);
        dictionaryQueries.remove(0).run();
        offer(mirror, "SELECT 2 FROM orders", 1, SETTING, orders);
        assertThat(executed("error")).as("one waited, one did not").isEqualTo(2);
        assertThat(standby.renewed).as("so that a GRANT is seen").isEqualTo(1);
        assertThat(dropped("table_unknown")).isZero();
        mirror.reload(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        hidden = new StandbyError(1146, "Table 'shop.orders' doesn't exist");
        offer(mirror, "SELECT 3 FROM orders", 1, SETTING, orders);
        dictionaryQueries.remove(0).run();
        assertThat(executed("error")).isEqualTo(2);
        assertThat(dropped("table_unknown")).isEqualTo(1);
        offer(mirror, "SELECT 4", 1);
        run(mirror);
        standby.errorCode = 1044;
        offer(mirror, "SELECT 5", 1, SETTING.in("shop"));
        run(mirror);
        assertThat(executed("error")).as("refused at USE").isEqualTo(3);
        assertThat(dropped("not_reproducible")).isZero();
        mirror.stop();
    }

    @Test
    void theLastErrorOfEachRuleIsShownWithoutValues() {
        StandbyMirror mirror = mirror(config(1, 10, "1MiB", Duration.ofMinutes(5)));
        offer(mirror, "SELECT 1", 1);
        run(mirror);
        standby.errorCode = 1142;
        standby.errorMessage = "SELECT command denied to user 'm'@'%' for table `shop`.`orders`";
        offer(mirror, "SELECT * FROM orders", 1);
        run(mirror);
        assertThat(String.valueOf(mirror.view().get("lastErrors")))
                .contains("rule=all", "error=1142", "for table `shop`.`orders`");
        standby.errorCode = 1292;
        standby.errorMessage = "Incorrect datetime value: 's3cret'";
        offer(mirror, "SELECT DATE('s3cret')", 1, SETTING.in("shop"));
        run(mirror);
        assertThat(dropped("not_reproducible")).isEqualTo(1);
        assertThat(String.valueOf(mirror.view().get("lastErrors")))
                .contains("error=1292", "Incorrect datetime value: '?'")
                .doesNotContain("s3cret");
        mirror.stop();
    }
}
