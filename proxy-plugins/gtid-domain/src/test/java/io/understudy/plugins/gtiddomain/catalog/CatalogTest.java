package io.understudy.plugins.gtiddomain.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.sql.TableName;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CatalogTest {
    private final Catalog.Builder builder = new Catalog.Builder();

    CatalogTest() {
        for (String table : Set.of("s.a", "s.audit", "s.b", "s.c", "other.log")) {
            builder.table(table, true);
        }
    }

    @Test
    void aTriggersBodyTiesTheTablesItNames() {
        builder.trigger("s", "b", "BEGIN INSERT INTO audit VALUES (NEW.id); INSERT INTO `other`.`log` VALUES (1); END");

        Catalog catalog = builder.build();

        assertThat(catalog.family("s.b")).isEqualTo("other.log");
        assertThat(catalog.family("s.audit")).isEqualTo("other.log");
        assertThat(catalog.movable("other.log")).isTrue();
        assertThat(catalog.family("s.c")).isEqualTo("s.c");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "BEGIN -- don't forget\n INSERT INTO audit VALUES (1); END",
                "BEGIN # 5\" wide\n INSERT INTO audit VALUES (1); END",
                "BEGIN /* the `id */ INSERT INTO audit VALUES (1); END",
                "BEGIN SET @a = '\\'; INSERT INTO audit VALUES (1); SET @b = 'x'; END",
                "BEGIN SET @a = 'it\\'s'; INSERT INTO audit VALUES ('x'); END",
                "BEGIN SET @a = \"it's\"; INSERT INTO audit VALUES (1); END",
                "BEGIN INSERT INTO \"audit\" VALUES ('x'); END",
                "BEGIN /*!50000 INSERT INTO audit VALUES (1) */; END",
                "BEGIN /*M! INSERT INTO s.audit VALUES (1) */; END",
                "INSERT INTO s . `audit` VALUES (1)"
            })
    void quotesInCommentsAndStringsHideNoName(String body) {
        builder.trigger("s", "b", body);

        assertThat(builder.build().family("s.audit"))
                .isEqualTo("s.audit")
                .isEqualTo(builder.build().family("s.b"));
    }

    @Test
    void whatACommentNamesIsNotUsed() {
        builder.trigger("s", "b", "BEGIN -- EXECUTE the audit\n SET NEW.id = 1; /* a */ END");

        Catalog catalog = builder.build();

        assertThat(catalog.family("s.audit")).isNotEqualTo(catalog.family("s.b"));
        assertThat(catalog.dynamic()).isZero();
    }

    @Test
    void tablesOfHiddenOrDynamicTriggersStay() {
        builder.trigger("s", "a", null);
        builder.trigger("s", "b", "EXECUTE IMMEDIATE CONCAT('INSERT INTO s.', 'c VALUES (1)')");

        Catalog catalog = builder.build();

        assertThat(catalog.movable("s.a")).isFalse();
        assertThat(catalog.movable("s.b")).isFalse();
        assertThat(catalog.hidden()).isEqualTo(1);
        assertThat(catalog.dynamic()).isEqualTo(1);
    }

    @Test
    void tablesThatRoutinesAndEventsWriteStayAndThoseTheyReadDoNot() {
        builder.routine("s", "fill");
        builder.routine("s", "total");
        builder.routineBody("s", "fill", "BEGIN DELETE FROM a WHERE id < 5; END");
        builder.routineBody("s", "total", "RETURN (SELECT SUM(v) FROM b)");
        builder.event("s", "nightly", "DELETE FROM c");

        Catalog catalog = builder.build();

        assertThat(catalog.movable(catalog.family("s.a"))).isFalse();
        assertThat(catalog.movable(catalog.family("s.b"))).isTrue();
        assertThat(catalog.movable(catalog.family("s.c"))).isFalse();
    }

    @Test
    void theTableOfATriggerThatCallsARoutineStaysWithTheRoutinesTables() {
        builder.routine("s", "fill");
        builder.trigger("s", "b", "CALL fill()");
        builder.routineBody("s", "fill", "INSERT INTO a VALUES (1)");

        Catalog catalog = builder.build();

        assertThat(catalog.family("s.b")).isEqualTo(catalog.family("s.a"));
        assertThat(catalog.movable(catalog.family("s.b"))).isFalse();
    }

    @Test
    void aViewIsOneFamilyWithItsTables() {
        builder.table("s.v", false);
        builder.view("s", "v", "select `s`.`c`.`id` AS `id` from `s`.`c`", true);

        Catalog catalog = builder.build();

        assertThat(catalog.family("s.v")).isEqualTo(catalog.family("s.c"));
        assertThat(catalog.movable(catalog.family("s.v"))).isTrue();
    }

    @Test
    void aSequenceInADefaultTiesTheTablesThatUseIt() {
        builder.table("s.ids", false);
        builder.columnDefault("s", "a", "nextval(`s`.`ids`)");
        builder.columnDefault("s", "b", "setval(`s`.`ids`,5,1)");
        builder.columnDefault("s", "c", "concat('audit',lastval(`s`.`ids`))");

        Catalog catalog = builder.build();

        assertThat(catalog.family("s.a")).isEqualTo(catalog.family("s.b")).isEqualTo(catalog.family("s.ids"));
        assertThat(catalog.movable(catalog.family("s.a"))).isTrue();
        assertThat(catalog.family("s.c")).isEqualTo("s.c");
    }

    @Test
    void aViewThatCallsASequenceOrAWritingFunctionWritesWhenItIsRead() {
        for (String name : Set.of("s.ids", "s.calls", "s.next", "s.over", "s.reads")) {
            builder.table(name, false);
        }
        builder.routinesKnown();
        builder.routine("s", "fill");
        builder.routine("s", "reader");
        builder.view("s", "next", "select nextval(`s`.`ids`) AS `n`", false);
        builder.view("s", "over", "select `next`.`n` AS `n` from `s`.`next`", false);
        builder.view("s", "calls", "select `s`.`fill`() AS `f`", false);
        builder.view("s", "reads", "select replace(count(0),1,2) AS `n` from `s`.`b`", false);
        builder.routineBody("s", "fill", "BEGIN DELETE FROM a; RETURN 1; END");
        builder.routineBody("s", "reader", "RETURN (SELECT n FROM over)");

        Catalog catalog = builder.build();

        assertThat(Set.of("s.next", "s.over", "s.calls")).allMatch(catalog::writesWhenRead);
        assertThat(catalog.writesWhenRead("s.reads")).isFalse();
        assertThat(catalog.mayWrite("s.reader")).isTrue();
        assertThat(catalog.family("s.b")).isEqualTo("s.b");
    }

    @Test
    void aViewWhoseDefinitionOrFunctionsAreHiddenMayWrite() {
        for (String name : Set.of("s.hidden", "s.calls", "s.reads")) {
            builder.table(name, false);
        }
        builder.view("s", "hidden", null, false);
        builder.view("s", "calls", "select `s`.`secret`(1) AS `f`", false);
        builder.view("s", "reads", "select count(0) AS `n` from `s`.`b` where `s`.`b`.`id` in (1,2)", false);

        Catalog catalog = builder.build();

        assertThat(catalog.writesWhenRead("s.hidden")).isTrue();
        assertThat(catalog.writesWhenRead("s.calls")).isTrue();
        assertThat(catalog.writesWhenRead("s.reads")).isFalse();
    }

    @Test
    void untilASchemaChangeIsReadAnUnknownNameMayBeAWritingView() {
        Dictionary dictionary = new Dictionary(() -> 0, 0);
        builder.table("s.old", false);
        dictionary.learned(builder.build(), dictionary.changes());
        List<TableName> created = List.of(new TableName("s", "created"));
        assertThat(dictionary.readMayWrite(created, "s")).isFalse();

        dictionary.changed();

        assertThat(dictionary.readMayWrite(created, "s")).isTrue();
        assertThat(dictionary.readMayWrite(List.of(new TableName(null, "old")), "s"))
                .as("may have been replaced")
                .isTrue();
        assertThat(dictionary.readMayWrite(List.of(new TableName(null, "a")), "s"))
                .isFalse();
    }

    @Test
    void aFunctionOfAPackageThatWritesMayWrite() {
        builder.routine("s", "pkg");
        builder.storedPackage("s", "pkg");
        builder.routineBody("s", "pkg", "AS FUNCTION f(x INT) RETURN INT; END");
        builder.routineBody("s", "pkg", "AS FUNCTION f(x INT) RETURN INT AS BEGIN DELETE FROM a; RETURN x; END; END");

        Catalog catalog = builder.build();

        assertThat(catalog.mayWrite("pkg.f")).isTrue();
        assertThat(catalog.mayWrite("other.f")).isFalse();
        assertThat(catalog.mayWrite("f")).isFalse();
    }

    @Test
    void aFunctionThatTakesTheNextValueOfASequenceWrites() {
        builder.routine("s", "id");
        builder.routineBody("s", "id", "RETURN NEXT VALUE FOR ids");

        assertThat(builder.build().mayWrite("s.id")).isTrue();
    }

    @Test
    void aTableThatChangesItsFamilyIsStillFollowedUnderItsOldName() {
        Relations relations = Relations.NONE.with(builder.build()).pruned(name -> false);
        builder.foreignKey("s.c", "s.a");

        Relations tied = relations.with(builder.build());

        Set<String> names = new TreeSet<>();
        tied.addNames("s.a", names);
        assertThat(names).containsExactly("s.a", "s.c");
        names.clear();
        tied.pruned(name -> name.equals("s.b")).addNames("s.a", names);
        assertThat(names).containsExactly("s.a");
    }

    /** The routine's tables are not in the text. */
    @Test
    void aTriggerThatCallsARoutineWhichMayBeHiddenKeepsItsTableInTheDefaultDomain() {
        for (boolean known : new boolean[] {true, false}) {
            Catalog.Builder builder = new Catalog.Builder();
            if (known) {
                builder.routinesKnown();
            }
            builder.table("s.b", true);
            builder.trigger("s", "b", "CALL secret(NEW.id)");
            assertThat(builder.build().movable("s.b")).isEqualTo(known);
        }
    }

    /** A replica executes the functions, unless the log has rows. */
    @Test
    void whatAFunctionReadsIsReadThroughEveryViewThatCallsItInAnyDepth() {
        for (String name : Set.of("s.v1", "s.v2", "s.v3", "s.plain")) {
            builder.table(name, false);
        }
        builder.routinesKnown();
        builder.routine("s", "total");
        builder.routine("s", "twice");
        builder.view("s", "v1", "select `twice`() AS `n`", false);
        builder.view("s", "v2", "select `v1`.`n` AS `n` from `s`.`v1`", false);
        builder.view("s", "v3", "select `v2`.`n` AS `n` from `s`.`v2`", false);
        builder.view("s", "plain", "select `b`.`id` AS `n` from `s`.`b`", false);
        builder.routineBody("s", "total", "RETURN (SELECT SUM(v) FROM a)");
        builder.routineBody("s", "twice", "RETURN 2 * total()");

        Catalog catalog = builder.build();

        assertThat(Set.of("s.v1", "s.v2", "s.v3")).allMatch(catalog::callsWhenRead);
        assertThat(catalog.callsWhenRead("s.plain")).isFalse();
        assertThat(catalog.readThrough("s.v3")).containsExactlyInAnyOrder("s.v2", "s.v1", "s.a");
        assertThat(catalog.readThrough("s.plain")).containsExactly("s.b");
        assertThat(catalog.readByCall("s.Twice")).containsExactly("s.a");
        assertThat(catalog.mayWrite("s.total")).isFalse();
        assertThat(catalog.movable(catalog.family("s.a"))).isTrue();
    }

    @Test
    void aTriggersFamilyHasWhatItsFunctionsAndViewsReadInAnyDepth() {
        builder.table("s.sums", false);
        builder.routine("s", "total");
        builder.routine("s", "twice");
        builder.trigger("s", "b", "SET NEW.v = twice()");
        builder.trigger("s", "c", "SET NEW.v = (SELECT v FROM sums)");
        builder.view("s", "sums", "select sum(`log`.`v`) AS `v` from `other`.`log`", false);
        builder.routineBody("s", "total", "RETURN (SELECT SUM(v) FROM a)");
        builder.routineBody("s", "twice", "RETURN 2 * total()");

        Catalog catalog = builder.build();

        assertThat(catalog.family("s.b")).isEqualTo(catalog.family("s.a"));
        assertThat(catalog.family("s.c")).isEqualTo(catalog.family("other.log"));
        assertThat(catalog.family("s.b")).isNotEqualTo(catalog.family("s.c"));
        assertThat(catalog.family("s.audit")).isEqualTo("s.audit");
        assertThat(Set.of("s.b", "s.c")).allMatch(table -> catalog.movable(catalog.family(table)));
    }

    /** Functions and procedures have their names each for themselves. */
    @Test
    void aProcedureOfTheSameNameDoesNotHideWhatAFunctionDoes() {
        builder.table("s.next", false);
        builder.routinesKnown();
        builder.routine("s", "f");
        builder.routine("s", "g");
        builder.view("s", "next", "select nextval(`s`.`ids`) AS `n`", false);
        builder.routineBody("s", "f", "RETURN (SELECT n FROM next)");
        builder.routineBody("s", "f", "SELECT 1");
        builder.routineBody("s", "g", "RETURN (SELECT v FROM a)");
        builder.routineBody("s", "g", "SELECT 1");

        Catalog catalog = builder.build();

        assertThat(catalog.mayWrite("s.f")).isTrue();
        assertThat(catalog.readByCall("s.g")).containsExactly("s.a");
    }

    @Test
    void aFunctionOfAPackageThatReadsIsARoutineWithItsReads() {
        builder.routinesKnown();
        builder.routine("s", "pkg");
        builder.storedPackage("s", "pkg");
        builder.routineBody("s", "pkg", "AS FUNCTION f RETURN INT; END");
        builder.routineBody("s", "pkg", "AS FUNCTION f RETURN INT AS BEGIN RETURN (SELECT v FROM a); END; END");

        Catalog catalog = builder.build();

        assertThat(catalog.mayWrite("pkg.f")).isFalse();
        assertThat(catalog.isRoutine("pkg.f")).isTrue();
        assertThat(catalog.isRoutine("other.f")).isFalse();
        assertThat(catalog.readByCall("pkg.f")).containsExactly("s.a");
    }
}
