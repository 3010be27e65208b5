package io.understudy.plugins.commitlatency;

import io.understudy.servers.GtidNumbers;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The GTIDs that a response's OK_Packet reported, and their relation to the command's other transactions. */
final class ReportedGtids {
    private final String last;
    private final @Nullable GtidNumbers all;

    /**
     * Parses the GTIDs of a response.
     *
     * @throws IllegalArgumentException if the text cannot be parsed
     */
    ReportedGtids(String reported) {
        last = last(reported);
        all = reported.indexOf(':') < 0 ? null : GtidNumbers.ofMySql(reported);
    }

    /**
     * Returns the last transaction of those reported: MariaDB reports one, MySQL every one that a command committed, as
     * {@code uuid:28-29} or {@code uuid:5:tag:1-2}.
     */
    static String last(String reported) {
        int set = reported.lastIndexOf(',') + 1;
        int first = reported.indexOf(':', set);
        if (first < 0) {
            return reported; // MariaDB
        }
        String uuid = reported.substring(set, first).strip().toLowerCase(Locale.ROOT);
        String tag = "";
        String number = "";
        for (String part : reported.substring(first + 1).split(":")) {
            String piece = part.strip();
            if (!piece.isEmpty() && Character.isDigit(piece.charAt(0))) {
                number = piece;
            } else {
                tag = piece.toLowerCase(Locale.ROOT) + ":";
            }
        }
        return uuid + ":" + tag + number.substring(number.indexOf('-') + 1);
    }

    /** Returns the last transaction reported. */
    String last() {
        return last;
    }

    /** Returns whether every transaction of the command is reported, as MySQL's session tracking does. */
    boolean complete() {
        return all != null;
    }

    /** Returns the number of transactions reported. */
    long count() {
        return all == null ? 1 : all.count();
    }

    /**
     * Returns whether a transaction can belong to the command. MariaDB reports only the last one: an earlier one has a
     * lower number in the same domain of the same server.
     */
    boolean admits(String gtid) {
        if (all != null) {
            return all.contains(gtid);
        }
        int end = last.lastIndexOf('-') + 1;
        return gtid.startsWith(last.substring(0, end))
                && Long.parseUnsignedLong(gtid.substring(end)) <= Long.parseUnsignedLong(last.substring(end));
    }
}
