package io.understudy.plugins.blackbox.log;

import java.nio.file.Path;

/**
 * A part of a file that cannot be read.
 *
 * @param bytes from {@code offset} to the next part that can be read, or to the end
 */
public record LogDamage(Path file, long offset, long bytes, Kind kind) {
    /** What the part means. */
    public enum Kind {
        /** Still being written when the proxy stopped, by a proxy that acknowledges what is on disk. */
        UNFINISHED("were being written when the proxy or its machine stopped: that was not acknowledged"),
        /** As {@link #UNFINISHED}, by a proxy that does not wait for the disk. */
        UNFINISHED_UNSYNCED("were being written when the proxy stopped, and not acknowledged; but if the machine lost"
                + " power, more may be missing that was"),
        /** Other records follow. */
        MIDDLE("are damaged: the transactions in them are a gap in the log"),
        /** Nothing can be read behind it. */
        END("up to the end of the file, are damaged: which transactions they held is unknown, and they may have been"
                + " acknowledged"),
        /** The file tells no primary and no position. */
        START("are damaged, so the transactions of this file cannot be assigned to a primary: they are a gap in the"
                + " log");

        private final String meaning;

        Kind(String meaning) {
            this.meaning = meaning;
        }
    }

    /** Returns whether transactions may be missing that were acknowledged. */
    public boolean mayLack() {
        return kind != Kind.UNFINISHED;
    }

    @Override
    public String toString() {
        return file + ": " + bytes + " bytes at offset " + offset + " " + kind.meaning;
    }
}
