package io.understudy.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.sql.SetStatement.Assignment;
import io.understudy.sql.SetStatement.Scope;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SetStatementTest {

    private static @Nullable SetStatement parse(String sql, int modes) {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        return SetStatement.parse(text, 0, text.length, modes);
    }

    private static List<Assignment> assignments(String sql) {
        SetStatement statement = parse(sql, SqlModes.NONE);
        assertThat(statement).as(sql).isNotNull();
        // The assignments only; the source text has its own test.
        return statement.assignments().stream()
                .map(one -> of(one.scope(), one.name(), one.literalValue()))
                .toList();
    }

    private static Assignment of(Scope scope, String name, @Nullable String value) {
        return new Assignment(scope, name, value, "");
    }

    @Test
    void distinguishesScopes() {
        assertThat(assignments("SET @a = 1, @@session.sql_mode = 'ANSI_QUOTES', GLOBAL max_connections = 100, x=2"))
                .containsExactly(
                        of(Scope.USER, "a", "1"),
                        of(Scope.SESSION, "sql_mode", "ANSI_QUOTES"),
                        of(Scope.GLOBAL, "max_connections", "100"),
                        // A scope keyword also applies to the assignments after it.
                        of(Scope.GLOBAL, "x", "2"));
        assertThat(assignments("SET PERSIST a=1, PERSIST_ONLY b=2, LOCAL c=-3, @@d := ON, @@GLOBAL.e=`f`"))
                .containsExactly(
                        of(Scope.PERSIST, "a", "1"),
                        of(Scope.PERSIST_ONLY, "b", "2"),
                        of(Scope.SESSION, "c", "-3"),
                        of(Scope.SESSION, "d", "ON"),
                        of(Scope.GLOBAL, "e", "f"));
        assertThat(assignments("set GLOBAL hot.key_buffer_size=10"))
                .containsExactly(of(Scope.GLOBAL, "hot.key_buffer_size", "10"));
        assertThat(assignments("SET @@sql_mode='', AUTOCOMMIT=0;"))
                .containsExactly(of(Scope.SESSION, "sql_mode", ""), of(Scope.SESSION, "autocommit", "0"));
    }

    @Test
    void keepsTheTextOfTheExpression() {
        SetStatement statement =
                parse("SET sql_mode = concat( @@sql_mode, ',ANSI' ), time_zone=DEFAULT", SqlModes.NONE);
        assertThat(statement).isNotNull();
        assertThat(statement.assignments())
                .extracting(Assignment::expression)
                .containsExactly("concat( @@sql_mode, ',ANSI' )", "DEFAULT");
        assertThat(statement.assignments()).extracting(Assignment::isDefault).containsExactly(false, true);
    }

    @Test
    void hasNoValueForExpressions() {
        assertThat(assignments(
                        "SET sql_mode = CONCAT(@@sql_mode, ',ANSI'), time_zone=DEFAULT, gtid_domain_id = 1+1, a=(1)"))
                .extracting(Assignment::literalValue)
                .containsOnlyNulls()
                .hasSize(4);
        assertThat(assignments("SET @x = (SELECT a, b FROM t), time_zone = '+00:00'"))
                .containsExactly(of(Scope.USER, "x", null), of(Scope.SESSION, "time_zone", "+00:00"));
        assertThat(assignments("SET time_zone = ?")).containsExactly(of(Scope.SESSION, "time_zone", null));
        assertThat(assignments("SET sql_mode = 'a' 'b'")).containsExactly(of(Scope.SESSION, "sql_mode", null));
    }

    @Test
    void knowsNamesAndCharacterSets() {
        assertThat(assignments("SET NAMES utf8mb4")).containsExactly(of(Scope.SESSION, "names", "utf8mb4"));
        assertThat(assignments("SET NAMES 'latin1' COLLATE 'latin1_bin', autocommit=1"))
                .containsExactly(
                        of(Scope.SESSION, "names", "latin1 COLLATE latin1_bin"), of(Scope.SESSION, "autocommit", "1"));
        assertThat(assignments("SET NAMES DEFAULT")).containsExactly(of(Scope.SESSION, "names", null));
        assertThat(assignments("SET CHARACTER SET binary"))
                .containsExactly(of(Scope.SESSION, "character_set", "binary"));
        assertThat(assignments("SET CHARSET utf8")).containsExactly(of(Scope.SESSION, "character_set", "utf8"));
        assertThat(assignments("SET character_set_client = gbk"))
                .containsExactly(of(Scope.SESSION, "character_set_client", "gbk"));
    }

    @Test
    void knowsTransactionCharacteristics() {
        assertThat(assignments("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY"))
                .containsExactly(
                        of(Scope.TRANSACTION, "transaction_isolation", "SERIALIZABLE"),
                        of(Scope.TRANSACTION, "transaction_read_only", "1"));
        assertThat(assignments("set session transaction isolation level read committed"))
                .containsExactly(of(Scope.SESSION, "transaction_isolation", "READ-COMMITTED"));
        assertThat(assignments("SET GLOBAL TRANSACTION READ WRITE"))
                .containsExactly(of(Scope.GLOBAL, "transaction_read_only", "0"));
        assertThat(assignments("SET transaction_isolation='REPEATABLE-READ'"))
                .containsExactly(of(Scope.SESSION, "transaction_isolation", "REPEATABLE-READ"));
    }

    @Test
    void settingsOfSetStatementHaveTheirOwnScope() {
        assertThat(assignments("SET STATEMENT max_statement_time=10, sql_mode='ANSI' FOR SELECT a, b FROM t"))
                .containsExactly(
                        of(Scope.STATEMENT, "max_statement_time", "10"), of(Scope.STATEMENT, "sql_mode", "ANSI"));
    }

    @Test
    void knowsAccountsAndRoles() {
        assertThat(assignments("SET PASSWORD FOR 'a'@'localhost' = PASSWORD('x')"))
                .containsExactly(of(Scope.ACCOUNT, "password", null));
        assertThat(assignments("SET ROLE admin")).containsExactly(of(Scope.SESSION, "role", "admin"));
        assertThat(assignments("SET DEFAULT ROLE a FOR b")).containsExactly(of(Scope.ACCOUNT, "default_role", null));
    }

    @Test
    void followsSqlModeInStrings() {
        assertThat(assignments("SET sql_mode = 'it''s\\n'")).containsExactly(of(Scope.SESSION, "sql_mode", "it's\n"));
        SetStatement plain = parse("SET sql_mode = 'a\\', b='c'", SqlModes.NO_BACKSLASH_ESCAPES);
        assertThat(plain).isNotNull();
        assertThat(plain.assignments()).extracting(Assignment::literalValue).containsExactly("a\\", "c");
    }

    @Test
    void readsVersionCommentsThatEveryServerExecutes() {
        assertThat(assignments("/*!40101 SET NAMES utf8 */;")).containsExactly(of(Scope.SESSION, "names", "utf8"));
        assertThat(parse("/*!80000 SET NAMES utf8 */", SqlModes.NONE)).isNull();
        assertThat(parse("SET a=1 /*M!100100 , b=2 */", SqlModes.NONE)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "SET",
                "SELECT 1",
                "SET a",
                "SET a=",
                "SET a=1; SET b=2",
                "SET a='",
                "SET =1",
                "SET a=1,",
                "SET GLOBAL",
                "SET TRANSACTION",
                "SET TRANSACTION FOO",
                "SET \u0000=1"
            })
    void returnsNullForOtherStatements(String sql) {
        assertThat(parse(sql, SqlModes.NONE)).isNull();
    }
}
