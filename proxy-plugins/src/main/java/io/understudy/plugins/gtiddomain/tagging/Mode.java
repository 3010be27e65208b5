package io.understudy.plugins.gtiddomain.tagging;

/** Says whether domains are set, or only counted as if they were. */
public enum Mode {
    ADVISE,
    TAG
}
