package io.understudy.sql;

import org.jspecify.annotations.Nullable;

/**
 * Hashes a statement's tokens as they come, what repeats but once: rows, lists of literals, semicolons.
 *
 * <p>Parentheses are hashed as groups on their own, so that a row can be compared with the one before it. A comma is
 * held back until it is known whether a repetition follows. Apart from {@link Digester}, which says what each token is.
 */
final class Condenser {

    private static final long LITERAL = 0x6C69746572616C21L;
    private static final long GROUP = 0x67726F75702E2E2EL;

    /** What is held back until it is known whether it repeats: see {@link #held}. */
    private static final int NOTHING = 0;

    private static final int COMMA_AFTER_LITERAL = 1;
    private static final int COMMA_AND_LITERAL = 2;
    private static final int COMMA_AFTER_GROUP = 3;

    private final Lexer lexer;
    private final HashPair hashes = new HashPair();
    private int held;
    private boolean afterLiteral;
    private boolean afterGroup;
    private long group1;
    private long group2;
    private int excess;
    private int sign;
    private int semicolons;
    private boolean something;

    private final OpenGroups groups = new OpenGroups();
    private @Nullable NormalText out;

    Condenser(Lexer lexer) {
        this.lexer = lexer;
    }

    /** Starts a statement; with {@code out}, its normalised text is written as well. */
    void begin(int modes, boolean cut, @Nullable NormalText out) {
        this.out = out;
        hashes.set(0x5175657279L, 0x9E3779B97F4A7C15L * (modes + 1) + (cut ? 1 : 0));
        held = NOTHING;
        afterLiteral = false;
        afterGroup = false;
        groups.clear();
        excess = 0;
        sign = 0;
        semicolons = 0;
        something = false;
    }

    long digest() {
        return hashes.first();
    }

    long fingerprint() {
        return hashes.second();
    }

    /** A character set before a literal: part of it to the digest. */
    void introducer() {
        hashes.mixSecond(lexer.exact);
    }

    /** A sign that belongs to the number behind it, if one follows. */
    void sign(int type) {
        flushSign();
        sign = type;
    }

    /** A literal to which the sign before it belongs. */
    void signedLiteral() {
        sign = 0;
        literal();
    }

    /** A literal that takes no sign: one before it is an operator. */
    void literal() {
        if ((sign | semicolons | held) != 0) {
            flushSign();
            flushSemicolons();
            if (held == COMMA_AFTER_LITERAL) {
                held = COMMA_AND_LITERAL;
                return;
            }
            flushHeld();
        }
        mix(LITERAL, LITERAL);
        if (out != null) {
            out.literal();
        }
        afterLiteral = true;
        afterGroup = false;
    }

    void name(int type) {
        flushAll();
        boolean quoted = type == Lexer.QUOTED;
        mix(quoted ? lexer.folded + Lexer.WORD : lexer.folded + type, lexer.exact + type);
        if (out != null) {
            out.name(lexer, type);
        }
    }

    void punctuation(int type) {
        switch (type) {
            case ',' -> comma();
            case '(' -> open();
            case ')' -> close();
            case ';' -> {
                flushSign();
                flushHeld();
                semicolons++;
            }
            default -> {
                flushAll();
                mix(type, type);
                if (out != null) {
                    out.operator(lexer, type);
                }
            }
        }
    }

    private void comma() {
        flushSign();
        flushSemicolons();
        if (held == COMMA_AND_LITERAL) {
            held = COMMA_AFTER_LITERAL;
        } else if (held == NOTHING && afterLiteral && !groups.isEmpty()) {
            held = COMMA_AFTER_LITERAL;
        } else if (held == NOTHING && afterGroup) {
            held = COMMA_AFTER_GROUP;
        } else {
            flushAll();
            mixComma();
        }
    }

    private void open() {
        flushSign();
        flushSemicolons();
        if (held != COMMA_AFTER_GROUP) {
            flushHeld();
        }
        something = true;
        if (groups.isFull()) {
            excess++;
            flushAll();
            mix('(', '(');
            return;
        }
        boolean row = held == COMMA_AFTER_GROUP;
        if (!row && !lexer.gap) {
            // A gap between a built-in function's name and its parenthesis makes it another function.
            hashes.mark(GROUP);
        }
        groups.push(hashes.h1, hashes.h2, group1, group2, row, out == null ? 0 : out.length());
        if (out != null) {
            if (row) {
                out.comma();
            }
            out.open();
        }
        hashes.set(GROUP, GROUP);
        held = NOTHING;
        afterLiteral = false;
        afterGroup = false;
    }

    private void close() {
        flushSign();
        flushSemicolons();
        if (held == COMMA_AND_LITERAL) {
            held = NOTHING;
        }
        flushHeld();
        if (excess > 0 || groups.isEmpty()) {
            excess = Math.max(0, excess - 1);
            flushAll();
            mix(')', ')');
            return;
        }
        long g1 = hashes.h1;
        long g2 = hashes.h2;
        groups.pop();
        hashes.set(groups.outer1(), groups.outer2());
        boolean row = groups.isRow();
        if (row && g1 == groups.before1()) {
            if (g2 != groups.before2()) {
                // Another spelling of the same row: one digest, but not surely one summary.
                hashes.mixSecond(g2);
            }
            if (out != null) {
                out.cut(groups.textStart());
            }
        } else {
            if (row) {
                mix(',', ',');
            }
            mix(g1, g2);
            if (out != null) {
                out.close();
            }
        }
        group1 = g1;
        group2 = g2;
        afterGroup = true;
        afterLiteral = false;
    }

    void finish(boolean cut) {
        flushSign();
        flushHeld();
        while (!groups.isEmpty()) {
            long g1 = hashes.h1;
            long g2 = hashes.h2;
            groups.pop();
            hashes.set(groups.outer1(), groups.outer2());
            if (cut && groups.isRow()) {
                // The cut went through a row like those before it: as if it had not been there.
                if (out != null) {
                    out.cut(groups.textStart());
                }
                continue;
            }
            mix(g1 + 1, g2 + 1);
        }
        if ((lexer.flags & Lexer.UNTERMINATED) != 0 && !cut) {
            mix(Lexer.UNTERMINATED, Lexer.UNTERMINATED);
        }
        hashes.mark(lexer.flags);
        out = null;
    }

    private void flushAll() {
        if ((sign | semicolons | held) != 0) {
            flushSign();
            flushSemicolons();
            flushHeld();
        }
        afterLiteral = false;
        afterGroup = false;
    }

    private void flushSign() {
        if (sign != 0) {
            int c = sign;
            sign = 0;
            flushAll();
            mix(c, c);
            if (out != null) {
                out.operator(lexer, c);
            }
        }
    }

    /** Semicolons count only between statements: not in front, not at the end. */
    private void flushSemicolons() {
        if (semicolons != 0) {
            semicolons = 0;
            if (something) {
                flushHeld();
                mix(';', ';');
                afterLiteral = false;
                afterGroup = false;
                if (out != null) {
                    out.semicolon();
                }
            }
        }
    }

    private void flushHeld() {
        int was = held;
        if (was != NOTHING) {
            held = NOTHING;
            mixComma();
            if (was == COMMA_AND_LITERAL) {
                mix(LITERAL, LITERAL);
                if (out != null) {
                    out.literal();
                }
                afterLiteral = true;
            }
        }
    }

    private void mixComma() {
        afterLiteral = false;
        afterGroup = false;
        mix(',', ',');
        if (out != null) {
            out.comma();
        }
    }

    private void mix(long v1, long v2) {
        something = true;
        hashes.mix(v1, v2);
    }
}
