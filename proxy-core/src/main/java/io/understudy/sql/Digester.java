package io.understudy.sql;

import org.jspecify.annotations.Nullable;

/**
 * Reduces a statement to two 64-bit values in one pass: the digest and a fingerprint.
 *
 * <p>The digest ignores blanks, comments, case, quotes and the values of literals; in parentheses, lists of literals
 * count as one literal and equal rows as one row. The fingerprint sees all that can change a {@link StatementSummary}
 * beyond that: case and quotes of names, the {@code sql_mode} bits, a gap before a parenthesis, damage. Two texts with
 * the same fingerprint have the same summary.
 *
 * <p>Parentheses are hashed as groups on their own, so that a row can be compared with the one before it.
 */
final class Digester {

    private static final int MAX_DEPTH = 64;
    private static final long LITERAL = 0x6C69746572616C21L;
    private static final long GROUP = 0x67726F75702E2E2EL;

    /** What is held back until it is known whether it repeats: see {@link #held}. */
    private static final int NOTHING = 0;

    private static final int COMMA_AFTER_LITERAL = 1;
    private static final int COMMA_AND_LITERAL = 2;
    private static final int COMMA_AFTER_GROUP = 3;

    private final Lexer lexer;
    private final Lexer ahead = new Lexer();

    long digest;
    long fingerprint;

    private int modes;
    private long h1;
    private long h2;
    private int held;
    private boolean afterLiteral;
    private boolean afterGroup;
    private long group1;
    private long group2;
    private int depth;
    private int excess;
    private int sign;
    private int semicolons;
    private boolean something;
    private int previousStart;
    private int previousEnd;
    private long previousHash;

    private final long[] stack1 = new long[MAX_DEPTH];
    private final long[] stack2 = new long[MAX_DEPTH];
    private final long[] stackGroup1 = new long[MAX_DEPTH];
    private final long[] stackGroup2 = new long[MAX_DEPTH];
    private final boolean[] stackRow = new boolean[MAX_DEPTH];
    private final int[] stackText = new int[MAX_DEPTH];

    private @Nullable NormalText out;

    Digester(Lexer lexer) {
        this.lexer = lexer;
    }

    /** Digests; with {@code out}, writes the normalised text as well. {@code cut} says that the text goes on. */
    void run(byte[] text, int off, int len, int modes, boolean cut, @Nullable NormalText out) {
        Lexer lex = lexer;
        lex.reset(text, off, len, modes);
        this.out = out;
        this.modes = modes;
        h1 = 0x5175657279L;
        h2 = 0x9E3779B97F4A7C15L * (modes + 1) + (cut ? 1 : 0);
        held = NOTHING;
        afterLiteral = false;
        afterGroup = false;
        depth = 0;
        excess = 0;
        sign = 0;
        semicolons = 0;
        something = false;
        boolean operandNext = true;
        int previous = Lexer.END;
        for (int type = lex.next(); type != Lexer.END; type = lex.next()) {
            if (type == Lexer.WORD) {
                if (lex.text()[lex.start] == '_' && isIntroducer()) {
                    mixFingerprint(lex.exact);
                    continue;
                }
                operandNext = false;
                if ((previous == '(' || previous == ',' || previous == '=') && isConstant()) {
                    literal();
                } else {
                    name(type);
                }
            } else if (type == Lexer.STRING || type == Lexer.NUMBER || type == Lexer.PARAM) {
                if (type == Lexer.STRING && previous == Lexer.STRING) {
                    continue;
                }
                if (type == Lexer.STRING) {
                    flushSign();
                }
                sign = 0;
                operandNext = false;
                literal();
            } else if (type > Lexer.PARAM || type == Lexer.QUOTED) {
                operandNext = type == Lexer.ASSIGN;
                name(type);
            } else if ((type == '-' || type == '+') && (operandNext || wantsOperand(previous))) {
                flushSign();
                sign = type;
                operandNext = true;
            } else {
                punctuation(type);
                operandNext = type != ')' && type != '.' && type != '}';
            }
            if (type == Lexer.WORD) {
                previousStart = lex.start;
                previousEnd = lex.end;
                previousHash = lex.folded;
            }
            previous = type;
        }
        finish(cut);
    }

    private boolean wantsOperand(int previous) {
        if (previous != Lexer.WORD) {
            return false;
        }
        Keyword keyword = Keyword.find(lexer.text(), previousStart, previousEnd, previousHash);
        return keyword != null && keyword.beforeOperand();
    }

    private boolean isConstant() {
        int n = lexer.end - lexer.start;
        if (n != 4 && n != 5) {
            return false;
        }
        Keyword keyword = Keyword.find(lexer.text(), lexer.start, lexer.end, lexer.folded);
        return keyword == Keyword.NULL || keyword == Keyword.TRUE || keyword == Keyword.FALSE;
    }

    /** Whether the word belongs to the literal behind it. */
    private boolean isIntroducer() {
        Lexer lex = lexer;
        if (!Introducers.isName(lex)) {
            return false;
        }
        ahead.reset(lex.text(), lex.end, lex.limit() - lex.end, modes);
        int type = ahead.next();
        int second = ahead.end - ahead.start > 2 ? lex.text()[ahead.start + 1] : 0;
        ahead.release();
        return type == Lexer.STRING || type == Lexer.NUMBER && (second == 'x' || second == 'b');
    }

    private void literal() {
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

    private void name(int type) {
        flushAll();
        boolean quoted = type == Lexer.QUOTED;
        mix(quoted ? lexer.folded + Lexer.WORD : lexer.folded + type, lexer.exact + type);
        if (out != null) {
            out.name(lexer, type);
        }
    }

    private void punctuation(int type) {
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
            // A gap between a built-in function's name and its parenthesis makes it another function.
            h2 = (h2 ^ GROUP) * LITERAL;
        }
        stack1[depth] = h1;
        stack2[depth] = h2;
        stackGroup1[depth] = group1;
        stackGroup2[depth] = group2;
        stackRow[depth] = row;
        if (out != null) {
            stackText[depth] = out.length();
            if (row) {
                out.comma();
            }
            out.open();
        }
        depth++;
        h1 = GROUP;
        h2 = GROUP;
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
        long g1 = h1;
        long g2 = h2;
        depth--;
        h1 = stack1[depth];
        h2 = stack2[depth];
        boolean row = stackRow[depth];
        if (row && g1 == stackGroup1[depth]) {
            if (g2 != stackGroup2[depth]) {
                // Another spelling of the same row: one digest, but not surely one summary.
                mixFingerprint(g2);
            }
            if (out != null) {
                out.cut(stackText[depth]);
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

    private void finish(boolean cut) {
        flushSign();
        flushHeld();
        while (depth > 0) {
            long g1 = h1;
            long g2 = h2;
            depth--;
            h1 = stack1[depth];
            h2 = stack2[depth];
            if (cut && stackRow[depth]) {
                // The cut went through a row like those before it: as if it had not been there.
                if (out != null) {
                    out.cut(stackText[depth]);
                }
                continue;
            }
            mix(g1 + 1, g2 + 1);
        }
        if ((lexer.flags & Lexer.UNTERMINATED) != 0 && !cut) {
            mix(Lexer.UNTERMINATED, Lexer.UNTERMINATED);
        }
        h2 = (h2 ^ lexer.flags) * LITERAL;
        digest = avalanche(h1);
        fingerprint = avalanche(h2 ^ h2 >>> 31);
        lexer.release();
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
        long a = (h1 ^ v1) * 0x9E3779B97F4A7C15L;
        h1 = a ^ a >>> 29;
        mixFingerprint(v2);
    }

    private void mixFingerprint(long v) {
        long b = (h2 ^ v) * 0xD6E8FEB86659FD93L;
        h2 = b ^ b >>> 32;
    }

    private static long avalanche(long h) {
        h = (h ^ h >>> 30) * 0xBF58476D1CE4E5B9L;
        h = (h ^ h >>> 27) * 0x94D049BB133111EBL;
        return h ^ h >>> 31;
    }
}
