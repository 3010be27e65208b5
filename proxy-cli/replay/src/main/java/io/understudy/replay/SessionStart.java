package io.understudy.replay;

import java.util.List;

/** The statements that a session on a target begins with. */
public final class SessionStart {
    /**
     * Cannot write, whatever the statement turns out to be. {@code START TRANSACTION READ ONLY} would let DDL through.
     */
    public static final List<String> READ_ONLY = List.of(
            "SET SESSION TRANSACTION READ ONLY",
            "SET SESSION autocommit = 1, SESSION lock_wait_timeout = 1, SESSION innodb_lock_wait_timeout = 1");

    /** Logs do not have the client's character set; this is the one that servers log in. */
    public static final String NAMES = "SET NAMES utf8mb4";

    private SessionStart() {}
}
