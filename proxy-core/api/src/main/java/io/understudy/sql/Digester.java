package io.understudy.sql;

import org.jspecify.annotations.Nullable;

/**
 * Reduces a statement to two 64-bit values in one pass: the digest and a fingerprint.
 *
 * <p>The digest ignores blanks, comments, case, quotes and the values of literals; in parentheses, a list of literals
 * counts as one literal and equal rows count as one row. The fingerprint also covers everything that can change a
 * {@link StatementSummary}: case and quotes of names, the {@code sql_mode} bits, a blank before a parenthesis, damaged
 * text. Two texts with the same fingerprint have the same summary.
 *
 * <p>This class decides what a token means in its place: a minus that is a number's sign, a word that is a constant, a
 * word that belongs to the string that follows. {@link Condenser} collapses repetitions and hashes.
 */
final class Digester {

    /** Character set introducers: {@code _utf8mb4'x'} is one literal. */
    private static final WordTable<Boolean> INTRODUCERS = WordTable.of(
            "_ARMSCII8 _ASCII _BIG5 _BINARY _CP1250 _CP1251 _CP1256 _CP1257 _CP850 _CP852 _CP866 _CP932 _DEC8 _EUCJPMS"
                    + " _EUCKR _GB18030 _GB2312 _GBK _GEOSTD8 _GREEK _HEBREW _HP8 _KEYBCS2 _KOI8R _KOI8U _LATIN1"
                    + " _LATIN2 _LATIN5 _LATIN7 _MACCE _MACROMAN _SJIS _SWE7 _TIS620 _UCS2 _UJIS _UTF16 _UTF16LE _UTF32"
                    + " _UTF8 _UTF8MB3 _UTF8MB4");

    private final Lexer lexer;
    private final Lexer ahead = new Lexer();
    private final Condenser condenser;

    long digest;
    long fingerprint;

    private int modes;
    private int previousStart;
    private int previousEnd;
    private long previousHash;

    Digester(Lexer lexer) {
        this.lexer = lexer;
        condenser = new Condenser(lexer);
    }

    /**
     * Computes the digest. Writes the normalised text to {@code out} unless it is null. {@code cut} says that the text
     * continues beyond {@code len}.
     */
    void run(byte[] text, int off, int len, int modes, boolean cut, @Nullable NormalText out) {
        Lexer lex = lexer;
        lex.reset(text, off, len, modes);
        this.modes = modes;
        Condenser to = condenser;
        to.begin(modes, cut, out);
        boolean operandNext = true;
        int previous = Lexer.END;
        for (int type = lex.next(); type != Lexer.END; type = lex.next()) {
            if (type == Lexer.WORD) {
                if (lex.text()[lex.start] == '_' && isIntroducer()) {
                    to.introducer();
                    continue;
                }
                operandNext = false;
                if ((previous == '(' || previous == ',' || previous == '=') && isConstant()) {
                    to.literal();
                } else {
                    to.name(type);
                }
            } else if (type == Lexer.STRING || type == Lexer.NUMBER || type == Lexer.PARAM) {
                if (type == Lexer.STRING && previous == Lexer.STRING) {
                    continue;
                }
                operandNext = false;
                if (type == Lexer.STRING) {
                    to.literal();
                } else {
                    to.signedLiteral();
                }
            } else if (type > Lexer.PARAM || type == Lexer.QUOTED) {
                operandNext = type == Lexer.ASSIGN;
                to.name(type);
            } else if ((type == '-' || type == '+') && (operandNext || wantsOperand(previous))) {
                to.sign(type);
                operandNext = true;
            } else {
                to.punctuation(type);
                operandNext = type != ')' && type != '.' && type != '}';
            }
            if (type == Lexer.WORD) {
                previousStart = lex.start;
                previousEnd = lex.end;
                previousHash = lex.folded;
            }
            previous = type;
        }
        to.finish(cut);
        digest = to.digest();
        fingerprint = to.fingerprint();
        lex.release();
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

    /** Returns whether the word is a character set introducer of the literal that follows. */
    private boolean isIntroducer() {
        Lexer lex = lexer;
        if (INTRODUCERS.find(lex.text(), lex.start, lex.end, lex.folded) == null) {
            return false;
        }
        ahead.reset(lex.text(), lex.end, lex.limit() - lex.end, modes);
        int type = ahead.next();
        int second = ahead.end - ahead.start > 2 ? lex.text()[ahead.start + 1] : 0;
        ahead.release();
        return type == Lexer.STRING || type == Lexer.NUMBER && (second == 'x' || second == 'b');
    }
}
