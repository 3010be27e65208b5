package io.understudy.sql;

import java.util.LinkedHashMap;
import java.util.Map;

/** Character set introducers: {@code _utf8mb4'x'} is one literal. */
final class Introducers {

    private static final WordTable<Boolean> NAMES = new WordTable<>(names());

    private Introducers() {}

    private static Map<String, Boolean> names() {
        Map<String, Boolean> map = new LinkedHashMap<>();
        String all = "ARMSCII8 ASCII BIG5 BINARY CP1250 CP1251 CP1256 CP1257 CP850 CP852 CP866 CP932 DEC8 EUCJPMS EUCKR"
                + " GB18030 GB2312 GBK GEOSTD8 GREEK HEBREW HP8 KEYBCS2 KOI8R KOI8U LATIN1 LATIN2 LATIN5 LATIN7 MACCE"
                + " MACROMAN SJIS SWE7 TIS620 UCS2 UJIS UTF16 UTF16LE UTF32 UTF8 UTF8MB3 UTF8MB4";
        for (String name : all.split(" ")) {
            map.put("_" + name, true);
        }
        return map;
    }

    static boolean isName(byte[] text, int start, int end) {
        return text[start] == '_' && NAMES.find(text, start, end) != null;
    }

    /** Whether the lexer's word is an introducer with its string right behind it or after blanks. */
    static boolean isBeforeLiteral(Lexer lexer) {
        byte[] text = lexer.text();
        int p = lexer.end;
        int limit = lexer.limit();
        while (p < limit && (text[p] == ' ' || text[p] == '\t' || text[p] == '\n' || text[p] == '\r')) {
            p++;
        }
        if (p + 1 >= limit) {
            return false;
        }
        boolean literal = switch (text[p]) {
            case '\'' -> true;
            case 'x', 'X', 'b', 'B' -> text[p + 1] == '\'';
            case '0' -> text[p + 1] == 'x' || text[p + 1] == 'b';
            default -> false;
        };
        return literal && NAMES.find(text, lexer.start, lexer.end, lexer.folded) != null;
    }
}
