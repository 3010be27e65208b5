package io.understudy.rebuild;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What came of one table.
 *
 * @param state what happened
 * @param why it did not go through; empty where it did
 * @param before null where it was refused
 * @param after null where it was not rebuilt
 * @param seconds that the statements ran
 * @param mostLag the largest lag seen meanwhile, in whole seconds as the server tells it
 * @param checksum what CHECKSUM TABLE said; empty where it was not asked
 */
record Outcome(
        String table,
        State state,
        String why,
        @Nullable TableSize before,
        @Nullable TableSize after,
        double seconds,
        long mostLag,
        String checksum) {

    /** How it ended. */
    enum State {
        REBUILT,
        REFUSED,
        /** Ended by the bounds or by a signal; the table is as it was. */
        ENDED,
        FAILED
    }

    static Outcome without(String table, State state, String why) {
        return new Outcome(table, state, why, null, null, 0, 0, "");
    }

    /** For JSON. */
    Map<String, @Nullable Object> map() {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("table", table);
        map.put("state", state.name().toLowerCase(java.util.Locale.ROOT));
        map.put("why", why.isEmpty() ? null : why);
        TableSize was = before;
        TableSize is = after;
        map.put("leafPagesBefore", was == null ? null : was.leafPages());
        map.put("leafPagesAfter", is == null ? null : is.leafPages());
        map.put("fileBytesBefore", was == null ? null : was.fileBytes());
        map.put("fileBytesAfter", is == null ? null : is.fileBytes());
        map.put("seconds", Math.round(seconds * 1000) / 1000.0);
        map.put("mostLagSeconds", mostLag);
        map.put("checksum", checksum.isEmpty() ? null : checksum);
        return map;
    }
}
