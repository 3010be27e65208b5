package io.understudy.plugins.commitlatency;

import java.util.Locale;

/** Parses GTIDs of the servers' OK_Packets. */
final class Gtids {
    private Gtids() {}

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
}
