package io.understudy.sql;

import java.util.HashMap;
import java.util.Map;

/** Column types that may be followed by a length in parentheses. */
final class Types {

    private static final WordTable<Boolean> NAMES = new WordTable<>(names());

    private Types() {}

    private static Map<String, Boolean> names() {
        Map<String, Boolean> map = new HashMap<>();
        String all =
                "BIGINT BINARY BIT BLOB CHAR CHARACTER DATETIME DEC DECIMAL DOUBLE FIXED FLOAT INT INTEGER MEDIUMINT"
                        + " NCHAR NUMERIC NVARCHAR REAL SMALLINT TEXT TIME TIMESTAMP TINYINT VARBINARY VARCHAR"
                        + " VECTOR YEAR";
        for (String name : all.split(" ")) {
            map.put(name, true);
        }
        return map;
    }

    static boolean takesLength(byte[] text, int start, int end) {
        return NAMES.find(text, start, end) != null;
    }
}
