package io.understudy.plugins.gtiddomain;

/**
 * Told by decisions which tables wait to pass to another domain, and which did. On sessions' event loops, with no monitor held; must be
 * quick.
 */
interface Passages {
    /** Nobody is to know. */
    Passages IGNORED = new Passages() {
        @Override
        public void waits(TableEntry[] entries, int owner) {}

        @Override
        public void passed(TableEntry[] entries) {}
    };

    /** A write's tables would have gone to its rule's domain, had the owner's writes been applied everywhere. */
    void waits(TableEntry[] entries, int owner);

    /** A write's tables have gone to another domain than that of the write before. */
    void passed(TableEntry[] entries);
}
