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

    static boolean isName(Lexer lexer) {
        return NAMES.find(lexer.text(), lexer.start, lexer.end, lexer.folded) != null;
    }
}
