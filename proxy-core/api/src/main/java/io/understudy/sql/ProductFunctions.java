package io.understudy.sql;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The functions of {@link Functions} that only one product has built in, in every supported version. On the other
 * product, or in some of its versions, the same name is a stored function, which may write. Checked on MariaDB 10.11
 * and MySQL 9.7 by the note that {@code CREATE FUNCTION} gives for the name of a built-in function (1585), for the
 * versions before them by the manuals.
 */
final class ProductFunctions {

    private static final WordTable<Integer> TABLE = new WordTable<>(all());

    private ProductFunctions() {}

    /** {@link SqlModes#MARIADB} or {@link SqlModes#MYSQL}; 0 for a function that all versions of both have. */
    static int productOf(byte[] text, int start, int end) {
        @Nullable Integer product = TABLE.find(text, start, end);
        return product == null ? 0 : product;
    }

    private static Map<String, Integer> all() {
        Map<String, Integer> map = new HashMap<>();
        // MySQL 9.6 removed MD5 and SHA.
        add(
                map,
                SqlModes.MARIADB,
                "ADD_MONTHS BINLOG_GTID_POS CHR COLUMN_ADD COLUMN_CHECK COLUMN_CREATE COLUMN_DELETE"
                        + " COLUMN_EXISTS COLUMN_GET COLUMN_JSON COLUMN_LIST JSON_COMPACT JSON_DETAILED JSON_EXISTS"
                        + " JSON_LOOSE JSON_QUERY LENGTHB MBREQUAL MD5 MEDIAN NVL NVL2 PERCENTILE_CONT"
                        + " PERCENTILE_DISC SHA SHA1 ST_BOUNDARY ST_ISRING ST_POINTONSURFACE ST_RELATE SYS_GUID"
                        + " TO_CHAR");
        // MariaDB has JSON_OVERLAPS since 10.9, JSON_PRETTY (10.6.12) and RANDOM_BYTES since 10.10, FORMAT_PICO_TIME
        // since 11.0, JSON_SCHEMA_VALID since 11.1. With other than two arguments it calls a stored function POINT, and
        // how many literals there are does not count in the key under which a statement is cached.
        add(
                map,
                SqlModes.MYSQL,
                "ANY_VALUE BIN_TO_UUID FORMAT_BYTES FORMAT_PICO_TIME GEOMCOLLECTION GROUPING GTID_SUBSET"
                        + " GTID_SUBTRACT ICU_VERSION IS_UUID JSON_OVERLAPS JSON_PRETTY JSON_SCHEMA_VALID"
                        + " JSON_SCHEMA_VALIDATION_REPORT JSON_STORAGE_FREE JSON_STORAGE_SIZE MBRCOVEREDBY"
                        + " MBRCOVERS POINT PS_CURRENT_THREAD_ID PS_THREAD_ID RANDOM_BYTES REGEXP_LIKE ROLES_GRAPHML"
                        + " STATEMENT_DIGEST STATEMENT_DIGEST_TEXT ST_BUFFER_STRATEGY ST_FRECHETDISTANCE ST_GEOHASH"
                        + " ST_HAUSDORFFDISTANCE ST_ISVALID ST_LATFROMGEOHASH ST_LATITUDE ST_LONGFROMGEOHASH"
                        + " ST_LONGITUDE ST_MAKEENVELOPE ST_NUMINTERIORRING ST_POINTFROMGEOHASH ST_SIMPLIFY"
                        + " ST_SWAPXY ST_TRANSFORM ST_VALIDATE UUID_TO_BIN");
        return map;
    }

    private static void add(Map<String, Integer> map, int product, String names) {
        for (String name : names.split(" ")) {
            map.put(name, product);
        }
    }
}
