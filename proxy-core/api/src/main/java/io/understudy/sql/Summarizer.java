package io.understudy.sql;

import org.jspecify.annotations.Nullable;

/**
 * Builds the summary of a text: first from the bytes alone, then from every statement in it, then by the rules for
 * reads.
 *
 * <p>A text is one statement, several separated by semicolons, or one whose body contains semicolons.
 * {@link StatementSummarizer} handles each statement.
 */
final class Summarizer {

    private final Lexer lexer;
    private final Tokens t = new Tokens();
    private final StatementSummarizer statements = new StatementSummarizer(t);
    private final ReadRules rules = new ReadRules(t);
    private Draft draft = new Draft();
    /** The end of the first of several statements; the end of the text if there is one statement. */
    private int firstEnd;

    Summarizer(Lexer lexer) {
        this.lexer = lexer;
    }

    /**
     * Summarises a text.
     *
     * @param outer a reason that the caller knows from the bytes alone, or null
     */
    StatementSummary run(byte[] text, int off, int len, int modes, long digest, @Nullable NotPure outer) {
        t.load(lexer, text, off, len, modes);
        Draft d = new Draft();
        draft = d;
        statements.reset(d);
        if (outer != null) {
            d.notPureAboveAll(outer);
        }
        if ((t.flags & Lexer.EXECUTABLE) != 0) {
            d.notPure(NotPure.EXECUTABLE_COMMENT);
        }
        if ((t.flags & (Lexer.UNTERMINATED | Lexer.BAD_TEXT)) != 0) {
            d.notPure(NotPure.UNPARSED);
        }
        if ((t.flags & Lexer.HINT_SETS) != 0) {
            d.notPure(NotPure.HINT);
        }
        int first = firstToken(0);
        StatementKind kind = all(first);
        if (t.undecoded) {
            d.notPure(NotPure.CHARSET);
        }
        rules.apply(d, first, firstEnd, statements.isRead(), statements.isShow(), modes);
        StatementSummary summary = d.finish(digest, kind);
        draft = new Draft();
        t.release();
        return summary;
    }

    private int firstToken(int i) {
        int n = i;
        while (t.type(n) == ';') {
            n++;
        }
        return n;
    }

    /** Summarises all statements from {@code first}; returns the kind of the whole text. */
    private StatementKind all(int first) {
        firstEnd = t.count();
        StatementKind kind = statements.summarize(first);
        boolean mayHaveBody = kind == StatementKind.CREATE || kind == StatementKind.ALTER;
        if (kind == StatementKind.BLOCK || mayHaveBody && statements.hasBody(first)) {
            return kind;
        }
        int next = nextStatement(first);
        if (next < 0) {
            return kind;
        }
        draft.notPure(NotPure.MULTI_STATEMENT);
        firstEnd = next;
        while (next >= 0) {
            statements.summarize(next);
            next = nextStatement(next);
        }
        draft.carried = null;
        statements.markRead(false);
        return StatementKind.MULTI;
    }

    /** Returns the first token of the statement after the one at {@code i}, or -1. */
    private int nextStatement(int i) {
        int n = i;
        while (t.type(n) != ';') {
            if (t.type(n) == Lexer.END) {
                return -1;
            }
            n++;
        }
        n = firstToken(n);
        return t.type(n) == Lexer.END ? -1 : n;
    }
}
