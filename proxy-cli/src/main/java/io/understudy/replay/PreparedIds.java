package io.understudy.replay;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/** The ids of the statements that one connection has prepared, by their texts, in a bounded number. */
final class PreparedIds {
    private static final int MOST = 256;

    /** The one that was not used for longest first. */
    private final LinkedHashMap<ByteBuffer, Integer> ids = new LinkedHashMap<>(16, 0.75f, true);

    /** Returns the id of a text, or null if it is not prepared. */
    @Nullable
    Integer of(byte[] text) {
        return ids.get(ByteBuffer.wrap(text));
    }

    boolean has(byte[] text) {
        return ids.containsKey(ByteBuffer.wrap(text));
    }

    /** Adds a statement. Returns the id of the one that makes room for it and is to be closed, or null. */
    @Nullable
    Integer add(byte[] text, int id) {
        Integer evicted = null;
        if (ids.size() == MOST) {
            Iterator<Integer> oldest = ids.values().iterator();
            evicted = oldest.next();
            oldest.remove();
        }
        ids.put(ByteBuffer.wrap(text), id);
        return evicted;
    }

    void clear() {
        ids.clear();
    }
}
