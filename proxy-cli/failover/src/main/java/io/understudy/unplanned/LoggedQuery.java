package io.understudy.unplanned;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.EventHeader;
import io.understudy.sql.Quoting;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A query event: a statement, and the session's settings with which it was executed.
 *
 * @param settings values as in a SET statement, by session variable
 * @param schema the current one; empty if the statement does not depend on it
 * @param thread connection id of the client
 * @param ofSession whether it depends on the session: it uses a temporary table or CONNECTION_ID()
 * @see <a href="https://mariadb.com/kb/en/query_event/">MariaDB: QUERY_EVENT</a>
 */
record LoggedQuery(Map<String, String> settings, String schema, long thread, boolean ofSession, String text) {
    /** A variable of MySQL 9.7. */
    static final String CASCADE_TRIGGERS = "enable_cascade_triggers";

    private static final int THREAD_SPECIFIC = 4;
    private static final int SUPPRESS_USE = 8;
    /** Collations whose client character set is UTF-8: the defaults of utf8mb3, utf8mb4, and MySQL 8's of utf8mb4. */
    private static final Set<Integer> UTF8 = Set.of(33, 45, 83, 255);

    private static final int OFF_FOREIGN_KEYS = 1 << 26;
    private static final int OFF_UNIQUE = 1 << 27;
    private static final int AUTO_IS_NULL = 1 << 14;
    /** MariaDB alone: bits as mariadb-binlog 10.11 shows them. */
    private static final int OFF_CHECKS = 1 << 23;

    private static final int EXPLICIT_DEFAULTS = 1 << 24;
    private static final int IF_EXISTS = 1 << 28;
    private static final int INSERT_HISTORY = 1 << 30;

    /** @throws NotApplicable if its statement cannot be executed by a client as it was logged */
    static LoggedQuery of(ServerFlavor flavor, RawEvent event) throws NotApplicable {
        ByteBuf body = event.body();
        long thread = body.readUnsignedIntLE();
        body.skipBytes(Integer.BYTES); // seconds that it took
        int schemaLength = body.readUnsignedByte();
        int error = body.readUnsignedShortLE();
        ByteBuf status = body.readSlice(body.readUnsignedShortLE());
        String schema = text(body, schemaLength);
        body.skipBytes(1); // zero
        if (error != 0) {
            throw new NotApplicable("a statement that failed with error " + error
                    + " on the old primary, after a part of" + " its work");
        }
        Map<String, String> settings = new LinkedHashMap<>();
        long second = EventHeader.second(event.buffer(), 0);
        settings.put("timestamp", Long.toString(second));
        int client = settings(flavor, status, second, settings);
        return new LoggedQuery(
                settings,
                (event.flags() & SUPPRESS_USE) != 0 ? "" : schema,
                thread,
                (event.flags() & THREAD_SPECIFIC) != 0,
                utf8(body, client));
    }

    private static String utf8(ByteBuf in, int client) throws NotApplicable {
        try {
            String text =
                    StandardCharsets.UTF_8.newDecoder().decode(in.nioBuffer()).toString();
            if (UTF8.contains(client) || text.chars().allMatch(c -> c < 128)) {
                return text;
            }
        } catch (CharacterCodingException e) {
            // As of a client with another character set.
        }
        throw new NotApplicable("a statement whose text is not UTF-8");
    }

    /** Adds the settings. Returns the collation of the client's character set; UTF-8's if it is not logged. */
    private static int settings(ServerFlavor flavor, ByteBuf in, long second, Map<String, String> out)
            throws NotApplicable {
        int client = 45;
        boolean mariaDb = flavor == ServerFlavor.MARIADB;
        while (in.isReadable()) {
            int code = in.readUnsignedByte();
            switch (code) {
                case 0 -> flags(mariaDb, in.readIntLE(), out);
                case 1 -> out.put("sql_mode", Long.toUnsignedString(in.readLongLE()));
                case 3 -> {
                    out.put("auto_increment_increment", number(in));
                    out.put("auto_increment_offset", number(in));
                }
                case 4 -> {
                    client = in.readUnsignedShortLE();
                    out.put("character_set_client", Integer.toString(client));
                    out.put("collation_connection", number(in));
                    out.put("collation_server", number(in));
                }
                case 5 -> out.put("time_zone", Quoting.text(text(in, in.readUnsignedByte())));
                case 6 -> text(in, in.readUnsignedByte()); // catalog, always std
                case 7 -> out.put("lc_time_names", number(in));
                case 8 -> {
                    String collation = number(in);
                    out.put("collation_database", collation.equals("0") ? "DEFAULT" : collation);
                }
                case 9, 17 -> in.skipBytes(Long.BYTES); // tables of an UPDATE; number in the engine
                case 10 -> in.skipBytes(Integer.BYTES); // bytes on a former primary
                case 11 -> {
                    text(in, in.readUnsignedByte());
                    text(
                            in,
                            in.readUnsignedByte()); // whom CURRENT_USER means: the text of a definition has its DEFINER
                }
                case 12 -> {
                    int schemas = in.readUnsignedByte();
                    for (int i = 0; schemas != 254 && i < schemas; i++) {
                        while (in.readByte() != 0) {} // names of schemas
                    }
                }
                case 13, 128 -> out.put("timestamp", "%d.%06d".formatted(second, in.readUnsignedMediumLE()));
                case 16 -> out.put("explicit_defaults_for_timestamp", Integer.toString(in.readByte()));
                case 18 -> out.put("default_collation_for_utf8mb4", number(in));
                case 19 -> out.put("sql_require_primary_key", Integer.toString(in.readByte()));
                case 20 -> out.put("default_table_encryption", Integer.toString(in.readByte()));
                case 21 ->
                    out.put(CASCADE_TRIGGERS, Integer.toString(in.readByte())); // of Percona Server 8 something else
                case 129 -> in.skipBytes(Long.BYTES); // number in the engine
                case 131 -> out.put("character_set_collations", collations(in));
                default ->
                    throw new NotApplicable(
                            "a statement with a setting of the session (" + code + ") that this program does not know");
            }
        }
        return client;
    }

    /** Reads MariaDB 11's collations of character sets, pairs of ids; as mariadbd 11.4 writes them. */
    private static String collations(ByteBuf in) {
        List<String> ids = new ArrayList<>();
        for (int left = in.readUnsignedByte(); left > 0; left--) {
            in.skipBytes(Short.BYTES); // the character set
            ids.add(number(in));
        }
        return ids.isEmpty()
                ? "''"
                : "(SELECT GROUP_CONCAT(CONCAT(CHARACTER_SET_NAME, '=', FULL_COLLATION_NAME)) FROM"
                        + " information_schema.COLLATION_CHARACTER_SET_APPLICABILITY WHERE ID IN ("
                        + String.join(", ", ids) + "))";
    }

    private static void flags(boolean mariaDb, int flags, Map<String, String> out) {
        out.put("foreign_key_checks", (flags & OFF_FOREIGN_KEYS) == 0 ? "1" : "0");
        out.put("unique_checks", (flags & OFF_UNIQUE) == 0 ? "1" : "0");
        out.put("sql_auto_is_null", (flags & AUTO_IS_NULL) == 0 ? "0" : "1");
        if (!mariaDb) {
            return;
        }
        out.put("check_constraint_checks", (flags & OFF_CHECKS) == 0 ? "1" : "0");
        out.put("explicit_defaults_for_timestamp", (flags & EXPLICIT_DEFAULTS) == 0 ? "0" : "1");
        if ((flags & IF_EXISTS) != 0) {
            out.put("sql_if_exists", "1");
        }
        if ((flags & INSERT_HISTORY) != 0) {
            out.put("system_versioning_insert_history", "1");
        }
    }

    private static String number(ByteBuf in) {
        return Integer.toString(in.readUnsignedShortLE());
    }

    private static String text(ByteBuf in, int length) {
        return in.readCharSequence(length, StandardCharsets.UTF_8).toString();
    }
}
