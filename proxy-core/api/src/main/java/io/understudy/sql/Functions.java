package io.understudy.sql;

import static io.understudy.sql.WordTable.add;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The known built-in functions and the effects of calling them. Any other function is not trusted: nor is one that not
 * every supported version of MariaDB (from 10.6) or every one of MySQL (from 8.0.23) has built in, because on the
 * others the same name is a stored function, which may write.
 */
enum Functions {
    /** No effect but its result. */
    PURE,
    /** Pure; with a blank before its parenthesis the server calls a stored function of that name instead. */
    PURE_TOUCHING,
    /** Pure; without arguments MariaDB calls a stored function of that name instead. */
    GEOMETRY,
    /** Pure; its value depends on the session. */
    SESSION,
    /**
     * {@link #SESSION}; with a blank before its parenthesis the server calls a stored function of that name instead.
     */
    SESSION_TOUCHING,
    /** Pure; reads the diagnostics of the preceding statement. */
    DIAGNOSTICS,
    /** {@code LAST_INSERT_ID}: {@link #SESSION}, but with an argument it sets the value. */
    LAST_INSERT_ID,
    /** Reads or advances a sequence, its first argument. */
    SEQUENCE,
    /** Has an effect beyond its result: waits, locks, reads files, … */
    EFFECT;

    private static final WordTable<Functions> TABLE = new WordTable<>(all());
    private static final WordTable<Integer> PRODUCTS = new WordTable<>(products());

    static @Nullable Functions find(byte[] text, int start, int end) {
        return TABLE.find(text, start, end);
    }

    /** Returns whether a call is free of effects only because the function is built in, on one product or on both. */
    boolean needsProduct() {
        return switch (this) {
            case PURE, PURE_TOUCHING, SESSION, SESSION_TOUCHING -> true;
            default -> false;
        };
    }

    private static Map<String, Functions> all() {
        Map<String, Functions> map = new HashMap<>();
        // Numbers.
        add(
                map,
                PURE,
                "ABS ACOS ASIN ATAN ATAN2 CEIL CEILING CONV COS COT CRC32 DEGREES EXP FLOOR LN LOG LOG10"
                        + " LOG2 MOD PI POW POWER RADIANS RAND ROUND SIGN SIN SQRT TAN TRUNCATE GREATEST LEAST");
        // Aggregates and windows.
        add(map, PURE, "AVG ANY_VALUE ROW_NUMBER LAST_VALUE GROUPING");
        add(
                map,
                PURE_TOUCHING,
                "BIT_AND BIT_OR BIT_XOR CAST COUNT GROUP_CONCAT MAX MIN STD STDDEV STDDEV_POP STDDEV_SAMP"
                        + " SUM VARIANCE VAR_POP VAR_SAMP JSON_ARRAYAGG JSON_OBJECTAGG RANK DENSE_RANK PERCENT_RANK"
                        + " CUME_DIST NTILE LAG LEAD FIRST_VALUE NTH_VALUE MEDIAN PERCENTILE_CONT PERCENTILE_DISC");
        // Strings.
        add(
                map,
                PURE,
                "ASCII BIN BIT_COUNT BIT_LENGTH CHAR CHAR_LENGTH CHARACTER_LENGTH CHARSET CHR COERCIBILITY"
                        + " COLLATION CONCAT CONCAT_WS CONVERT ELT EXPORT_SET FIELD FIND_IN_SET FORMAT FROM_BASE64"
                        + " HEX INSERT INSTR LCASE LEFT LENGTH LENGTHB LOCATE LOWER LPAD LTRIM MAKE_SET OCT"
                        + " OCTET_LENGTH ORD QUOTE REGEXP_INSTR REGEXP_LIKE REGEXP_REPLACE REGEXP_SUBSTR REPEAT"
                        + " REPLACE REVERSE RIGHT RPAD RTRIM SOUNDEX SPACE STRCMP SUBSTRING_INDEX TO_BASE64 TO_CHAR"
                        + " UCASE UNHEX UPPER WEIGHT_STRING ADD_MONTHS");
        add(map, PURE_TOUCHING, "MID POSITION SUBSTR SUBSTRING TRIM");
        // Flow and values.
        add(map, PURE, "COALESCE IF IFNULL ISNULL NULLIF NVL NVL2 VALUES NAME_CONST BINARY INTERVAL");
        // Dates and times.
        add(
                map,
                PURE,
                "ADDTIME CONVERT_TZ CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATE DATEDIFF DATE_FORMAT DAY"
                        + " DAYNAME DAYOFMONTH DAYOFWEEK DAYOFYEAR FROM_DAYS FROM_UNIXTIME GET_FORMAT HOUR LAST_DAY"
                        + " LOCALTIME"
                        + " LOCALTIMESTAMP MAKEDATE MAKETIME MICROSECOND MINUTE MONTH MONTHNAME PERIOD_ADD"
                        + " PERIOD_DIFF QUARTER SECOND SEC_TO_TIME STR_TO_DATE SUBTIME TIME TIMEDIFF TIMESTAMP"
                        + " TIMESTAMPADD"
                        + " TIMESTAMPDIFF TIME_FORMAT TIME_TO_SEC TO_DAYS TO_SECONDS UNIX_TIMESTAMP UTC_DATE UTC_TIME"
                        + " UTC_TIMESTAMP WEEK WEEKDAY WEEKOFYEAR YEAR YEARWEEK");
        add(map, PURE_TOUCHING, "ADDDATE CURDATE CURTIME DATE_ADD DATE_SUB EXTRACT NOW SUBDATE SYSDATE");
        // JSON and XML.
        add(
                map,
                PURE,
                "JSON_ARRAY JSON_ARRAY_APPEND JSON_ARRAY_INSERT JSON_COMPACT JSON_CONTAINS"
                        + " JSON_CONTAINS_PATH JSON_DEPTH JSON_DETAILED JSON_EXISTS JSON_EXTRACT JSON_INSERT"
                        + " JSON_KEYS JSON_LENGTH JSON_LOOSE JSON_MERGE JSON_MERGE_PATCH JSON_MERGE_PRESERVE"
                        + " JSON_OBJECT JSON_OVERLAPS JSON_PRETTY JSON_QUERY JSON_QUOTE JSON_REMOVE JSON_REPLACE"
                        + " JSON_SCHEMA_VALID JSON_SCHEMA_VALIDATION_REPORT JSON_SEARCH JSON_SET JSON_STORAGE_FREE"
                        + " JSON_STORAGE_SIZE JSON_TYPE JSON_UNQUOTE JSON_VALID JSON_VALUE EXTRACTVALUE"
                        + " UPDATEXML");
        // Digests, compression, encryption, addresses, identifiers.
        add(
                map,
                PURE,
                "AES_DECRYPT AES_ENCRYPT COMPRESS MD5 RANDOM_BYTES SHA SHA1 SHA2 STATEMENT_DIGEST"
                        + " STATEMENT_DIGEST_TEXT UNCOMPRESS UNCOMPRESSED_LENGTH BIN_TO_UUID INET6_ATON INET6_NTOA"
                        + " INET_ATON INET_NTOA IS_IPV4 IS_IPV4_COMPAT IS_IPV4_MAPPED IS_IPV6 IS_UUID SYS_GUID UUID"
                        + " UUID_TO_BIN FORMAT_BYTES FORMAT_PICO_TIME");
        // Columns of a virtual kind.
        add(
                map,
                PURE,
                "COLUMN_CHECK COLUMN_CREATE COLUMN_ADD COLUMN_DELETE COLUMN_EXISTS COLUMN_GET COLUMN_JSON"
                        + " COLUMN_LIST");
        // Replication positions, compared without waiting.
        add(map, PURE, "GTID_SUBSET GTID_SUBTRACT VERSION");
        spatial(map);
        add(
                map,
                SESSION,
                "CONNECTION_ID CURRENT_USER CURRENT_ROLE DATABASE SCHEMA USER ICU_VERSION PS_CURRENT_THREAD_ID"
                        + " PS_THREAD_ID BINLOG_GTID_POS ROLES_GRAPHML");
        add(map, SESSION_TOUCHING, "SESSION_USER SYSTEM_USER");
        add(map, DIAGNOSTICS, "FOUND_ROWS ROW_COUNT");
        add(map, LAST_INSERT_ID, "LAST_INSERT_ID");
        add(map, SEQUENCE, "NEXTVAL LASTVAL SETVAL");
        add(
                map,
                EFFECT,
                "SLEEP BENCHMARK GET_LOCK RELEASE_LOCK RELEASE_ALL_LOCKS IS_FREE_LOCK IS_USED_LOCK LOAD_FILE"
                        + " MASTER_POS_WAIT MASTER_GTID_WAIT SOURCE_POS_WAIT WAIT_FOR_EXECUTED_GTID_SET"
                        + " WAIT_UNTIL_SQL_THREAD_AFTER_GTIDS UUID_SHORT SYS_EXEC SYS_EVAL WSREP_SYNC_WAIT_UPTO_GTID"
                        + " WSREP_LAST_SEEN_GTID WSREP_LAST_WRITTEN_GTID");
        // DEFAULT(column) computes the column's default, which may be NEXTVAL(s) or SETVAL(s, n).
        add(map, EFFECT, "DEFAULT");
        return map;
    }

    private static void spatial(Map<String, Functions> map) {
        add(map, GEOMETRY, "GEOMETRYCOLLECTION LINESTRING MULTILINESTRING MULTIPOINT MULTIPOLYGON POLYGON");
        add(
                map,
                PURE,
                "GEOMCOLLECTION POINT MBRCONTAINS MBRCOVEREDBY MBRCOVERS MBRDISJOINT MBREQUAL MBREQUALS"
                        + " MBRINTERSECTS MBROVERLAPS MBRTOUCHES MBRWITHIN");
        String st = "AREA ASBINARY ASGEOJSON ASTEXT ASWKB ASWKT BOUNDARY BUFFER BUFFER_STRATEGY CENTROID CONTAINS"
                + " CONVEXHULL CROSSES DIFFERENCE DIMENSION DISJOINT DISTANCE DISTANCE_SPHERE ENDPOINT"
                + " ENVELOPE EQUALS"
                + " EXTERIORRING FRECHETDISTANCE GEOHASH GEOMCOLLFROMTEXT GEOMCOLLFROMWKB"
                + " GEOMETRYCOLLECTIONFROMTEXT"
                + " GEOMETRYCOLLECTIONFROMWKB GEOMETRYFROMTEXT GEOMETRYFROMWKB GEOMETRYN GEOMETRYTYPE"
                + " GEOMFROMGEOJSON"
                + " GEOMFROMTEXT GEOMFROMWKB HAUSDORFFDISTANCE INTERIORRINGN INTERSECTION INTERSECTS"
                + " ISCLOSED ISEMPTY"
                + " ISRING ISSIMPLE ISVALID LATFROMGEOHASH LATITUDE LENGTH LINEFROMTEXT LINEFROMWKB"
                + " LINESTRINGFROMTEXT LINESTRINGFROMWKB LONGFROMGEOHASH LONGITUDE"
                + " MAKEENVELOPE"
                + " MLINEFROMTEXT MLINEFROMWKB MPOINTFROMTEXT MPOINTFROMWKB MPOLYFROMTEXT MPOLYFROMWKB"
                + " MULTILINESTRINGFROMTEXT MULTIPOINTFROMTEXT MULTIPOLYGONFROMTEXT NUMGEOMETRIES"
                + " NUMINTERIORRING"
                + " NUMINTERIORRINGS NUMPOINTS OVERLAPS POINTFROMGEOHASH POINTFROMTEXT"
                + " POINTFROMWKB"
                + " POINTN POINTONSURFACE POLYFROMTEXT POLYFROMWKB POLYGONFROMTEXT POLYGONFROMWKB RELATE"
                + " SIMPLIFY SRID"
                + " STARTPOINT SWAPXY SYMDIFFERENCE TOUCHES TRANSFORM UNION VALIDATE WITHIN X Y";
        for (String name : st.split(" ")) {
            map.put("ST_" + name, PURE);
        }
    }

    /**
     * Returns the only product that has the function built in, in every supported version: {@link SqlModes#MARIADB} or
     * {@link SqlModes#MYSQL}; 0 for one that all versions of both have. On the other product, or in some of its
     * versions, the same name is a stored function, which may write. Checked on MariaDB 10.11 and MySQL 9.7 by the note
     * that {@code CREATE FUNCTION} gives for the name of a built-in function (1585), for the versions before them by
     * the manuals.
     */
    static int productOf(byte[] text, int start, int end) {
        @Nullable Integer product = PRODUCTS.find(text, start, end);
        return product == null ? 0 : product;
    }

    private static Map<String, Integer> products() {
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
}
