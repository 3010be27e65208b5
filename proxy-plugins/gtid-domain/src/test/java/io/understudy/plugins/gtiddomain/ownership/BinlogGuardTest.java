package io.understudy.plugins.gtiddomain.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.LoggedStatement;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.plugins.gtiddomain.tagging.Fixture;
import io.understudy.plugins.gtiddomain.tagging.Guard;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the guard takes from transactions that the binary log holds as statements. */
class BinlogGuardTest {
    private static final long DIRECT = 99;
    private static final long OBSERVED = 7;
    private static final String TO_11 = "SET SESSION gtid_domain_id=11";

    private final Fixture fixture = Fixture.tagging(Guard.PIN);
    private final BinlogGuard guard = new BinlogGuard(
            fixture.indexes,
            fixture.progress,
            fixture.dictionary,
            () -> fixture.policy.ownership,
            () -> true,
            thread -> thread == OBSERVED);
    private long sequence = 40;

    BinlogGuardTest() {
        guard.onStart(new PrimaryFacts(ServerFlavor.MARIADB, 1, "", true, "MIXED", true, "0-1-40"));
    }

    /** Its positions are sets of UUIDs. */
    @Test
    void aMySqlServersLogIsNotFollowed() {
        guard.onStart(new PrimaryFacts(
                ServerFlavor.MYSQL,
                1,
                "3e11fa47-71ca-11e1-9e33-c80aa9429562",
                true,
                "ROW",
                true,
                "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-8"));

        assertThat(guard.follows()).isFalse();
        assertThat(guard.state()).contains("MySQL");
        assertThat(guard.gap()).as("what it holds is not known").isTrue();
    }

    private static @Nullable LoggedStatement chain(boolean whole, String... texts) {
        LoggedStatement chain = null;
        for (int i = texts.length - 1; i >= 0; i--) {
            chain = new LoggedStatement("shop", texts[i], whole, chain);
        }
        return chain;
    }

    private void logged(TransactionKind kind, long domain, long thread, @Nullable LoggedStatement statements) {
        guard.onTransaction(new BinlogTransaction(
                domain + "-1-" + ++sequence,
                kind,
                domain,
                1,
                sequence,
                BinlogTransaction.NO_GROUP,
                100,
                0,
                true,
                Set.of(),
                false,
                kind == TransactionKind.WRITE,
                statements,
                0,
                thread));
    }

    private void wrote(long domain, long thread, String... texts) {
        logged(TransactionKind.WRITE, domain, thread, chain(true, texts));
    }

    /** Makes every standby apply everything that was logged. */
    private void applied() {
        GtidPosition all = new GtidPosition(Map.of(0L, sequence, 11L, sequence));
        fixture.progress.ask();
        fixture.progress.answer(all);
        fixture.progress.standbysAt(List.of(all));
        fixture.policy.ownership.settle();
    }

    private String deleteFromArchive() {
        return fixture.client("app").run("DELETE FROM archive");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE archive SET v = 1",
                "UPDATE shop.archive SET v = 1",
                "INSERT INTO orders SELECT * FROM archive",
                "DELETE orders FROM orders JOIN archive USING (id)"
            })
    void aStatementOfADirectWriterOwnsItsTablesUntilItIsApplied(String sql) {
        wrote(0, DIRECT, sql);

        assertThat(deleteFromArchive()).isEqualTo("-");
        applied();
        assertThat(deleteFromArchive()).isEqualTo(TO_11);
        assertThat(guard.unreadable.sum()).isZero();
    }

    @Test
    void everyStatementOfATransactionCounts() {
        wrote(0, DIRECT, "UPDATE orders SET v = 1", "UPDATE items SET v = 1", "UPDATE archive SET v = 1");

        assertThat(deleteFromArchive()).isEqualTo("-");
    }

    @Test
    void whatAnObservedSessionWroteIsAnnouncedAlready() {
        wrote(0, OBSERVED, "UPDATE archive SET v = 1");
        logged(TransactionKind.WRITE, 0, OBSERVED, null);

        assertThat(deleteFromArchive()).isEqualTo(TO_11);
        assertThat(guard.unreadable.sum()).isZero();
        assertThat(guard.unseen.sum()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true  | INSERT INTO orders VALUES (secret(1))",
                "true  | CALL anything()",
                "false | INSERT INTO orders VALUES (1), (2), (",
                "true  | not understood"
            })
    void aTextThatDoesNotNameEveryTableCountsAsAWriteOfUnknownOnes(boolean whole, String sql) {
        logged(TransactionKind.WRITE, 0, DIRECT, chain(whole, sql));

        assertThat(deleteFromArchive()).isEqualTo("-");
        assertThat(guard.unreadable.sum()).isEqualTo(1);
        applied();
        assertThat(deleteFromArchive()).isEqualTo(TO_11);
    }

    @Test
    void aCompressedStatementCountsAsAWriteOfUnknownTables() {
        logged(TransactionKind.WRITE, 0, DIRECT, null);

        assertThat(deleteFromArchive()).isEqualTo("-");
        assertThat(guard.unreadable.sum()).isEqualTo(1);
    }

    @Test
    void aCompressedSchemaChangeMakesTheDictionaryStale() {
        logged(TransactionKind.SCHEMA, 0, DIRECT, null);

        assertThat(fixture.dictionary.stale()).isTrue();
        assertThat(deleteFromArchive()).isEqualTo("-");
    }

    /** The server logs the whole text. */
    @Test
    void aSchemaChangeWithSettingsOfItsOwnIsFollowed() {
        logged(
                TransactionKind.SCHEMA,
                0,
                DIRECT,
                chain(true, "SET STATEMENT max_statement_time=9 FOR ALTER TABLE archive ADD c INT"));

        assertThat(fixture.dictionary.stale()).isTrue();
        assertThat(deleteFromArchive()).isEqualTo("-");
    }

    @Test
    void theStatementsOfAnotherProxyAreFollowed() {
        wrote(11, DIRECT, "DELETE FROM archive");

        assertThat(guard.taggedByOthers()).isEqualTo(Map.of(11L, 1L));
        assertThat(fixture.client("app").run("INSERT INTO archive VALUES (1)")).isEqualTo(TO_11);
        applied();
        assertThat(fixture.policy.ownership.kept("shop.archive")).isNull();
    }

    @Test
    void aConflictWithADirectWritersStatementIsCountedAndTheTableKept() {
        assertThat(deleteFromArchive()).isEqualTo(TO_11);
        wrote(0, DIRECT, "UPDATE archive SET v = 1");

        assertThat(fixture.conflicts).containsExactly("unseen shop.archive 0/11");
        applied();
        assertThat(deleteFromArchive()).isEqualTo("-");
    }

    @Test
    void tellsHowFarTheLogHasBeenRead() {
        assertThat(guard.hasRead(GtidPosition.parse("0-1-40"))).isTrue();
        assertThat(guard.hasRead(GtidPosition.parse("0-1-41"))).isFalse();
        wrote(0, OBSERVED, "UPDATE archive SET v = 1");
        assertThat(guard.hasRead(GtidPosition.parse("0-1-41"))).isTrue();
        assertThat(guard.hasRead(GtidPosition.parse("0-1-41,5-1-1"))).isFalse();
    }
}
