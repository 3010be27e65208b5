package io.understudy.plugins.blackbox.witness;

/** Why the witness does not acknowledge. */
public enum Withdrawal {
    /** It has only begun, or begins anew. */
    BEHIND("behind", "it reads what it has missed; nothing to do"),
    CONNECTION("connection", "see the primary and the network"),
    NOT_PRIMARY(
            "not_primary",
            "it reads once that server is writable, or the proxy has found the primary: if no other server has"
                    + " been promoted since, SET GLOBAL read_only=0 on the primary, or, if that is lost, understudy"
                    + " failover; nothing of it is kept until then"),
    NO_SEMI_SYNC(
            "no_semi_sync",
            "switch semi-synchronous replication on at the primary: SET GLOBAL rpl_semi_sync_master_enabled=1 (MySQL:"
                    + " INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so', then"
                    + " SET GLOBAL rpl_semi_sync_source_enabled=1)"),
    MEMORY(
            "memory",
            "plugins.black-box.memory is full of transactions that some standby has not applied: see why it lags (after"
                    + " RESET MASTER: docs/black-box.md), or raise memory (the restart for it forgets what no"
                    + " directory has)"),
    TOO_LARGE(
            "too_large",
            "a transaction was larger than half of plugins.black-box.memory, or had an event of 16 MiB or more"),
    DISK_FULL("disk_full", "make room on the disk of plugins.black-box.directory"),
    SIZE(
            "size",
            "plugins.black-box.size is full of transactions that some standby has not applied: see why it lags (after"
                    + " RESET MASTER: docs/black-box.md), or raise size"),
    SLOW("slow", "see the load of the disk of plugins.black-box.directory"),
    IO("io", "see the disk of plugins.black-box.directory"),
    UNUSABLE("unusable", "do what it says about plugins.black-box.directory; it is tried again every two seconds"),
    FAULT("fault", "please report this with what the proxy's log says of it");

    private final String label;
    private final String remedy;

    Withdrawal(String label, String remedy) {
        this.label = label;
        this.remedy = remedy;
    }

    /** Returns the value of the label of metrics and views. */
    String label() {
        return label;
    }

    String remedy() {
        return remedy;
    }
}
