package io.understudy.plugins.mirror.playback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.list;

import io.netty.buffer.Unpooled;
import io.understudy.plugins.mirror.playback.StandbyTables.Verdict;
import io.understudy.plugins.mirror.selection.DropReason;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.statement.StatementSetting;
import io.understudy.plugins.mirror.tables.StandbyError;
import io.understudy.plugins.mirror.tables.TableDictionary;
import io.understudy.sql.SqlModes;
import io.understudy.sql.TableName;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which names a standby's own dictionary lets the mirror read. */
@SuppressWarnings("NullAway") // absent keys are null
class StandbyTablesTest {
    private static final long FAILS = 2;

    private final Map<TableName, TableDictionary.Found> dictionary = new HashMap<>();
    private final List<TableName> queried = new ArrayList<>();
    private final List<Runnable> tasks = new ArrayList<>();
    private final RecentDdl changes = new RecentDdl();
    private final List<String> unfit = new ArrayList<>();
    private final List<Long> decided = new ArrayList<>();
    private long appliedNanos;
    private boolean down;
    private String sqlState = "08000";

    private final StandbyTables tables = new StandbyTables(
            FakeDictionary::new,
            tasks::add,
            () -> Set.of("shop.pure"),
            changes,
            () -> appliedNanos,
            new StandbyTables.Listener() {
                @Override
                public void decided(MirroredStatement statement, Verdict verdict) {
                    decided.add(statement.sessionId());
                    if (statement.sessionId() == FAILS) {
                        throw new IllegalStateException("on purpose");
                    }
                }

                @Override
                public void turnedUnfit(TableName name, String reason) {
                    unfit.add(name + " " + reason);
                }
            });

    StandbyTablesTest() {
        table("t");
        table("u");
    }

    private final class FakeDictionary implements TableDictionary {
        FakeDictionary() throws SQLException {
            if (down) {
                throw new SQLException("down", sqlState);
            }
        }

        @Override
        public @Nullable Found find(TableName table) {
            queried.add(table);
            return dictionary.get(table);
        }

        @Override
        public StandbyError errorOfReading(TableName table) {
            return new StandbyError(1146, "no " + table);
        }

        @Override
        public int modes() {
            return SqlModes.MARIADB;
        }

        @Override
        public void close() {}
    }

    private static TableName name(String table) {
        return new TableName("shop", table);
    }

    private void table(String name) {
        dictionary.put(name(name), TableDictionary.Found.table("InnoDB"));
    }

    private void view(String name, @Nullable String definition) {
        dictionary.put(name(name), TableDictionary.Found.view(definition));
    }

    private Verdict verdict(String... names) {
        return tables.verdict(
                List.of(names).stream().map(StandbyTablesTest::name).toList());
    }

    private Verdict settled(String... names) {
        verdict(names);
        respond();
        return verdict(names);
    }

    private void respond() {
        List<Runnable> now = List.copyOf(tasks);
        tasks.clear();
        now.forEach(Runnable::run);
    }

    @Test
    void aStatementWaitsUntilItsNamesAreKnown() {
        assertThat(verdict("t", "u")).isEqualTo(Verdict.WAIT);
        assertThat(queried).as("nothing is asked where the session lives").isEmpty();
        respond();
        assertThat(verdict("t", "u")).isEqualTo(Verdict.READS);
        assertThat(queried).containsExactlyInAnyOrder(name("t"), name("u"));
        assertThat(tasks).isEmpty();
    }

    /** A partitioned table has the engine of its partitions in the dictionary. */
    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "InnoDB,READS,-",
                "MyISAM,READS,-",
                "Aria,READS,-",
                "ROCKSDB,READS,-",
                "FEDERATED,ENGINE,engine_federated",
                "CONNECT,ENGINE,engine_connect",
                "SPIDER,ENGINE,engine_spider",
                "S3,ENGINE,engine_s3",
                "Columnstore,ENGINE,engine_columnstore",
                "MRG_MyISAM,ENGINE,engine_mrg_myisam",
                "-,ENGINE,engine_unknown",
            })
    void onlyEnginesKnownToBeLocalAreRead(@Nullable String engine, Verdict verdict, @Nullable String reason) {
        dictionary.put(name("far"), TableDictionary.Found.table(engine));
        view("v", "select `far`.`a` AS `a` from (`shop`.`t` join `shop`.`far`)");
        view("outer", "select `v`.`a` AS `a` from `shop`.`v`");
        assertThat(settled("far")).isEqualTo(verdict);
        assertThat(settled("t", "far")).isEqualTo(verdict);
        assertThat(settled("v")).as("a view on it").isEqualTo(verdict);
        assertThat(settled("outer")).as("a view on that").isEqualTo(verdict);
        if (reason != null) {
            assertThat(tables.view().get("enginesNotMirrored"))
                    .asInstanceOf(list(Map.class))
                    .contains(Map.of("table", "shop.far", "reason", reason))
                    .hasSize(3);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            nullValues = "-",
            value = {
                "READS ~ - ~ select `shop`.`t`.`id` AS `id` from `shop`.`t`",
                "READS ~ - ~ select `shop`.`pure`(1) AS `a` from (`shop`.`t` join `shop`.`u`)",
                "READS ~ - ~ with v as (select 1 AS `a`)select `v`.`a` AS `a` from `v`",
                "VIEW ~ side_effect_function ~ select get_lock('a',1) AS `a` from `shop`.`t`",
                "VIEW ~ side_effect_function ~ select `shop`.`t`.`id` AS `id` from `shop`.`t` where sleep(1)",
                "VIEW ~ stored_function ~ select `shop`.`writes`() AS `a`",
                "VIEW ~ locking_read ~ select `shop`.`t`.`id` AS `id` from `shop`.`t` for update",
                "VIEW ~ system_schema ~ select 1 AS `a` from `information_schema`.`TABLES`",
                "VIEW ~ table_not_visible ~ select 1 AS `a` from `shop`.`hidden`",
                "VIEW ~ definition_not_visible ~ -",
                "VIEW ~ definition_not_visible ~ ''",
                "VIEW ~ unparsed ~ select from",
            })
    void aViewIsWhatItsDefinitionDoes(Verdict verdict, @Nullable String reason, @Nullable String definition) {
        view("v", definition);
        view("outer", "select `v`.`a` AS `a` from `shop`.`v`");
        assertThat(settled("v")).isEqualTo(verdict);
        assertThat(settled("outer")).as("a view on it").isEqualTo(verdict);
        assertThat(settled("t", "v")).isEqualTo(verdict);
        if (reason != null) {
            assertThat(String.valueOf(tables.view())).contains("{view=shop.v, reason=" + reason + "}");
        }
    }

    @Test
    void viewsThatReadEachOtherEnd() {
        view("v", "select 1 AS `a` from `shop`.`w`");
        view("w", "select 1 AS `a` from `shop`.`v`");
        assertThat(settled("v")).isEqualTo(Verdict.READS);
    }

    @Test
    void aNameThatIsNotThereIsNotReadAndTheErrorIsKept() {
        assertThat(settled("later")).isEqualTo(Verdict.UNKNOWN);
        assertThat(tables.errorOf(List.of(name("later")))).isEqualTo(new StandbyError(1146, "no shop.later"));
        assertThat(tables.view()).containsEntry("notFound", List.of("shop.later"));
        assertThat(tasks).as("it is not asked for by each statement").isEmpty();
    }

    @Test
    void aNameWithoutSchemaIsNotRead() {
        assertThat(tables.verdict(List.of(new TableName(null, "t")))).isEqualTo(Verdict.UNKNOWN);
        assertThat(tables.verdict(List.of(new TableName("Information_Schema", "TABLES"))))
                .isEqualTo(Verdict.READS);
    }

    @Test
    void whatASchemaChangeNamesIsUnknownUntilTheStandbyHasIt() {
        view("v", "select 1 AS `a` from `shop`.`t`");
        assertThat(settled("v", "u")).isEqualTo(Verdict.READS);
        appliedNanos = TimeUnit.HOURS.toNanos(1);
        changes.changed(new TableName("SHOP", "T"), System.nanoTime());
        assertThat(verdict("u")).isEqualTo(Verdict.READS);
        assertThat(verdict("t")).isEqualTo(Verdict.UNKNOWN);
        assertThat(verdict("v")).as("a view on it").isEqualTo(Verdict.UNKNOWN);
        assertThat(tasks).as("the standby would tell what was before").isEmpty();
        view("t", "select get_lock('a',1) AS `a`");
        appliedNanos = 0;
        assertThat(verdict("v")).isEqualTo(Verdict.WAIT);
        respond();
        assertThat(verdict("v")).isEqualTo(Verdict.VIEW);
        assertThat(unfit).containsExactly("shop.v side_effect_function");
    }

    @Test
    void tooManyChangesAreAChangeOfEverything() {
        settled("u");
        appliedNanos = TimeUnit.HOURS.toNanos(1);
        for (int i = 0; i <= RecentDdl.MAX_NAMES; i++) {
            changes.changed(name("n" + i), System.nanoTime());
        }
        assertThat(verdict("u")).isEqualTo(Verdict.UNKNOWN);
        changes.forget(System.nanoTime() + TimeUnit.HOURS.toNanos(2), appliedNanos);
        assertThat(changes.isEmpty()).isTrue();
    }

    @Test
    void aStandbyWithoutAResponseIsQueriedOnceASecond() {
        down = true;
        assertThat(settled("t")).isEqualTo(Verdict.UNKNOWN);
        assertThat(tasks).isEmpty();
        assertThat(tables.view()).containsEntry("problem", "down");
    }

    @Test
    void aDecisionThatFailsHoldsNothingUp() {
        verdict("t");
        for (long session = 1; session <= 3; session++) {
            tables.await(statement(session));
        }
        respond();
        assertThat(decided).containsExactly(1L, FAILS, 3L);
        assertThat(tables.holdsStatements()).isFalse();
    }

    private static MirroredStatement statement(long session) {
        return new MirroredStatement(
                Unpooled.EMPTY_BUFFER,
                null,
                null,
                null,
                new StatementSetting(null, 45, null, null, null, null),
                List.of(name("t")),
                new MirrorRules.Bound(new MirrorConfig.Rule("all", null, null, null, null, null), List.of()),
                session,
                null,
                null,
                false,
                1,
                1000,
                System.nanoTime());
    }

    @Test
    void namesBeyondTheBoundAreNotLearned() {
        for (int i = 0; i < StandbyTables.MAX_NAMES; i++) {
            table("n" + i);
            assertThat(verdict("n" + i)).isEqualTo(Verdict.WAIT);
        }
        assertThat(verdict("one-more")).isEqualTo(Verdict.UNKNOWN);
        respond();
        assertThat(verdict("one-more")).isEqualTo(Verdict.UNKNOWN);
        assertThat(verdict("n7")).isEqualTo(Verdict.READS);
        tables.forget();
        assertThat(verdict("t")).isEqualTo(Verdict.WAIT);
    }

    /** In an outage the names are there as before. */
    @ParameterizedTest
    @CsvSource({"08000, STANDBY_DOWN", "42000, DICTIONARY_UNREAD"})
    void namesThatCannotBeLookedUpAreNotCalledUnknown(String state, DropReason reason) {
        assertThat(settled("absent")).isEqualTo(Verdict.UNKNOWN);
        assertThat(tables.reason(List.of(name("absent")))).isEqualTo(DropReason.TABLE_UNKNOWN);
        down = true;
        sqlState = state;
        tables.forget();
        assertThat(settled("t")).isEqualTo(Verdict.UNKNOWN);
        assertThat(tables.reason(List.of(name("t")))).isEqualTo(reason);
        assertThat(tables.reason(List.of(new TableName(null, "t"))))
                .as("no schema")
                .isEqualTo(DropReason.TABLE_UNKNOWN);
    }
}
