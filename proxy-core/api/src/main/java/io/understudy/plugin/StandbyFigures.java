package io.understudy.plugin;

import org.jspecify.annotations.Nullable;

/**
 * The figures about standbys that a running proxy has by its configuration. {@code understudy ready} reports those that
 * it does not get as not known.
 *
 * @param coldAbove pages a statement above the primary's from which a standby counts as cold; null if nothing measures
 *     that
 * @param differences whether reads are compared with the primary's
 * @param missing whether commits are known that a standby lacks
 */
public record StandbyFigures(@Nullable Double coldAbove, boolean differences, boolean missing) {
    /** No figures. */
    public static final StandbyFigures NONE = new StandbyFigures(null, false, false);

    /** Returns the figures that either has. */
    public StandbyFigures and(StandbyFigures other) {
        return new StandbyFigures(
                coldAbove == null ? other.coldAbove : coldAbove,
                differences || other.differences,
                missing || other.missing);
    }
}
