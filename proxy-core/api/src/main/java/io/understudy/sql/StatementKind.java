package io.understudy.sql;

/** The kind of a statement, by its leading keywords. {@code WITH} is resolved to the statement that follows. */
public enum StatementKind {
    SELECT("select"),
    VALUES("select"),
    TABLE("select"),
    SHOW("show"),
    DESCRIBE("show"),
    /** {@code EXPLAIN} and MariaDB's {@code ANALYZE <statement>}, which runs the statement. */
    EXPLAIN("explain"),
    HELP("show"),
    INSERT("insert", Trait.DML),
    REPLACE("replace", Trait.DML),
    UPDATE("update", Trait.DML),
    DELETE("delete", Trait.DML),
    LOAD("load", Trait.DML),
    TRUNCATE("ddl", Trait.DDL),
    CREATE("ddl", Trait.DDL),
    ALTER("ddl", Trait.DDL),
    DROP("ddl", Trait.DDL),
    RENAME("ddl", Trait.DDL),
    CALL("call", Trait.WRITES),
    SET("set"),
    USE("use"),
    /** {@code BEGIN}, {@code START TRANSACTION}. */
    BEGIN("begin", Trait.COMMITS),
    COMMIT("commit"),
    /** {@code ROLLBACK} of the whole transaction. */
    ROLLBACK("rollback"),
    /** {@code SAVEPOINT}, {@code RELEASE SAVEPOINT}, {@code ROLLBACK TO}. */
    SAVEPOINT("savepoint"),
    /** {@code XA START}, {@code XA END}, {@code XA RECOVER}. */
    XA("xa"),
    XA_PREPARE("xa"),
    XA_COMMIT("xa"),
    XA_ROLLBACK("xa"),
    LOCK("lock", Trait.COMMITS),
    UNLOCK("lock", Trait.COMMITS),
    HANDLER("handler"),
    PREPARE("prepare"),
    /** {@code EXECUTE} of a statement prepared in SQL, or {@code EXECUTE IMMEDIATE}: may do anything. */
    EXECUTE("prepare", Trait.WRITES),
    DEALLOCATE("prepare"),
    DO("other", Trait.WRITES),
    /** {@code GRANT}, {@code REVOKE}. */
    GRANT("ddl", Trait.WRITES_AND_COMMITS),
    FLUSH("admin", Trait.COMMITS),
    KILL("admin"),
    /** Table maintenance ({@code ANALYZE TABLE}, {@code OPTIMIZE}, …) and server administration. */
    ADMIN("admin", Trait.WRITES_AND_COMMITS),
    /** {@code CHANGE MASTER}, {@code START SLAVE} and their successors. */
    CHANGE("admin", Trait.COMMITS),
    BINLOG("other", Trait.WRITES),
    /** A compound statement outside a routine: {@code BEGIN NOT ATOMIC}, {@code IF … END IF}, … */
    BLOCK("other", Trait.WRITES),
    /** {@code INSTALL}, {@code UNINSTALL}. */
    INSTALL("admin", Trait.WRITES_AND_COMMITS),
    RESET("admin", Trait.COMMITS),
    SIGNAL("other"),
    GET_DIAGNOSTICS("other"),
    /** Several statements in one text. */
    MULTI("other", Trait.WRITES),
    /** Only blanks and comments. */
    EMPTY("other"),
    UNKNOWN("other", Trait.WRITES);

    private enum Trait {
        NONE,
        DML,
        DDL,
        WRITES,
        COMMITS,
        WRITES_AND_COMMITS
    }

    private final String label;
    private final Trait trait;

    StatementKind(String label) {
        this(label, Trait.NONE);
    }

    StatementKind(String label, Trait trait) {
        this.label = label;
        this.trait = trait;
    }

    /** Returns the lower-case name used in rules and metric labels; several kinds share one. */
    public String label() {
        return label;
    }

    /**
     * Returns whether it changes the schema: {@code CREATE}, {@code ALTER}, {@code DROP}, {@code RENAME},
     * {@code TRUNCATE}.
     */
    public boolean isDdl() {
        return trait == Trait.DDL;
    }

    /**
     * Returns whether it changes rows by itself: {@code INSERT}, {@code UPDATE}, {@code DELETE}, {@code REPLACE},
     * {@code LOAD}.
     */
    public boolean isDml() {
        return trait == Trait.DML;
    }

    /** Returns whether it may write rows or schema; true where the text does not tell, as for {@code CALL}. */
    public boolean writes() {
        return trait == Trait.DML || trait == Trait.DDL || trait == Trait.WRITES || trait == Trait.WRITES_AND_COMMITS;
    }

    /**
     * Returns whether it ends an open transaction before or after it runs (servers' manuals, "Statements That Cause an
     * Implicit Commit"). {@link StatementSummary#implicitCommit()} also knows the exceptions.
     */
    public boolean implicitCommit() {
        return trait == Trait.DDL || trait == Trait.COMMITS || trait == Trait.WRITES_AND_COMMITS;
    }

    /** Returns whether it begins a transaction while autocommit is off: if it is not about transactions or settings. */
    public boolean beginsTransaction() {
        return switch (this) {
            case SET, USE, COMMIT, ROLLBACK, EMPTY -> false;
            default -> true;
        };
    }
}
