package io.understudy.plugins.gtiddomain.tagging;

/** The setting by which domains are set, or only counted as if they were. */
public enum Mode {
    ADVISE,
    TAG
}
