package io.understudy.replay;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ids of the statements that one connection has prepared, in a number that is bounded for each connection and for
 * all of them. A server resolves a statement's names when it is prepared, so a text is another statement in another
 * schema.
 */
final class PreparedIds {
    /** A statement; its schema is null where none was selected. */
    private record Key(@Nullable String schema, ByteBuffer text) {}

    private static final int MOST = 256;

    private final PreparedBudget budget;
    /** The one that was not used for longest first. */
    private final LinkedHashMap<Key, Integer> ids = new LinkedHashMap<>(16, 0.75f, true);

    PreparedIds(PreparedBudget budget) {
        this.budget = budget;
    }

    /** Returns the id of a text, or null if it is not prepared. */
    @Nullable
    Integer of(@Nullable String schema, byte[] text) {
        return ids.get(new Key(schema, ByteBuffer.wrap(text)));
    }

    /** Adds a statement. Returns the id of the one that makes room for it and is to be closed, or null. */
    @Nullable
    Integer add(@Nullable String schema, byte[] text, int id) {
        Integer evicted = null;
        if (ids.isEmpty()) {
            budget.takeFirst();
        } else if (ids.size() == MOST || !budget.take()) {
            Iterator<Integer> oldest = ids.values().iterator();
            evicted = oldest.next();
            oldest.remove();
        }
        ids.put(new Key(schema, ByteBuffer.wrap(text)), id);
        return evicted;
    }

    /** Forgets all, and returns their ids. */
    List<Integer> clear() {
        List<Integer> all = new ArrayList<>(ids.values());
        ids.clear();
        budget.giveBack(all.size());
        return all;
    }
}
