package io.understudy.plugins.blackbox.witness;

import io.understudy.servers.SemiSyncSource;
import java.util.ArrayList;
import java.util.List;

/** What a primary's settings mean for the witness, with the remedy: for {@code check}, and for the log at the start. */
public final class WitnessAdvice {
    /** Below it the primary gives up while the witness has not even noticed that it cannot keep. */
    private static final long SHORT_MILLIS = 1_000;

    private static final long LONG_MILLIS = 60_000;

    /**
     * A line of the report.
     *
     * @param warning whether something is to be done
     */
    public record Note(boolean warning, String text) {}

    private WitnessAdvice() {}

    /**
     * Returns the notes about a primary.
     *
     * @param logInEngine whether its binary log is in InnoDB: MariaDB 12.3's {@code binlog_storage_engine}
     */
    public static List<Note> of(SemiSyncSource source, boolean mariaDb, boolean logInEngine) {
        List<Note> notes = new ArrayList<>();
        if (logInEngine) {
            notes.add(new Note(
                    true,
                    "the primary's binary log is in InnoDB (binlog_storage_engine), where MariaDB has no"
                            + " semi-synchronous replication: the witness acknowledges nothing. Set acknowledge: off,"
                            + " or start the primary without binlog_storage_engine"));
            return notes;
        }
        if (!source.enabled()) {
            notes.add(new Note(
                    true,
                    "semi-synchronous replication is " + (source.loaded() ? "switched off" : "not loaded")
                            + " at the primary, so the witness acknowledges nothing: "
                            + (source.loaded()
                                    ? ""
                                    : "INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so'; then ")
                            + (mariaDb
                                    ? "SET GLOBAL rpl_semi_sync_master_enabled=1, and the same in its option file"
                                    : "SET PERSIST rpl_semi_sync_source_enabled=1 (older versions:"
                                            + " rpl_semi_sync_master_enabled)")
                            + ". Until a replica has registered, which takes the witness a few seconds, commits wait"
                            + " for up to " + seconds(source)));
            if (!source.loaded()) {
                return notes; // it has no settings
            }
        }
        String prefix = "rpl_semi_sync_" + (mariaDb ? "master_" : "source_");
        if (source.waitFor() > 1 && source.waitFor() > source.clients() + (source.enabled() ? 0 : 1)) {
            notes.add(new Note(
                    true,
                    "a commit waits for " + source.waitFor() + " acknowledgements (" + prefix
                            + (mariaDb ? "wait_for_slave_count" : "wait_for_replica_count") + "), and "
                            + source.clients() + " replicas are registered now, this proxy among them if it runs:"
                            + " without enough of them each commit waits for " + seconds(source)
                            + ". Set it to 1, or add replicas"));
        }
        if (source.timeoutMillis() < SHORT_MILLIS) {
            notes.add(new Note(
                    true,
                    "the primary waits for an acknowledgement only " + source.timeoutMillis()
                            + " ms and then does without: a pause of the proxy is enough. Set its timeout to 2000 or"
                            + " more (rpl_semi_sync_master_timeout, MySQL: rpl_semi_sync_source_timeout)"));
        } else if (source.timeoutMillis() > LONG_MILLIS) {
            notes.add(new Note(
                    false,
                    "while the witness has withdrawn and no other replica acknowledges, each commit waits for up to "
                            + seconds(source) + " (the semi-sync timeout): safe, and it looks like an outage. Have an"
                            + " alert on understudy_witness_present"));
        }
        if (source.waitPoint().equals("AFTER_COMMIT")) {
            notes.add(new Note(
                    true,
                    prefix + "wait_point is AFTER_COMMIT: other sessions read a commit before it is acknowledged, and"
                            + " if the primary dies then, they have read what is nowhere else. SET GLOBAL " + prefix
                            + "wait_point = AFTER_SYNC, and the same in its option file"));
        }
        return notes;
    }

    private static String seconds(SemiSyncSource source) {
        return source.timeoutMillis() % 1000 == 0
                ? source.timeoutMillis() / 1000 + " s"
                : source.timeoutMillis() + " ms";
    }
}
