package io.understudy.plugins.gtiddomain.ownership;

/**
 * A write in flight: it makes its domain an owner of its tables, from before it is sent until its transaction has
 * ended. Used on its session's event loop, and by the poller once the session is lost.
 */
public final class PendingWrite {
    private final TableOwnership ownership;
    public final TableEntry[] entries;
    private int index;
    private boolean over;

    PendingWrite(TableOwnership ownership, TableEntry[] entries, int index) {
        this.ownership = ownership;
        this.entries = entries;
        this.index = index;
    }

    public int index() {
        return index;
    }

    /** Returns whether the write and its transaction have ended. */
    public boolean over() {
        return over;
    }

    /** Called when the write and its transaction have ended. */
    public void release() {
        over = true;
        ownership.release(this);
    }

    /** Called when the account may not set the domain: its tables stay in the default domain from now on. */
    public void mark() {
        ownership.mark(entries);
    }

    /** Called when the server refused the domain: the write runs in another one. */
    public void move(int to, long digest) {
        ownership.move(this, to, digest);
    }

    void moved(int to) {
        index = to;
    }
}
