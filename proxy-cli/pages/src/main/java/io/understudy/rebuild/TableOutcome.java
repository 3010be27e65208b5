package io.understudy.rebuild;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The outcome for one table.
 *
 * @param state how the rebuild ended
 * @param why the reason if it did not succeed; empty otherwise
 * @param before null if the rebuild was refused
 * @param after null if the table was not rebuilt
 * @param seconds run time of the statements
 * @param mostLag the largest lag during the rebuild, in whole seconds as the server reports it
 * @param checksum the finding of CHECKSUM TABLE; empty if not requested
 * @param reads how cold its mirrored reads were before and after; null if no proxy told
 */
record TableOutcome(
        String table,
        State state,
        String why,
        @Nullable TableSize before,
        @Nullable TableSize after,
        double seconds,
        long mostLag,
        String checksum,
        @Nullable Map<String, @Nullable Object> reads) {

    /** The end of a table's rebuild. */
    enum State {
        REBUILT,
        REFUSED,
        /** Ended because of the bounds or a signal; the table is unchanged. */
        ENDED,
        FAILED
    }

    static TableOutcome without(String table, State state, String why) {
        return new TableOutcome(table, state, why, null, null, 0, 0, "", null);
    }

    TableOutcome withReads(@Nullable Map<String, @Nullable Object> figures) {
        return new TableOutcome(table, state, why, before, after, seconds, mostLag, checksum, figures);
    }

    /** Returns the fields of the JSON report. */
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
        map.put("mirroredReads", reads);
        return map;
    }
}
