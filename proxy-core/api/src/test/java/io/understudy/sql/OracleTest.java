package io.understudy.sql;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.druid.DbType;
import com.alibaba.druid.sql.SQLUtils;
import com.alibaba.druid.sql.ast.SQLStatement;
import com.alibaba.druid.sql.ast.statement.SQLSelectStatement;
import com.alibaba.druid.sql.dialect.mysql.ast.statement.MySqlSelectQueryBlock;
import com.alibaba.druid.sql.dialect.mysql.visitor.MySqlASTVisitorAdapter;
import io.debezium.ddl.parser.mysql.generated.MySqlLexer;
import io.debezium.ddl.parser.mysql.generated.MySqlParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;
import org.antlr.v4.runtime.tree.ParseTree;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the classification with two third-party parsers. */
@Tag("long")
class OracleTest {

    /** Statements for which another parser finds other tables, with the reason. */
    private static final Map<String, String> EXPLAINED = Map.of(
            "CREATE PROCEDURE p(IN a INT, OUT b INT) BEGIN DECLARE x INT DEFAULT 0;"
                    + " SELECT COUNT(*) INTO b FROM t WHERE id=a; END",
            "creating a routine does not run its body",
            "SELECT LASTVAL(s1)",
            "sequences are MariaDB's; to the MySQL grammar this is a function of a column",
            "SELECT NEXTVAL(s1)",
            "as above",
            "SELECT SETVAL(s1, 100)",
            "as above",
            "SELECT s1.nextval",
            "as above, a column of a table");

    private static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** The grammar's findings for a statement. */
    private static final class Grammar {
        final Set<String> tables = new TreeSet<>();
        final Set<String> expressions = new TreeSet<>();
        boolean harmful;

        Grammar(String sql) {
            MySqlLexer lexer = new MySqlLexer(CharStreams.fromString(sql));
            lexer.serverVersion = 90100;
            BaseErrorListener refuse = new BaseErrorListener() {
                @Override
                public void syntaxError(
                        Recognizer<?, ?> recognizer,
                        Object symbol,
                        int line,
                        int column,
                        String message,
                        RecognitionException e) {
                    throw new Refused();
                }
            };
            lexer.removeErrorListeners();
            lexer.addErrorListener(refuse);
            MySqlParser parser = new MySqlParser(new CommonTokenStream(lexer));
            parser.serverVersion = 90100;
            parser.removeErrorListeners();
            parser.addErrorListener(refuse);
            visit(parser.queries());
            tables.removeAll(expressions);
        }

        private void visit(ParseTree tree) {
            if (tree instanceof MySqlParser.TableRefContext) {
                tables.add(name(tree.getText()));
            } else if (tree instanceof MySqlParser.CommonTableExpressionContext) {
                expressions.add(name(tree.getChild(0).getText()));
            }
            harmful |= tree instanceof MySqlParser.LockingClauseContext
                    || tree instanceof MySqlParser.IntoClauseContext
                    || tree instanceof MySqlParser.InsertStatementContext
                    || tree instanceof MySqlParser.UpdateStatementContext
                    || tree instanceof MySqlParser.DeleteStatementContext
                    || tree instanceof MySqlParser.ReplaceStatementContext
                    || tree instanceof MySqlParser.CallStatementContext
                    || tree instanceof MySqlParser.SetStatementContext
                    || tree instanceof MySqlParser.CreateStatementContext
                    || tree instanceof MySqlParser.AlterStatementContext
                    || tree instanceof MySqlParser.DropStatementContext;
            for (int i = 0; i < tree.getChildCount(); i++) {
                visit(tree.getChild(i));
            }
        }

        private static String name(String text) {
            return text.replace("``", "\u0001").replace("`", "").replace('\u0001', '`');
        }
    }

    private static List<String> statements() {
        List<String> all = StatementCorpus.load().stream()
                .map(StatementCorpus.Statement::sql)
                .collect(Collectors.toCollection(ArrayList::new));
        String[] sources = {
            "t",
            "db.t",
            "t JOIN u ON t.a = u.a",
            "t x, u y",
            "(SELECT a FROM v) d",
            "t LEFT JOIN (u, v) ON u.a = v.a",
            "((SELECT a FROM t) UNION (SELECT b FROM u)) d",
            "t USE INDEX (i) JOIN u USING (a)",
            "(t JOIN u)",
            "DUAL"
        };
        String[] filters = {
            "",
            " WHERE a IN (1, 2)",
            " WHERE EXISTS (SELECT 1 FROM w)",
            " WHERE a = (SELECT MAX(b) FROM w FOR UPDATE)",
            " GROUP BY a HAVING COUNT(*) > 1",
            " ORDER BY a LIMIT 1, 2"
        };
        String[] ends = {
            "", " FOR UPDATE", " LOCK IN SHARE MODE", " INTO @x", " INTO OUTFILE 'x'", " FOR SHARE SKIP LOCKED"
        };
        for (String source : sources) {
            for (String filter : filters) {
                for (String end : ends) {
                    all.add("SELECT a FROM " + source + filter + end);
                }
                all.add("INSERT INTO target SELECT a FROM " + source + filter);
                all.add("WITH c AS (SELECT a FROM " + source + filter + ") SELECT * FROM c JOIN z");
                all.add("EXPLAIN SELECT a FROM " + source + filter);
                all.add("CREATE TABLE target AS SELECT a FROM " + source + filter);
                all.add("DELETE FROM target WHERE a IN (SELECT a FROM " + source + filter + ")");
                all.add("UPDATE target SET a = (SELECT a FROM " + source + filter + ")");
            }
        }
        return all;
    }

    @Test
    void theGrammarAgreesOnPureReadsAndTables() {
        int parsed = 0;
        Map<String, String> differences = new TreeMap<>();
        for (String sql : statements()) {
            Grammar grammar;
            try {
                grammar = new Grammar(sql);
            } catch (Refused e) {
                continue;
            }
            parsed++;
            StatementSummary summary = SqlText.summary(sql);
            if (grammar.harmful) {
                assertThat(summary.pureRead()).as(sql).isFalse();
            }
            Set<String> tables = StatementCorpus.names(summary.reads());
            tables.addAll(StatementCorpus.names(summary.writes()));
            if (summary.kind().isDdl()) {
                // The grammar uses another rule for a table that does not exist yet.
                tables.retainAll(grammar.tables);
            }
            if (!tables.equals(grammar.tables) && !EXPLAINED.containsKey(sql)) {
                differences.put(sql, "proxy " + tables + ", grammar " + grammar.tables);
            }
        }
        assertThat(String.join(
                        "\n",
                        differences.entrySet().stream().map(Object::toString).toList()))
                .isEmpty();
        assertThat(parsed).isGreaterThan(700);
    }

    @Test
    void druidFindsNoLocksInPureReads() {
        int parsed = 0;
        for (String sql : statements()) {
            List<SQLStatement> statements;
            try {
                statements = SQLUtils.parseStatements(sql, DbType.mysql);
            } catch (RuntimeException | LinkageError e) {
                continue;
            }
            parsed++;
            boolean[] harmful = {false};
            for (SQLStatement statement : statements) {
                if (statement.getClass().getSimpleName().contains("Show")) {
                    continue;
                }
                String name = statement.getClass().getSimpleName().toUpperCase(Locale.ROOT);
                harmful[0] |=
                        name.matches(".*(INSERT|UPDATE|DELETE|REPLACE|CREATE|ALTER|DROP|CALL|LOCK|TRUNCATE|SETSTAT).*");
                if (statement instanceof SQLSelectStatement) {
                    statement.accept(new MySqlASTVisitorAdapter() {
                        @Override
                        public boolean visit(MySqlSelectQueryBlock block) {
                            harmful[0] |= block.isForUpdate() || block.isLockInShareMode() || block.getInto() != null;
                            return true;
                        }
                    });
                }
            }
            if (harmful[0]) {
                assertThat(SqlText.summary(sql).pureRead()).as(sql).isFalse();
            }
        }
        assertThat(parsed).isGreaterThan(500);
    }
}
