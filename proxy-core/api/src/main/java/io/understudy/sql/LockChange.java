package io.understudy.sql;

/**
 * How a text changes the locks that a session keeps between its statements, and that make other sessions wait.
 *
 * @param acquired bits of the locks that it leaves taken
 * @param released bits of the locks that it leaves released
 * @param taken bits of the locks that any of its statements takes, also one whose lock a later statement releases
 */
public record LockChange(int acquired, int released, int taken) {
    /** {@code LOCK TABLES}, {@code FLUSH TABLES … WITH READ LOCK}, {@code FLUSH TABLES … FOR EXPORT}. */
    public static final int TABLES = 1;
    /** {@code FLUSH TABLES WITH READ LOCK}. */
    public static final int GLOBAL = 1 << 1;
    /** {@code LOCK INSTANCE FOR BACKUP}; MariaDB's {@code BACKUP STAGE} and {@code BACKUP LOCK}. */
    public static final int BACKUP = 1 << 2;

    /** That of a text that neither takes nor releases a lock. */
    static final LockChange NONE = new LockChange(0, 0, 0);

    /** That of a BEGIN alone: it releases table locks, but not a global read lock. */
    public static final LockChange TRANSACTION_BEGUN = new LockChange(0, TABLES, 0);

    /**
     * Returns what all statements of a text do together.
     *
     * @param cut whether the text goes on behind the tokens; FLUSH TABLES of names then counts as a lock
     */
    static LockChange of(Tokens t, boolean cut) {
        LockChange all = NONE;
        int from = 0;
        for (int n = 0; n <= t.count(); n++) {
            if (n == t.count() || t.type(n) == ';') {
                all = all.then(one(t, from, n, cut && n == t.count()));
                from = n + 1;
            }
        }
        return all;
    }

    /** Returns whether the text neither takes nor releases a lock. */
    private boolean isNone() {
        return (acquired | released | taken) == 0;
    }

    private LockChange then(LockChange next) {
        if (next.isNone()) {
            return this;
        }
        return isNone()
                ? next
                : new LockChange(
                        acquired & ~next.released | next.acquired,
                        released & ~next.acquired | next.released,
                        taken | next.taken);
    }

    private static LockChange taken(int lock) {
        return new LockChange(lock, 0, lock);
    }

    private static LockChange given(int locks) {
        return new LockChange(0, locks, 0);
    }

    private static LockChange one(Tokens t, int i, int end, boolean cut) {
        Keyword first = t.keyword(i);
        if (first == null) {
            return NONE;
        }
        return switch (first) {
            case LOCK -> taken(t.is(i + 1, Keyword.INSTANCE) ? BACKUP : TABLES);
            case UNLOCK -> given(t.is(i + 1, Keyword.INSTANCE) ? BACKUP : TABLES | GLOBAL);
            case FLUSH -> flush(t, i + 1, end, cut);
            case BACKUP -> backup(t, i + 1);
            // Beginning a transaction releases table locks, but not a global read lock: both manuals, START
            // TRANSACTION.
            case BEGIN -> t.is(i + 1, Keyword.NOT) ? NONE : given(TABLES);
            case START -> t.is(i + 1, Keyword.TRANSACTION) ? given(TABLES) : NONE;
            case SET -> t.is(i + 1, Keyword.STATEMENT) ? carried(t, i + 2, end, cut) : NONE;
            default -> NONE;
        };
    }

    /** MariaDB's {@code SET STATEMENT … FOR statement}; a FOR in parentheses is of a setting's expression. */
    private static LockChange carried(Tokens t, int i, int end, boolean cut) {
        int at = i;
        while (at < end && !t.is(at, Keyword.FOR)) {
            at = t.type(at) == '(' ? t.afterParenthesis(at) : at + 1;
        }
        return at < end ? one(t, at + 1, end, cut) : NONE;
    }

    private static LockChange flush(Tokens t, int i, int end, boolean cut) {
        int n = i;
        while (t.isAny(n, Keyword.LOCAL, Keyword.NO_WRITE_TO_BINLOG)) {
            n++;
        }
        if (!t.isAny(n, Keyword.TABLE, Keyword.TABLES)) {
            return NONE;
        }
        boolean named = t.type(n + 1) != Lexer.END && !t.is(n + 1, Keyword.WITH);
        for (int at = n + 1; at < end; at++) {
            boolean locks = t.is(at, Keyword.WITH) && t.is(at + 1, Keyword.READ);
            if (locks || t.is(at, Keyword.FOR) && t.isWord(at + 1, "EXPORT")) {
                return taken(named ? TABLES : GLOBAL);
            }
        }
        return cut && named ? taken(TABLES) : NONE;
    }

    private static LockChange backup(Tokens t, int n) {
        boolean ends = t.is(n, Keyword.UNLOCK) || t.isWord(n, "STAGE") && t.is(n + 1, Keyword.END);
        boolean begins = t.is(n, Keyword.LOCK) || t.isWord(n, "STAGE");
        return ends ? given(BACKUP) : begins ? taken(BACKUP) : NONE;
    }
}
