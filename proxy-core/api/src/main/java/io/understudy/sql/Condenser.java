package io.understudy.sql;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Hashes a statement's tokens in order and collapses repetitions: rows, lists of literals, semicolons.
 *
 * <p>Each parenthesised group is hashed on its own, so that a row can be compared with the preceding one. A comma is
 * held back until the next group shows whether it repeats. {@link Digester} decides what each token is.
 */
final class Condenser {

    private static final long LITERAL = 0x6C69746572616C21L;
    private static final long GROUP = 0x67726F75702E2E2EL;

    /** Values of {@link #held}: what is held back until it is known whether it repeats. */
    private static final int NOTHING = 0;

    private static final int COMMA_AFTER_LITERAL = 1;
    private static final int COMMA_AND_LITERAL = 2;
    private static final int COMMA_AFTER_GROUP = 3;

    private static final int MAX_DEPTH = 64;

    /** An open parenthesis. */
    private static final class Group {
        /** The hashes before it. */
        long outer1;

        long outer2;
        /** Whether it follows a group and a comma, and so may repeat that group. */
        boolean row;
        /** The hashes of that group. */
        long before1;

        long before2;
        /** Where it starts in the normalised text. */
        int textStart;
    }

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

    /** The open parentheses. A closed one keeps its values until another is opened in its place. */
    private final Group[] groups = new Group[MAX_DEPTH];

    private int depth;
    private @Nullable NormalText out;

    Condenser(Lexer lexer) {
        this.lexer = lexer;
        Arrays.setAll(groups, i -> new Group());
    }

    /** Starts a statement. Writes its normalised text to {@code out} unless {@code out} is null. */
    void begin(int modes, boolean cut, @Nullable NormalText out) {
        this.out = out;
        hashes.set(0x5175657279L, 0x9E3779B97F4A7C15L * (modes + 1) + (cut ? 1 : 0));
        held = NOTHING;
        afterLiteral = false;
        afterGroup = false;
        depth = 0;
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

    /** Adds a character set introducer: to the digest, part of the literal that follows. */
    void introducer() {
        hashes.mixSecond(lexer.exact);
    }

    /** Adds a sign that belongs to the number that follows, if one follows. */
    void sign(int type) {
        flushSign();
        sign = type;
    }

    /** Adds a literal that may carry a preceding sign. */
    void signedLiteral() {
        sign = 0;
        literal();
    }

    /** Adds a literal that carries no sign: a preceding sign is an operator. */
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
        } else if (held == NOTHING && afterLiteral && depth > 0) {
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
        if (depth == MAX_DEPTH) {
            excess++;
            flushAll();
            mix('(', '(');
            return;
        }
        boolean row = held == COMMA_AFTER_GROUP;
        if (!row && !lexer.gap) {
            // A blank between a built-in function's name and its parenthesis makes it a stored function.
            hashes.mark(GROUP);
        }
        Group group = groups[depth++];
        group.outer1 = hashes.h1;
        group.outer2 = hashes.h2;
        group.row = row;
        group.before1 = group1;
        group.before2 = group2;
        group.textStart = out == null ? 0 : out.length();
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
        if (excess > 0 || depth == 0) {
            excess = Math.max(0, excess - 1);
            flushAll();
            mix(')', ')');
            return;
        }
        long g1 = hashes.h1;
        long g2 = hashes.h2;
        Group group = leave();
        boolean row = group.row;
        if (row && g1 == group.before1) {
            if (g2 != group.before2) {
                // Same row, different spelling: the digest is equal, the summary may differ.
                hashes.mixSecond(g2);
            }
            if (out != null) {
                out.cut(group.textStart);
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

    private Group leave() {
        Group group = groups[--depth];
        hashes.set(group.outer1, group.outer2);
        return group;
    }

    void finish(boolean cut) {
        flushSign();
        flushHeld();
        while (depth > 0) {
            long g1 = hashes.h1;
            long g2 = hashes.h2;
            Group group = leave();
            if (cut && group.row) {
                // The text was cut inside a row that repeats the preceding ones: hash it as if that row were absent.
                if (out != null) {
                    out.cut(group.textStart);
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

    /** Semicolons count only between statements: not at the start and not at the end. */
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
