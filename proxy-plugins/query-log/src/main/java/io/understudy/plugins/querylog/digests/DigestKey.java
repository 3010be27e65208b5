package io.understudy.plugins.querylog.digests;

import org.jspecify.annotations.Nullable;

/**
 * A digest as the key of a map. A session keeps one of its own to search with, so that a search allocates nothing;
 * those in the map never change.
 */
public final class DigestKey {
    private long digest;

    public DigestKey() {}

    DigestKey(long digest) {
        this.digest = digest;
    }

    void set(long value) {
        digest = value;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(digest);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DigestKey key && key.digest == digest;
    }
}
