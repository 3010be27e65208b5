package io.understudy.plugins.commitlatency;

import java.util.Locale;

/** GTIDs as the servers' OKs tell them. */
final class Gtids {
    private Gtids() {}

    /**
     * The last transaction of those named: MariaDB tells only one, MySQL all that a command committed, as {@code uuid:28-29} or
     * {@code uuid:5:tag:1-2}.
     */
    static String last(String told) {
        int set = told.lastIndexOf(',') + 1;
        int first = told.indexOf(':', set);
        if (first < 0) {
            return told; // MariaDB
        }
        String uuid = told.substring(set, first).strip().toLowerCase(Locale.ROOT);
        String tag = "";
        String number = "";
        for (String part : told.substring(first + 1).split(":")) {
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
