package io.understudy.sql;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Read-only hash table with open addressing from upper-case ASCII words to values; lookups ignore case. */
final class WordTable<T> {

    private final int mask;
    private final long[] hashes;
    private final int[] lengths;
    private final byte[][] words;
    private final Object[] values;

    WordTable(Map<String, T> entries) {
        int size = Integer.highestOneBit(Math.max(16, entries.size() * 3)) << 1;
        mask = size - 1;
        hashes = new long[size];
        lengths = new int[size];
        words = new byte[size][];
        values = new Object[size];
        entries.forEach((word, value) -> {
            byte[] bytes = word.getBytes(StandardCharsets.US_ASCII);
            long hash = Words.folded(bytes, 0, bytes.length);
            int slot = slot(hash);
            while (words[slot] != null) {
                slot = slot + 1 & mask;
            }
            hashes[slot] = hash;
            lengths[slot] = bytes.length;
            words[slot] = bytes;
            values[slot] = value;
        });
    }

    /** Returns a table in which each word of a list has the value true. */
    static WordTable<Boolean> of(String words) {
        Map<String, Boolean> map = new HashMap<>();
        add(map, true, words);
        return new WordTable<>(map);
    }

    /** Gives each word of a list a value. */
    static <T> void add(Map<String, T> map, T value, String words) {
        for (String word : words.split(" ")) {
            map.put(word, value);
        }
    }

    /**
     * Returns the value of the word at {@code [start, end)}, which consists of letters, digits, {@code _} and
     * {@code $}, given its folded hash.
     */
    @SuppressWarnings("unchecked")
    @Nullable
    T find(byte[] text, int start, int end, long hash) {
        int length = end - start;
        for (int slot = slot(hash); lengths[slot] != 0; slot = slot + 1 & mask) {
            // Up to eight bytes the hash is the word. Beyond that the bytes are compared: a name made to collide must
            // not count as a built-in function.
            if (hashes[slot] == hash
                    && lengths[slot] == length
                    && (length <= 8 || equalsIgnoreCase(words[slot], text, start))) {
                return (T) values[slot];
            }
        }
        return null;
    }

    @Nullable
    T find(byte[] text, int start, int end) {
        return find(text, start, end, Words.folded(text, start, end));
    }

    private int slot(long hash) {
        return (int) (hash ^ hash >>> 40) & mask;
    }

    private static boolean equalsIgnoreCase(byte[] upper, byte[] text, int start) {
        for (int i = 0; i < upper.length; i++) {
            int c = text[start + i];
            if (c >= 'a' && c <= 'z') {
                c -= 32;
            }
            if (c != upper[i]) {
                return false;
            }
        }
        return true;
    }
}
