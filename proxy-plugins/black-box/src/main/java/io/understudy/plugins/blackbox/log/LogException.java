package io.understudy.plugins.blackbox.log;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The reason why the log cannot be written or read, with the remedy. */
public final class LogException extends IOException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** Kinds of reasons. */
    public enum Reason {
        /** The file system has no room. */
        DISK_FULL,
        /** The log has its configured size, and no segment can be deleted yet. */
        SIZE_FULL,
        /** The operating system reports any other error. */
        IO,
        /** An administrator has to change something: another process, key, version, product, or file permissions. */
        UNUSABLE
    }

    /** @param cause the operating system's error if there is one */
    public LogException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    static LogException unusable(String message) {
        return new LogException(Reason.UNUSABLE, message, null);
    }

    public Reason reason() {
        return reason;
    }
}
