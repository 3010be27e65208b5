package io.understudy.sql;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The words with a special meaning for the summary or the digest. */
enum Keyword {
    // First words of statements.
    ALTER(StatementKind.ALTER),
    ANALYZE(StatementKind.ADMIN),
    BACKUP(StatementKind.ADMIN),
    BEGIN(StatementKind.BEGIN),
    BINLOG(StatementKind.BINLOG),
    CACHE(StatementKind.ADMIN),
    CALL(StatementKind.CALL),
    CASE(StatementKind.BLOCK),
    CHANGE(StatementKind.CHANGE),
    CHECK(StatementKind.ADMIN),
    CHECKSUM(StatementKind.ADMIN),
    CLONE(StatementKind.ADMIN),
    COMMIT(StatementKind.COMMIT),
    CREATE(StatementKind.CREATE),
    DEALLOCATE(StatementKind.DEALLOCATE),
    DECLARE(StatementKind.BLOCK),
    DELETE(StatementKind.DELETE),
    DESC(StatementKind.DESCRIBE),
    DESCRIBE(StatementKind.DESCRIBE),
    DO(StatementKind.DO),
    DROP(StatementKind.DROP),
    EXECUTE(StatementKind.EXECUTE),
    EXPLAIN(StatementKind.EXPLAIN),
    FLUSH(StatementKind.FLUSH),
    FOR(StatementKind.BLOCK),
    GET(StatementKind.GET_DIAGNOSTICS),
    GRANT(StatementKind.GRANT),
    HANDLER(StatementKind.HANDLER),
    HELP(StatementKind.HELP),
    IF(StatementKind.BLOCK),
    IMPORT(StatementKind.ADMIN),
    INSERT(StatementKind.INSERT),
    INSTALL(StatementKind.INSTALL),
    KILL(StatementKind.KILL),
    LOAD(StatementKind.LOAD),
    LOCK(StatementKind.LOCK),
    LOOP(StatementKind.BLOCK),
    OPTIMIZE(StatementKind.ADMIN),
    PREPARE(StatementKind.PREPARE),
    PURGE(StatementKind.ADMIN),
    RELEASE(StatementKind.SAVEPOINT),
    RENAME(StatementKind.RENAME),
    REPAIR(StatementKind.ADMIN),
    REPEAT(StatementKind.BLOCK),
    REPLACE(StatementKind.REPLACE),
    RESET(StatementKind.RESET),
    RESIGNAL(StatementKind.SIGNAL),
    RESTART(StatementKind.ADMIN),
    REVOKE(StatementKind.GRANT),
    ROLLBACK(StatementKind.ROLLBACK),
    SAVEPOINT(StatementKind.SAVEPOINT),
    SELECT(StatementKind.SELECT),
    SET(StatementKind.SET),
    SHOW(StatementKind.SHOW),
    SHUTDOWN(StatementKind.ADMIN),
    SIGNAL(StatementKind.SIGNAL),
    START(StatementKind.BEGIN),
    STOP(StatementKind.CHANGE),
    TABLE(StatementKind.TABLE),
    TRUNCATE(StatementKind.TRUNCATE),
    UNINSTALL(StatementKind.INSTALL),
    UNLOCK(StatementKind.UNLOCK),
    UPDATE(StatementKind.UPDATE),
    USE(StatementKind.USE),
    VALUES(StatementKind.VALUES),
    WHILE(StatementKind.BLOCK),
    WITH(StatementKind.SELECT),
    XA(StatementKind.XA),
    // Clauses and operators.
    AGAINST,
    ALL,
    AND,
    ANY,
    AS,
    BETWEEN,
    COLLATE,
    CROSS,
    DISTINCT,
    DUAL,
    ELSE,
    END,
    EXCEPT,
    EXISTS,
    FALSE,
    FETCH,
    FROM,
    GROUP,
    HAVING,
    IGNORE,
    IN,
    INNER,
    INTERSECT,
    INTO,
    IS,
    JOIN,
    LATERAL,
    LEFT,
    LIKE,
    LIMIT,
    MINUS,
    NATURAL,
    NOT,
    NULL,
    OF,
    ON,
    OR,
    ORDER,
    OUTER,
    OVER,
    PARTITION,
    PROCEDURE,
    RECURSIVE,
    RETURN,
    RIGHT,
    ROW,
    SOME,
    STRAIGHT_JOIN,
    THEN,
    TO,
    TRUE,
    UNION,
    USING,
    VALUE,
    WHERE,
    WINDOW,
    XOR,
    MEMBER,
    ROLLUP,
    SQL_CALC_FOUND_ROWS,
    SHARE,
    NEXT,
    PREVIOUS,
    DUPLICATE,
    KEY,
    FORCE,
    INDEX,
    JSON_TABLE,
    OJ,
    SYSTEM_TIME,
    PORTION,
    // Modifiers and objects of statements.
    ATOMIC,
    CHARACTER,
    CHARSET,
    COLUMN,
    COLUMNS,
    CONNECTION,
    CONVERT,
    DATA,
    DATABASE,
    DEFAULT,
    DEFINER,
    DELAYED,
    DIAGNOSTICS,
    ERRORS,
    EVENT,
    EXTENDED,
    FIELDS,
    FORMAT,
    FUNCTION,
    GLOBAL,
    HIGH_PRIORITY,
    HISTORY,
    INDEXES,
    INSTANCE,
    KEYS,
    LOCAL,
    LOW_PRIORITY,
    NAMES,
    NO_WRITE_TO_BINLOG,
    OPEN,
    PACKAGE,
    PARTITIONS,
    PASSWORD,
    PERSIST,
    PERSIST_ONLY,
    QUICK,
    READ,
    REFERENCES,
    ROLE,
    SCHEMA,
    SEQUENCE,
    SESSION,
    STATEMENT,
    TABLES,
    TEMPORARY,
    TRANSACTION,
    TRIGGER,
    USER,
    VIEW,
    WAIT,
    WARNINGS,
    WRITE,
    XML,
    WORK,
    // Values without parentheses that depend on the session.
    CURRENT_USER,
    CURRENT_ROLE,

    // Known before operands and parentheses only.
    BINARY,
    BY,
    DISTINCTROW,
    DIV,
    INTERVAL,
    MATCH,
    MOD,
    OFFSET,
    REGEXP,
    RLIKE,
    WHEN,

    /** Any other word that is no name. */
    OTHER;

    /** An expression starts after these, so that a sign after them belongs to a number. */
    private static final Set<String> BEFORE_OPERAND =
            words("SELECT WHERE AND OR XOR NOT BETWEEN LIMIT OFFSET THEN ELSE WHEN CASE BY SET VALUES VALUE RETURN"
                    + " LIKE INTERVAL DIV MOD IN IS ON HAVING DISTINCT ALL REGEXP RLIKE DO CALL");

    /** Reserved by every server: a parenthesis after these never holds the arguments of a stored function. */
    private static final Set<String> BEFORE_PARENTHESIS =
            words("ALL AND AS BETWEEN BINARY BY CASE CROSS DISTINCT DISTINCTROW DIV ELSE EXISTS FROM HAVING IN"
                    + " INDEX INNER INTERVAL IS JOIN KEY LIKE LIMIT NATURAL NOT ON OR ORDER PARTITION REGEXP RLIKE ROW"
                    + " SELECT STRAIGHT_JOIN THEN UNION USING VALUES WHEN WHERE WITH XOR MATCH SET TABLE ANALYZE"
                    + " EXPLAIN DESC DESCRIBE");

    private static final WordTable<Keyword> TABLE_OF_WORDS = new WordTable<>(byName());

    private static Set<String> words(String words) {
        return Set.of(words.split(" "));
    }

    private static Map<String, Keyword> byName() {
        Map<String, Keyword> map = new HashMap<>();
        for (Keyword keyword : values()) {
            map.put(keyword.name(), keyword);
            keyword.beforeOperand = BEFORE_OPERAND.contains(keyword.name());
            keyword.beforeParenthesis = BEFORE_PARENTHESIS.contains(keyword.name());
        }
        map.remove(OTHER.name());
        WordTable.add(
                map,
                OTHER,
                "ASC AT ROWS SOUNDS RETURNING SQL_NO_CACHE NEXTVAL CURRVAL ALGORITHM BEFORE CONCURRENT CONSTRAINT COUNT"
                        + " EXCHANGE FULL IMMEDIATE INFILE MASTER QUERY REPLICA SLAVE");
        return map;
    }

    private final StatementKind kind;
    private boolean beforeOperand;
    private boolean beforeParenthesis;

    Keyword() {
        this(StatementKind.UNKNOWN);
    }

    Keyword(StatementKind kind) {
        this.kind = kind;
    }

    /** Returns the kind of a statement that begins with this word, as far as the word alone tells. */
    StatementKind kind() {
        return kind;
    }

    /** Returns the keywords of a list of words. */
    static Set<Keyword> set(String words) {
        Set<Keyword> set = EnumSet.noneOf(Keyword.class);
        for (String word : words.split(" ")) {
            set.add(valueOf(word));
        }
        return set;
    }

    static @Nullable Keyword find(byte[] text, int start, int end, long hash) {
        return TABLE_OF_WORDS.find(text, start, end, hash);
    }

    /** Returns whether an expression starts after this word. */
    boolean beforeOperand() {
        return beforeOperand;
    }

    /** Returns whether a parenthesis after this word never holds the arguments of a stored function. */
    boolean beforeParenthesis() {
        return beforeParenthesis;
    }
}
