package io.understudy.plugins.gtiddomain;

/**
 * A write on its way: the tables that it holds for its domain, from before it is sent until its transaction is over. Used
 * on its session's event loop, and by whoever settles the claims of a lost session.
 */
final class Claim {
    private final TableOwnership ownership;
    final TableEntry[] entries;
    private int slot;

    Claim(TableOwnership ownership, TableEntry[] entries, int slot) {
        this.ownership = ownership;
        this.entries = entries;
        this.slot = slot;
    }

    int slot() {
        return slot;
    }

    /** The write and its transaction are over. */
    void release() {
        ownership.release(this);
    }

    /** The server refused the domain: the write runs in another one. */
    void move(int to, long digest) {
        ownership.move(this, to, digest);
    }

    void moved(int to) {
        slot = to;
    }
}
