package io.understudy.plugins.mirror.statement;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Statements prepared on one standby connection, by text and by the settings that give the text its meaning. The least
 * recently used entry is evicted.
 */
public final class PreparedCache {
    /** Per connection; a server's default max_prepared_stmt_count is 16,382 for all connections. */
    private static final int LIMIT = 128;

    private record Key(
            ByteBuffer text,
            @Nullable String schema,
            @Nullable String sqlMode,
            @Nullable String characterSet,
            int collation) {}

    /**
     * A prepared statement.
     *
     * @param statementId the standby's id of it
     * @param parameters number of its parameters
     */
    public record Entry(int statementId, int parameters) {}

    private final Map<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    @Nullable
    public Entry find(byte[] text, StatementSetting setting) {
        return entries.get(key(text, setting));
    }

    /** Adds an entry; returns the evicted one, to be closed, or null. */
    @Nullable
    public Entry add(byte[] text, StatementSetting setting, Entry entry) {
        entries.put(key(text, setting), entry);
        if (entries.size() <= LIMIT) {
            return null;
        }
        Iterator<Entry> oldest = entries.values().iterator();
        Entry evicted = oldest.next();
        oldest.remove();
        return evicted;
    }

    private static Key key(byte[] text, StatementSetting setting) {
        return new Key(
                ByteBuffer.wrap(text),
                setting.schema(),
                setting.sqlMode(),
                setting.characterSet(),
                setting.collation());
    }
}
