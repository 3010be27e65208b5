package io.understudy.plugins.mirror.warmth;

import java.util.Locale;

/** What is known of a standby's warmth: all, or why not. */
public enum WarmthState {
    KNOWN(""),
    UNCERTAIN("the probes do not tell yet whether it is cold"),
    NO_PROBES("fewer than ten mirrored SELECTs were measured on it yet"),
    NO_RECENT_PROBES("no mirrored SELECT was measured on it lately"),
    TIMEOUTS("some mirrored SELECTs took too long there to be measured"),
    FLOOR_UNKNOWN("the primary's own page reads are not known (primary.monitor)"),
    PARTLY_MIRRORED(
            "the rules mirror less than 70 % of the queries that pass this proxy (coveredShare): let them match more"),
    LITTLE_RELAYED("less than 5 % of the primary's queries pass this proxy (relayedShare): send more through it"),
    WAS_PRIMARY("it was the primary until some minutes ago, and is not measured yet"),
    IS_PRIMARY("it is the primary"),
    UNREACHABLE("it does not respond");

    private final String why;

    WarmthState(String why) {
        this.why = why;
    }

    /** Returns its name as in {@code /api/standbys}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns in words why the warmth is not known; empty if it is. */
    public String why() {
        return why;
    }
}
