package io.understudy.sql;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The functions of {@link Functions} that only one product has built in. On the other product the same name is a stored
 * function, which may write. Taken from what MariaDB 11.4 and MySQL 9.7 returned for a call of each; functions that
 * came with later versions of MariaDB count as MariaDB's.
 */
final class ProductFunctions {

    private static final WordTable<Integer> TABLE = new WordTable<>(all());

    private ProductFunctions() {}

    /** {@link SqlModes#MARIADB} or {@link SqlModes#MYSQL}; 0 for a function that both products have. */
    static int productOf(byte[] text, int start, int end) {
        @Nullable Integer product = TABLE.find(text, start, end);
        return product == null ? 0 : product;
    }

    private static Map<String, Integer> all() {
        Map<String, Integer> map = new HashMap<>();
        add(
                map,
                SqlModes.MARIADB,
                "ADD_MONTHS BINLOG_GTID_POS CHR COLUMN_ADD COLUMN_CHECK COLUMN_CREATE COLUMN_DELETE COLUMN_EXISTS"
                        + " COLUMN_GET COLUMN_JSON COLUMN_LIST CRC32C JSON_ARRAY_INTERSECT JSON_COMPACT JSON_DETAILED"
                        + " JSON_EQUALS JSON_EXISTS JSON_KEY_VALUE JSON_LOOSE JSON_NORMALIZE JSON_OBJECT_FILTER_KEYS"
                        + " JSON_OBJECT_TO_ARRAY JSON_QUERY KDF LENGTHB MBREQUAL MEDIAN NATURAL_SORT_KEY NVL NVL2"
                        + " PERCENTILE_CONT PERCENTILE_DISC SFORMAT ST_BOUNDARY ST_ISRING ST_POINTONSURFACE ST_RELATE"
                        + " SYS_GUID TO_CHAR UUID_V4 UUID_V7 VEC_DISTANCE VEC_DISTANCE_COSINE VEC_DISTANCE_EUCLIDEAN"
                        + " VEC_FROMTEXT VEC_TOTEXT");
        add(
                map,
                SqlModes.MYSQL,
                "ANY_VALUE BIN_TO_UUID FORMAT_BYTES FROM_VECTOR GEOMCOLLECTION GROUPING GTID_SUBSET GTID_SUBTRACT"
                        + " ICU_VERSION IS_UUID JSON_SCHEMA_VALIDATION_REPORT JSON_STORAGE_FREE JSON_STORAGE_SIZE"
                        + " MBRCOVEREDBY MBRCOVERS PS_CURRENT_THREAD_ID PS_THREAD_ID REGEXP_LIKE ROLES_GRAPHML"
                        + " STATEMENT_DIGEST STATEMENT_DIGEST_TEXT STRING_TO_VECTOR ST_BUFFER_STRATEGY ST_COLLECT"
                        + " ST_FRECHETDISTANCE ST_GEOHASH ST_HAUSDORFFDISTANCE ST_ISVALID ST_LATFROMGEOHASH ST_LATITUDE"
                        + " ST_LINEINTERPOLATEPOINT ST_LINEINTERPOLATEPOINTS ST_LONGFROMGEOHASH ST_LONGITUDE"
                        + " ST_MAKEENVELOPE ST_NUMINTERIORRING ST_POINTATDISTANCE ST_POINTFROMGEOHASH ST_SIMPLIFY"
                        + " ST_SWAPXY ST_TRANSFORM ST_VALIDATE TO_VECTOR UUID_TO_BIN VECTOR_DIM VECTOR_TO_STRING");
        return map;
    }

    private static void add(Map<String, Integer> map, int product, String names) {
        for (String name : names.split(" ")) {
            map.put(name, product);
        }
    }
}
