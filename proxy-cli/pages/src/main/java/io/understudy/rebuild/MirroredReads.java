package io.understudy.rebuild;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The mirrored reads of a table, at the proxy that mirrors to the standby. Called by one thread. */
public interface MirroredReads {
    /** No proxy mirrors. */
    MirroredReads NONE = new MirroredReads() {
        @Override
        public String skip(String table) {
            return "";
        }

        @Override
        public String again(String table) {
            return "";
        }

        @Override
        public Rewarmed rewarm(String table, Pause pause) {
            return Rewarmed.NOT;
        }
    };

    /**
     * The pages of a table in memory before and after its rebuild.
     *
     * @param line for the operator, or an empty text
     * @param figures for the JSON report; null if there are none
     */
    record Rewarmed(String line, @Nullable Map<String, @Nullable Object> figures) {
        /** The table's reads were not mirrored in full. */
        public static final Rewarmed NOT = new Rewarmed("", null);
    }

    /** Pause between two requests to the proxy. */
    interface Pause {
        /** Waits. Returns true, without waiting any longer, if the operator requested a stop. */
        boolean stopped(long millis) throws InterruptedException;
    }

    /**
     * Keeps the table's reads away from the standby until {@link #again}. Never throws.
     *
     * @param table as {@code schema.table}
     * @return a line for the operator, or an empty text
     */
    String skip(String table);

    /** Mirrors the table's reads again. Never throws. Returns a line for the operator, or an empty text. */
    String again(String table);

    /**
     * Mirrors all of the table's reads, whatever the sample, until the standby is as warm for them as before the skip,
     * or a time is over. Called after {@link #again} if the table has new pages.
     */
    Rewarmed rewarm(String table, Pause pause) throws InterruptedException;
}
