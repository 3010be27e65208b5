package io.understudy.command;

import org.jspecify.annotations.Nullable;

/**
 * The domain of a session's next commit, as far as MariaDB has reported it. The server compares a commit's sequence
 * number alone with that of the session's previous commit, and leaves {@code last_gtid} out of the response if they are
 * equal: always after a change to a domain that has come to the same number. The omitted GTID then follows from the
 * domain and that number.
 */
final class CommitDomain {
    /** Reported for the session's last commit, or for one before it with the same number; null for none. */
    private @Nullable String last;
    /** Number of the command whose response reported it. */
    private long lastBy;
    /** The session's domain where it differs from that of {@link #last}, or may; null for the same. */
    private @Nullable String domain;
    /** The value of {@link #domain} before {@link #last} was reported, spelt out. */
    private @Nullable String before;
    /** The domain of a single command, by {@code SET STATEMENT}. */
    private @Nullable String once;

    private long onceBy;

    /** Called when the response to a command reports a commit. */
    void committed(String gtid, long command) {
        before = present();
        domain = once != null && onceBy == command ? before : null;
        last = gtid;
        lastBy = command;
    }

    /** Called when the response to a command reports that it has set the session's domain. */
    void set(String value) {
        domain = value;
    }

    /** Called when the response to a command reports a domain that applied to that command alone. */
    void setOnce(String value, long command) {
        once = value;
        onceBy = command;
        domain = last != null && lastBy == command ? before : present();
    }

    private @Nullable String present() {
        String gtid = last;
        return domain != null || gtid == null ? domain : domainOf(gtid);
    }

    /** Called when the server has reset the session: it compares the next commit with none. */
    void reset() {
        last = null;
        domain = null;
        once = null;
    }

    /** Returns the GTID that the command's response has left out if the command was a commit; null if it cannot. */
    @Nullable
    String omitted(long command) {
        String gtid = last;
        String of = once != null && onceBy == command ? once : domain;
        return gtid == null || of == null || of.equals(domainOf(gtid)) ? null : of + gtid.substring(gtid.indexOf('-'));
    }

    private static String domainOf(String gtid) {
        return gtid.substring(0, Math.max(0, gtid.indexOf('-')));
    }
}
